#ifndef ASSAY_CONFORMANCE_VERIFY_DECIDED_ROWS_H_
#define ASSAY_CONFORMANCE_VERIFY_DECIDED_ROWS_H_

#include <cstdint>
#include <vector>

namespace assay {

// Rows of 16 tokens on which each coin decides, exactly in fp32.
inline constexpr int64_t kDecidedVocab = 16;

// Half of the row at `token`, the rest on the eight tokens behind it: a draft of `token` that its
// drafter is certain of is accepted by half of all coins, and eight tokens are left otherwise.
std::vector<double> HalfRow(int64_t token);
std::vector<double> OneHotRow(int64_t token);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_DECIDED_ROWS_H_
