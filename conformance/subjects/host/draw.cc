#include "conformance/subjects/host/draw.h"

#include <algorithm>

#include "conformance/subjects/host/row.h"

namespace assay::host {
namespace {

bool Above(double prefix, double target, bool reach) {
  return reach ? prefix >= target : prefix > target;
}

// The entries above `pivot`, with their ids, or positions where `ids` is null.
void SelectAbove(std::span<const float> values, const int32_t* ids, float pivot, Tokens& out) {
  out.value.resize(values.size() + kChunk);
  out.id.resize(values.size());
  size_t count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    out.value[count] = values[i];
    out.id[count] = ids == nullptr ? static_cast<int32_t>(i) : ids[i];
    count += static_cast<unsigned>(values[i] > pivot);
  }
  out.id.resize(count);
  const auto padded = static_cast<size_t>(RoundUp(static_cast<int64_t>(count), kChunk));
  std::fill(out.value.begin() + static_cast<int64_t>(count),
            out.value.begin() + static_cast<int64_t>(padded), 0.0f);
}

}  // namespace

void InverseCdf::Prepare(std::span<const float> values, const SumShape& shape) {
  values_ = values;
  shape_ = shape;
  ScanTiles(values, shape, tiles_);
  last_ = std::ssize(values) - 1;
  while (last_ >= 0 && !(values[static_cast<size_t>(last_)] > 0)) --last_;
  through_.resize(values.size() / kGroup + 1);
  made_.assign(tiles_.sum.size(), 0);
}

int64_t InverseCdf::Pick(double target, bool reach) {
  for (size_t tile = 0; tile < tiles_.sum.size(); ++tile) {
    if (Above(tiles_.after[tile], target, reach) && tiles_.sum[tile] > 0) {
      return PickInside(tile, target, reach);
    }
  }
  return last_;
}

const float* InverseCdf::GroupPrefixes(size_t tile) {
  const int64_t begin = static_cast<int64_t>(tile) * shape_.tile;
  float* through = through_.data() + begin / kGroup;
  if (made_[tile] == 0) {
    const int64_t end = std::min<int64_t>(begin + shape_.tile, std::ssize(values_));
    ScanGroups(values_.data() + begin, (end - begin + kGroup - 1) / kGroup, through);
    made_[tile] = 1;
  }
  return through;
}

int64_t InverseCdf::PickInside(size_t tile, double target, bool reach) {
  const float* through = GroupPrefixes(tile);
  const float before = tiles_.before[tile];
  const int64_t begin = static_cast<int64_t>(tile) * shape_.tile;
  const int64_t end = std::min<int64_t>(begin + shape_.tile, std::ssize(values_));
  for (int64_t g = 0; begin + g * kGroup < end; ++g) {
    if (!Above(before + through[g], target, reach)) continue;
    const float base = g == 0 ? 0.0f : through[g - 1];
    const int64_t picked = PickInGroup(begin + g * kGroup, before + base, target, reach);
    if (picked >= 0) return picked;
  }
  int64_t last = end - 1;  // rounding: the tile's sum is above the target, no prefix inside it is
  while (!(values_[static_cast<size_t>(last)] > 0)) --last;
  return last;
}

int64_t InverseCdf::PickInGroup(int64_t begin, float before, double target, bool reach) const {
  float prefix[kGroup];
  const float* value = values_.data() + begin;
  ScanGroup(value, prefix);
  int64_t last = -1;
  for (int i = 0; i < kGroup; ++i) {
    if (!(value[i] > 0)) continue;
    last = begin + i;
    if (Above(before + prefix[i], target, reach)) break;
  }
  return last;
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

RejectionLoop::Above RejectionLoop::CountAbove(std::span<const float> values, float pivot) {
  Above above;
  const int64_t chunks = RoundUp(std::ssize(values), kChunk) / kChunk;
  const int64_t chunks_a_tile = shape_.tile / kChunk;
  tile_mass_.clear();
  for (int64_t begin = 0; begin < chunks; begin += chunks_a_tile) {
    const int64_t count = std::min(chunks_a_tile, chunks - begin);
    const TileAbove tile = SumAbove(values.data() + begin * kChunk, count, pivot, shape_.lanes);
    tile_mass_.push_back(tile.mass);
    above.count += tile.count;
  }
  above.mass = JoinTiles(tile_mass_, shape_);
  return above;
}

bool RejectionLoop::Accepts(const Above& above) const {
  return above.count < top_k_ && (!use_top_p_ || above.mass < mass_limit_);
}

int64_t RejectionLoop::Draw(const std::function<double(uint64_t)>& uniform) {
  float low = 0, high = highest_, mass = first_mass_;
  std::span<const float> values = values_;
  int64_t picked = -1;
  for (uint64_t round = 0; low < high; ++round) {
    InverseCdf& cdf = round == 0 ? whole_ : narrowed_cdf_;
    if (cdf.Empty()) break;
    const float target = static_cast<float>(uniform(round)) * mass;
    const auto position = static_cast<size_t>(cdf.Pick(double{target}, false));
    picked = round == 0 ? static_cast<int64_t>(position) : narrowed_.id[position];
    const float weight = values[position];
    const Above over_weight = CountAbove(values, weight);
    if (Accepts(over_weight)) break;
    const float middle = (weight + high) * 0.5f;
    const Above over_middle = CountAbove(values, middle);
    const bool middle_accepts = Accepts(over_middle);
    low = middle_accepts ? weight : middle;
    high = middle_accepts ? middle : high;
    mass = middle_accepts ? over_weight.mass : over_middle.mass;
    SelectAbove(values, round == 0 ? nullptr : narrowed_.id.data(), low, next_);
    std::swap(narrowed_, next_);
    values = narrowed_.Values();
    narrowed_cdf_.Prepare(values, shape_);
  }
  return picked;
}

}  // namespace assay::host
