#include "conformance/subjects/host/draw.h"

#include <algorithm>

#include "conformance/subjects/host/row.h"

namespace assay::host {
namespace {

bool Above(double prefix, double target, bool reach) {
  return reach ? prefix >= target : prefix > target;
}

}  // namespace

void InverseCdf::Prepare(std::span<const float> values, const SumShape& shape) {
  values_ = values;
  shape_ = shape;
  ScanTiles(values, shape, tiles_);
  last_ = std::ssize(values) - 1;
  while (last_ >= 0 && !(values[static_cast<size_t>(last_)] > 0)) --last_;
}

int64_t InverseCdf::Pick(double target, bool reach) const {
  for (size_t tile = 0; tile < tiles_.sum.size(); ++tile) {
    if (Above(tiles_.after[tile], target, reach) && tiles_.sum[tile] > 0) {
      return PickInside(tile, target, reach);
    }
  }
  return last_;
}

int64_t InverseCdf::PickInside(size_t tile, double target, bool reach) const {
  float prefix[4096];
  const int64_t begin = static_cast<int64_t>(tile) * shape_.tile;
  const int64_t count = std::min<int64_t>(shape_.tile, std::ssize(values_) - begin);
  const float* value = values_.data() + begin;
  ScanInside(value, RoundUp(count, kChunk), prefix);
  const float before = tiles_.before[tile];
  int64_t last = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!(value[i] > 0)) continue;
    last = i;
    if (Above(before + prefix[i], target, reach)) break;
  }
  return begin + last;
}

void RejectionLoop::Prepare(std::span<const float> values, const FilterParams& params,
                            double mass_limit, float first_mass, const SumShape& shape) {
  values_ = values;
  shape_ = shape;
  whole_.Prepare(values, shape);
  top_k_ = params.top_k == 0 ? INT64_MAX : params.top_k;
  use_top_p_ = params.use_top_p;
  mass_limit_ = mass_limit;
  first_mass_ = first_mass;
  highest_ = std::max(1.0f, *std::max_element(values.begin(), values.end()));
}

RejectionLoop::Above RejectionLoop::CountAbove(float pivot) {
  Above above;
  masked_.assign(static_cast<size_t>(RoundUp(std::ssize(values_), kChunk)), 0.0f);
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool over = values_[i] > pivot;
    masked_[i] = over ? values_[i] : 0.0f;
    above.count += over ? 1 : 0;
  }
  above.mass = Total({masked_.data(), values_.size()}, shape_);
  return above;
}

bool RejectionLoop::Accepts(const Above& above) const {
  return above.count < top_k_ && (!use_top_p_ || above.mass < mass_limit_);
}

int64_t RejectionLoop::Draw(const std::function<double(uint64_t)>& uniform) {
  float low = 0, high = highest_, mass = first_mass_;
  int64_t picked = -1;
  for (uint64_t round = 0; low < high; ++round) {
    const float target = static_cast<float>(uniform(round)) * mass;
    const InverseCdf& cdf = round == 0 ? whole_ : masked_cdf_;
    if (cdf.Empty()) break;
    picked = cdf.Pick(double{target}, false);
    const float weight = values_[static_cast<size_t>(picked)];
    const Above over_weight = CountAbove(weight);
    if (Accepts(over_weight)) break;
    const float middle = (weight + high) * 0.5f;
    const Above over_middle = CountAbove(middle);
    const bool middle_accepts = Accepts(over_middle);
    low = middle_accepts ? weight : middle;
    high = middle_accepts ? middle : high;
    mass = middle_accepts ? over_weight.mass : over_middle.mass;
    if (middle_accepts) CountAbove(low);  // leaves its mask behind
    masked_cdf_.Prepare({masked_.data(), values_.size()}, shape_);
  }
  return picked;
}

}  // namespace assay::host
