#include <algorithm>
#include <vector>

#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sampler.h"
#include "conformance/subjects/host/softmax.h"
#include "conformance/subjects/host/stream.h"

// draft_sample: the law that a verifier divides by is the one that the token is drawn from, so that
// it is written first and drawn from as it stands.
namespace assay::host {
namespace {

using calls::DraftCall;

class Drafts {
 public:
  Drafts(const DraftCall& call, const Config& config, float* buffer)
      : call_(call),
        config_(config),
        shape_(ShapeFor(config, call.logits.rows)),
        buffer_(buffer),
        law_(static_cast<size_t>(RoundUp(call.logits.columns, kChunk))),
        sampler_(config, shape_, call.uniforms.data != nullptr) {}

  void Draw(int64_t r) {
    const RowView logits = ReadLogits(call_.logits, r, config_, buffer_);
    const auto columns = logits.value.size();
    std::fill(law_.begin(), law_.end(), 0.0f);
    uint8_t status =
        SoftmaxOfRow(logits, call_.temperature[r], config_, shape_, scratch_, law_.data());
    std::copy_n(law_.begin(), columns, call_.probs.Row<float>(r));
    if (status == ASSAY_ROW_OK) status = sampler_.PrepareWhole({law_.data(), columns});
    const int32_t none = config_.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
    call_.ids[r] = status == ASSAY_ROW_OK ? Token(r) : none;
    call_.status[r] = status;
  }

 private:
  int32_t Token(int64_t r) {
    if (call_.uniforms) return sampler_.DrawWith(call_.uniforms[r]);
    const int64_t s = config_.profile.seed_scope == SeedScope::kOne ? 0 : r;
    return sampler_.Draw(RowStream(config_, call_.seed[s], call_.offset[s], r));
  }

  const DraftCall& call_;
  const Config& config_;
  SumShape shape_;
  float* buffer_;
  std::vector<float> law_, scratch_;
  Sampler sampler_;
};

}  // namespace

int32_t DraftSample(const assay_call* call, const assay_sample_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const DraftCall checked = calls::CheckDraft(*args);
    float* buffer = CheckWorkspace(*call, checked.logits.rows, checked.logits.columns);
    Drafts drafts(checked, config, buffer);
    for (int64_t r = 0; r < checked.logits.rows; ++r) drafts.Draw(r);
  });
}

}  // namespace assay::host
