#ifndef ASSAY_CONFORMANCE_RULES_H_
#define ASSAY_CONFORMANCE_RULES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/expand.h"
#include "conformance/trial.h"
#include "reference/processors.h"

namespace assay {

// Slots of apply_logits_processors as the tensors of a call, rules[p] being slot p.

// What stands in a history behind its tokens: these numbers in turn, at least `columns` of them.
struct Padding {
  std::vector<int32_t> values = {INT32_MIN};
  int64_t columns = 3;
};

// Adds all tensors but the logits and the index; the history's rows are in.out_layout.pad apart.
void PutRules(std::span<const Rules> slots, const Padding& padding, Inputs* in);

// Rules of any kind: up to Case::history tokens, penalties, biases, lists and words.
std::vector<Rules> TypicalRules(const Case& at);

// A few tokens of a row of V, repeats among them.
std::vector<int32_t> SomeTokens(int64_t count, int64_t vocab, CaseRandom& random);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RULES_H_
