#include "conformance/verify/handshake.h"

#include <algorithm>

#include "conformance/verify/answers.h"
#include "conformance/verify/decided_rows.h"

namespace assay {
namespace {

constexpr int64_t kRequests = 512, kVocab = kDecidedVocab;

// Drafts that their drafter is certain of are accepted by half of all coins; a last row is flat.
VerifyRequest RequestOf(int64_t b, int64_t drafts, bool one_seed) {
  VerifyRequest request;
  request.candidates = {0};
  for (int64_t i = 0; i < drafts; ++i) {
    const int64_t token = (b + 5 * i) % kVocab;
    request.candidates.push_back(static_cast<int32_t>(token));
    request.target.push_back(HalfRow(token));
    request.draft.push_back(OneHotRow(token));
  }
  request.target.emplace_back(kVocab, 1.0 / kVocab);
  request.draft.push_back(OneHotRow(0));
  request.seed = static_cast<uint64_t>(one_seed ? 12345 : 12345 + b * 0x1234567);
  request.offset = static_cast<uint64_t>(one_seed ? 6 : b % 9);
  return request;
}

VerifyBatch BatchOf(int64_t drafts, const Context& context) {
  VerifyBatch batch;
  batch.vocab = kVocab;
  batch.injected = false;
  const int64_t most = context.subject->max_rows;
  const int64_t requests = most > 0 ? std::min(kRequests, most / (drafts + 1)) : kRequests;
  const bool one = context.profile.seed_scope == SeedScope::kOne;
  for (int64_t b = 0; b < requests; ++b) batch.requests.push_back(RequestOf(b, drafts, one));
  return batch;
}

bool Follows(const VerifyBatch& batch, const Trial& trial, const Tensors& out) {
  const std::vector<Told> told = ReadAnswers(batch, out, trial);
  for (size_t b = 0; b < told.size(); ++b) {
    const AdmissibleOutcomes expected = Expected(batch, b, false, trial);
    const bool agrees =
        told[b].malformed.empty() && std::ranges::any_of(expected.outcomes, [&](const auto& o) {
          return Agrees(told[b], o, trial);
        });
    if (!agrees) return false;
  }
  return true;
}

}  // namespace

bool VerifierFollows(const RngModel& model, const Context& context) {
  const Property silent{"handshake", {}, HarnessClaims(), nullptr, nullptr};
  Trial trial(silent, context);
  trial.set_model(&model);
  for (const int64_t drafts : {0, 2}) {
    const VerifyBatch batch = BatchOf(drafts, context);
    const auto out = trial.Call(VerifyCall(batch, trial));
    if (!out || !Follows(batch, trial, *out)) return false;
  }
  return true;
}

}  // namespace assay
