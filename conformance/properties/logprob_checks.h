#ifndef ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_CHECKS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/properties/logprob_rows.h"
#include "conformance/trial.h"

// How outputs of gather_token_logprobs and top_n_logprobs compare with what the reference says.
namespace assay::logprob {

// An entry against its budget: above 1 it is wrong, infinite for NaN and for -inf of a token that
// the law holds.
struct Entry {
  double use = 0;
  bool warn = false;     // above the measured budget
  bool outside = false;  // a number, although the law does not hold the token
};
Entry Compare(const Law& law, size_t token, double got);
std::string Expected(const Law& law, size_t token);

// Ranks that a token may have, by the profile's `logprob_rank`.
struct Ranks {
  int64_t least, most;
};
Ranks RanksOf(const Law& law, size_t token, const Profile& profile);

// The entries of a row's whole law: their exponentials sum to 1 within 1e-5, or within their own
// budgets where those are wider. Decides LOGP-NORM-ONE.
void RequireSum(const Law& law, int64_t row, const std::vector<double>& entries, Trial& trial);

// What is wrong with a list of ids: not distinct tokens, and then nothing else is looked at; not
// the largest or not in their order; equal ones not by lowest id.
struct ListFindings {
  std::optional<Finding> distinct, order, ties;
  bool open = false;  // rounding may swap most neighbours
};
ListFindings CheckList(const Law& law, int64_t row, const std::vector<int32_t>& ids);

// What is wrong with the output of a row that is not kOk: its status, NaN, rank 0, ids -1.
std::optional<Finding> WrongRefusal(const Trial& trial, const Tensors& out, int64_t row,
                                    RowStatus want);

}  // namespace assay::logprob

#endif  // ASSAY_CONFORMANCE_PROPERTIES_LOGPROB_CHECKS_H_
