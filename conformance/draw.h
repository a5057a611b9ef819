#ifndef ASSAY_CONFORMANCE_DRAW_H_
#define ASSAY_CONFORMANCE_DRAW_H_

#include <rapidcheck/Random.h>
#include <rapidcheck/Seq.h>

#include <vector>

#include "conformance/property.h"

namespace assay {

// The fixed cases of a domain: every value of every axis beside plain ones, then a pairwise
// covering array (each pair of values of two axes meets in some case); in tier deep then the
// product of all axes, or as many of it as the tier makes random cases. Fitted, without repeats.
std::vector<Case> Sweep(const Domain& domain, const Context& context);

// One random case: each axis at one of its values; vocabulary and rows also log-uniform between the
// smallest and largest; a fresh seed. Fitted.
Case DrawCase(const Domain& domain, const Context& context, rc::Random& random);

// What the subject can take of a case: within its limits and the domain's size, scalars, strides,
// alignment and filter orders only where it declares them.
Case Fit(Case at, const Domain& domain, const Context& context);

// Whether every code of a case is one that its axis names; sizes, positive top_k and seeds may be
// any. Shrinking stays inside: other codes may be illegal under the profile.
bool InDomain(const Case& at, const Domain& domain);

// Simpler cases, the most promising first: every field towards its plain value.
rc::Seq<Case> Simpler(const Case& at);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DRAW_H_
