#ifndef ASSAY_CONFORMANCE_VERIFY_PROBES_H_
#define ASSAY_CONFORMANCE_VERIFY_PROBES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/expand.h"
#include "conformance/verify/answers.h"

namespace assay {

// Batches of hand-made requests, all of one length, that decide one clause each.

// What of a request's answer is judged: which drafts are accepted; or the last token and the status
// where the right ones were; or all.
enum class Judged : uint8_t { kPath, kToken, kAll };

struct Probes {
  VerifyBatch batch;
  std::vector<std::pair<std::string_view, Judged>> clause;  // of a request; empty: none

  Probes(const Case& at, const Trial& trial);
  void Add(VerifyRequest request, std::string_view of, Judged judged) {
    batch.requests.push_back(std::move(request));
    clause.push_back({of, judged});
  }
};
// `exact` as in Expected.
void RequireProbes(const Probes& probes, bool exact, Trial& trial);

// A row over `vocab` tokens that is zero but for the given ones.
std::vector<double> RowOf(int64_t vocab, const std::vector<std::pair<int64_t, double>>& tokens);

// A chain of `drafts` drafts that are all accepted for sure: every row and its draft row is one-hot
// at its draft. `salt` sets its tokens apart from other requests'.
VerifyRequest SureRequest(int64_t vocab, int64_t drafts, int64_t salt);
// The n-th token of its own.
int64_t TokenAt(int64_t vocab, int64_t n, int64_t salt);

// Whether the draft's own probability is read: of a ratio test, with draft rows.
bool TestsRatio(const VerifyBatch& batch, const Trial& trial);

// Whether a chain's last token may be `token` where so many of its drafts were accepted, by the
// reference's rule.
bool MayFollow(const VerifyBatch& batch, size_t request, int32_t accepted, int32_t token,
               const Trial& trial);

// Those that test by ratios, which draw from a stream; those that read laws of chains.
std::vector<std::string_view> RatioVerifiers();
std::vector<std::string_view> ChainLawVerifiers();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_PROBES_H_
