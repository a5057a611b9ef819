#ifndef ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_ROWS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_ROWS_H_

#include <cstdint>
#include <vector>

#include "conformance/case.h"
#include "conformance/trial.h"
#include "reference/budget.h"
#include "reference/row.h"

// What the properties of gather_token_logprobs and top_n_logprobs share: calls of every stage, and
// what the reference says of a row within the numeric budget.
namespace assay::logprob {

// What Case::special says: which stage is asked for.
enum : int64_t {
  kRaw,
  kMasked,          // half of the tokens
  kFew,             // one token in 64
  kEmptied,         // every other row without an allowed token
  kBuried,          // NaN, +inf or the largest number under the mask
  kTempered,        // temperature alone
  kTopK,            // top_k alone
  kTopP,            // top_p alone
  kFiltered,        // both
  kProcessed,       // temperature and both
  kMaskedTempered,  // and a mask of half of the tokens
  kMaskedProcessed,
  kStages
};

// Logits by family, with the stage's optional inputs; a mask allows a finite token of each row.
Inputs StageInputs(const Case& at, const Trial& trial);

// ln 2^-126. After the softmax a kernel may take the logarithm of an fp32 probability, which below
// it is subnormal or 0.
inline constexpr double kDeepest = -87.336544750553;

// Whether the law holds a token, within the budget of its cut and of fp32's range.
enum class Member : uint8_t { kOut, kOpen, kIn };

// What the reference says of a row. Tokens are compared by depth, ln of their weight relative to
// the largest. The logarithm of the kept mass lies between that of the fewest and of the most.
struct Law {
  RowStatus status = RowStatus::kOk;
  std::vector<double> logit, depth;  // under the mask
  std::vector<Member> member;
  double least_norm = 0, most_norm = 0;
  std::vector<Budget> budget;  // of each token's entry
  bool levels = false;         // depths are 0 or -inf by rule, whatever the logits
  bool processed = false;

  // Equal numbers, not just near ones.
  bool Same(size_t a, size_t b) const {
    return levels ? depth[a] == depth[b] : logit[a] == logit[b];
  }
  bool Above(size_t a, size_t b) const;       // whatever the rounding
  bool MayBeAbove(size_t a, size_t b) const;  // with some rounding
};
Law LawOf(const Case& at, int64_t row, const Inputs& in, const Trial& trial);

// Every stage on every kind of row; a lone large logit, or small integers, at every V.
Domain AnyStage(const Context& context);
Domain EverySize(const Context& context);

}  // namespace assay::logprob

#endif  // ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_ROWS_H_
