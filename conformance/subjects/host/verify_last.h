#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_LAST_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_LAST_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/subjects/host/draw.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/verify_call.h"

namespace assay::host {

// A draft id: a token, none (-1), or one that no rule may use.
enum class DraftId : uint8_t { kToken, kNone, kBad };
inline DraftId ReadDraft(int32_t id, int64_t vocab) {
  if (id >= 0 && id < vocab) return DraftId::kToken;
  return id == -1 ? DraftId::kNone : DraftId::kBad;
}

// Ends a request at a draft that is out of range.
inline void AddBad(int64_t row, Answer& answer) {
  answer.Add(-1, row);
  answer.status = ASSAY_ROW_INDEX;
}

// The row that a request's last token is drawn from: max(scale p - q, 0), 0 at the removed ids.
struct Left {
  int64_t row = 0;          // of target
  bool take_draft = false;  // q: the same row of draft
  float scale = 1;
  std::span<const int32_t> removed = {};
};

// Draws last tokens; what is left of a row stands in the call's workspace.
class LastToken {
 public:
  LastToken(const VerifyCall& call, const Config& config, float* workspace)
      : call_(call), config_(config), shape_(ShapeFor(config, call.requests)), left_(workspace) {}

  // Adds the token that `uniform` draws, of row left.row, and its status.
  void Draw(const Left& left, double uniform, Answer& answer);

  // The sum of what is left of a row, 0 where it or its draft row is not sound.
  float Mass(const Left& left);

 private:
  uint8_t Subtract(const Left& left, int64_t columns);
  int32_t Pick(int64_t columns, double uniform);

  const VerifyCall& call_;
  const Config& config_;
  SumShape shape_;
  float* left_;
  std::vector<float> draft_;
  InverseCdf cdf_;
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_LAST_H_
