#ifndef ASSAY_REFERENCE_VERIFY_BLOCK_H_
#define ASSAY_REFERENCE_VERIFY_BLOCK_H_

#include <vector>

#include "reference/verify_chain.h"

namespace assay {

// Block verification (Sun et al., ICLR 2025; vLLM's rejection_sampler_utils.py): with p, q of
// drafts 1 ... K and
//   rho_0 = 1, rho_i = min(1, rho_(i-1) p_i / q_i), M_i = the sum of max(rho_i p - q, 0) at row i,
//   h_i = M_i / (M_i + 1 - rho_i) for i < K, h_K = rho_K,
// the accepted drafts are the first i for the last i with u_i <= h_i and h_i > 0, u_i the coin of
// the row that draft i is tested at: all are read. The last token comes from max(rho p - q, 0) at
// the row reached, or from row K. Draft -1 ends the block (`no_draft` kReject too): what precedes
// it is a block of its own; so does a bad one, with status kIndex and token -1 where it is reached.
VerifyOutcome VerifyBlock(const ChainRequest& request, const Arithmetic& arithmetic,
                          const Profile& profile, Decisions& decide);

// The tests of drafts 1 ... K, and rho_0 ... rho_K with the relative errors of fp32. `count`: as
// many drafts as are tokens.
struct BlockTests {
  std::vector<AcceptTest> test;
  std::vector<double> rho, rho_error;
};
BlockTests BlockTestsOf(const ChainRequest& request, int32_t count, const Arithmetic& arithmetic,
                        const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_BLOCK_H_
