#include "conformance/subjects/host/verify_last.h"

#include <algorithm>

namespace assay::host {
namespace {

bool AnyPositive(const float* values, int64_t columns) {
  return std::any_of(values, values + columns, [](float x) { return x > 0; });
}

int32_t None(const Config& config) {
  return config.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
}

}  // namespace

// The buffer holds the target row. A draft row without mass takes nothing away.
uint8_t LastToken::Subtract(const Left& left, int64_t columns) {
  if (left.scale != 1)
    for (int64_t i = 0; i < columns; ++i) left_[i] *= left.scale;
  if (left.take_draft) {
    draft_.resize(static_cast<size_t>(RoundUp(columns, kChunk)));
    const RowView draft = ReadWeights(call_.draft, left.row, config_, draft_.data());
    if (draft.status != ASSAY_ROW_OK) return draft.status;
    for (int64_t i = 0; i < columns; ++i)
      left_[i] = std::max(left_[i] - draft_[static_cast<size_t>(i)], 0.0f);
  }
  for (const int32_t id : left.removed) left_[id] = 0;
  return AnyPositive(left_, columns) ? ASSAY_ROW_OK : ASSAY_ROW_EMPTY;
}

int32_t LastToken::Pick(int64_t columns, double uniform) {
  cdf_.Prepare({left_, static_cast<size_t>(columns)}, shape_);
  const bool reach = config_.profile.cdf_edge == CdfEdge::kReach;
  return static_cast<int32_t>(cdf_.Pick(uniform * double{cdf_.Total()}, reach));
}

void LastToken::Draw(const Left& left, double uniform, Answer& answer) {
  const int64_t columns = call_.target.columns;
  const auto read = [&] { return ReadWeights(call_.target, left.row, config_, left_).status; };
  answer.status = read();
  if (answer.status == ASSAY_ROW_OK && !AnyPositive(left_, columns))
    answer.status = ASSAY_ROW_EMPTY;
  if (answer.status != ASSAY_ROW_OK) return answer.Add(None(config_), left.row);
  answer.status = Subtract(left, columns);
  if (answer.status == ASSAY_ROW_OK) return answer.Add(Pick(columns, uniform), left.row);
  if (answer.status != ASSAY_ROW_EMPTY) return answer.Add(None(config_), left.row);
  switch (config_.profile.residual_empty) {
    case ResidualEmpty::kTarget: read(); return answer.Add(Pick(columns, uniform), left.row);
    case ResidualEmpty::kTokenZero: return answer.Add(0, left.row);
    default: return answer.Add(-1, left.row);
  }
}

float LastToken::Mass(const Left& left) {
  const int64_t columns = call_.target.columns;
  if (ReadWeights(call_.target, left.row, config_, left_).status != ASSAY_ROW_OK) return 0;
  if (Subtract(left, columns) != ASSAY_ROW_OK) return 0;
  return Total({left_, static_cast<size_t>(columns)}, shape_);
}

}  // namespace assay::host
