#ifndef ASSAY_CONFORMANCE_VERIFY_CASES_H_
#define ASSAY_CONFORMANCE_VERIFY_CASES_H_

#include "conformance/expand.h"
#include "conformance/verify/batch.h"

namespace assay {

// Requests of a case: `rows` of them, each with up to `drafts` drafts over `vocab` tokens. Row j of
// all is ProbsRow of the case's family; a draft row is half of its target row and half of another,
// so that fp32 is exact on it where it is on the family. All requests have the same number of
// drafts unless the subject takes ragged ones: then the first has `drafts` and the others any
// number.

// Drafts, coins and links at random: drafts that may be accepted, that have no probability, trees
// with siblings; coins inside [0, 1) and at its ends. Without what the operation does not read.
VerifyBatch RandomBatch(const Case& at, const Trial& trial);

// The same with laws in eighths and final coins between their boundaries, so that fp32 is exact
// also on what is left of a row, however it is scaled.
VerifyBatch ExactBatch(const Case& at, const Trial& trial);

// Request b of a case: roots, counters, seeds and offsets; drafts are token 0.
VerifyRequest EmptyRequest(const Case& at, int64_t request, int64_t drafts, const Trial& trial);
// Whether coins are given: where the operation takes them and the subject does.
bool GivesCoins(const Trial& trial);

// The requests' shapes alone: roots, counters, seeds and offsets; drafts are token 0.
VerifyBatch EmptyBatch(const Case& at, const Trial& trial);

// How many drafts request b has.
int64_t DraftsOf(const Case& at, int64_t request, const Trial& trial);

// A random tree of the request's nodes within the batch's width, a node's children not more than
// tokens; with the identity as rows unless the subject takes other ones.
void LinkAtRandom(CaseRandom& random, const Trial& trial, const VerifyBatch& batch,
                  VerifyRequest& request);

// A token of the row with a positive probability.
int32_t PositiveToken(const std::vector<double>& row, CaseRandom& random);

// A number of fp32 in [0, 1): usually any, now and then 0, the largest below 1, or near `edge`.
double AnyCoin(CaseRandom& random, double edge = 0.5);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_CASES_H_
