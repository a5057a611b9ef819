#include "conformance/subjects/host/sums.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "conformance/subjects/host/philox.h"
#include "conformance/subjects/host/row.h"

namespace assay::host {
namespace {

template <int kWidth>
void FoldHalves(float* __restrict lane) {
  float upper[kWidth];
  for (int i = 0; i < kWidth; ++i) upper[i] = lane[i + kWidth];
  for (int i = 0; i < kWidth; ++i) lane[i] += upper[i];
}

float JoinButterfly(float* lane) {
  FoldHalves<64>(lane);
  FoldHalves<32>(lane);
  FoldHalves<16>(lane);
  FoldHalves<8>(lane);
  FoldHalves<4>(lane);
  FoldHalves<2>(lane);
  FoldHalves<1>(lane);
  return lane[0];
}

float JoinNeighbours(float* lane) {
  for (int width = kChunk / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lane[i] = lane[2 * i] + lane[2 * i + 1];
  }
  return lane[0];
}

float Join(float* lane, Lanes lanes) {
  return lanes == Lanes::kButterfly ? JoinButterfly(lane) : JoinNeighbours(lane);
}

float PairwiseSum(std::vector<float> values) {
  size_t count = values.size();
  while (count > 1) {
    const size_t half = count / 2, odd = count % 2;
    for (size_t i = 0; i < half; ++i) values[i] = values[2 * i] + values[2 * i + 1];
    if (odd != 0) values[half] = values[count - 1];
    count = half + odd;
  }
  return values.empty() ? 0.0f : values[0];
}

// A fixed pseudo-random order of the tiles.
std::vector<int32_t> AnyOrder(size_t tiles) {
  std::vector<int32_t> order(tiles);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [](int32_t a, int32_t b) {
    return SplitMix64(static_cast<uint64_t>(a)) < SplitMix64(static_cast<uint64_t>(b));
  });
  return order;
}

void ScanSequentially(TileSums& out) {
  float running = 0;
  for (size_t t = 0; t < out.sum.size(); ++t) {
    out.before[t] = running;
    running += out.sum[t];
    out.after[t] = running;
  }
  out.total = running;
}

void ScanByTree(TileSums& out) {
  const size_t count = out.sum.size();
  out.after = out.sum;
  for (size_t step = 1; step < count; step *= 2) {
    for (size_t t = count; t-- > step;) out.after[t] += out.after[t - step];
  }
  for (size_t t = 0; t < count; ++t) out.before[t] = t == 0 ? 0.0f : out.after[t - 1];
  out.total = out.after.back();
}

void ScanBlelloch(TileSums& out) {
  const size_t count = out.sum.size();
  size_t size = 1;
  while (size < count) size *= 2;
  std::vector<float> node(size, 0.0f);
  std::copy(out.sum.begin(), out.sum.end(), node.begin());
  for (size_t step = 1; step < size; step *= 2) {
    for (size_t i = 2 * step - 1; i < size; i += 2 * step) node[i] += node[i - step];
  }
  out.total = node[size - 1];
  node[size - 1] = 0;
  for (size_t step = size / 2; step > 0; step /= 2) {
    for (size_t i = 2 * step - 1; i < size; i += 2 * step) {
      const float left = node[i - step];
      node[i - step] = node[i];
      node[i] += left;
    }
  }
  for (size_t t = 0; t < count; ++t) {
    out.before[t] = node[t];
    out.after[t] = t + 1 < count ? node[t + 1] : out.total;
  }
}

void ScanInAnyOrder(TileSums& out) {
  const size_t count = out.sum.size();
  const std::vector<int32_t> order = AnyOrder(count);
  for (size_t t = 0; t < count; ++t) {
    float running = 0;
    for (const int32_t other : order) {
      if (static_cast<size_t>(other) <= t) running += out.sum[static_cast<size_t>(other)];
    }
    out.after[t] = running;
    out.before[t] = t == 0 ? 0.0f : out.after[t - 1];
  }
  out.total = out.after.back();
}

void FillTiles(std::span<const float> values, const SumShape& shape, std::vector<float>& sum) {
  const auto count = static_cast<int64_t>(values.size());
  sum.resize(static_cast<size_t>((count + shape.tile - 1) / shape.tile));
  for (size_t t = 0; t < sum.size(); ++t) {
    const int64_t begin = static_cast<int64_t>(t) * shape.tile;
    const int64_t end = std::min<int64_t>(begin + shape.tile, RoundUp(count, kChunk));
    sum[t] = TileSum(values.data() + begin, (end - begin) / kChunk, shape.lanes);
  }
}

template <int kStep>
void ScanStep(float* __restrict value) {
  float shifted[kGroup];
  for (int i = 0; i < kGroup; ++i) shifted[i] = 0.0f;
  std::memcpy(shifted + kStep, value, (kGroup - kStep) * sizeof(float));
  for (int i = 0; i < kGroup; ++i) value[i] += shifted[i];
}

}  // namespace

SumShape ShapeFor(const Config& config, int64_t rows) {
  SumShape shape{
      .tile = config.numerics.tile, .scan = config.numerics.scan, .lanes = config.numerics.lanes};
  if (config.profile.batch == Batch::kMayDiffer && rows > 8) {
    shape.tile = 4096;
    shape.lanes = Lanes::kNeighbours;
  }
  return shape;
}

float TileSum(const float* values, int64_t chunks, Lanes lanes) {
  float lane[kChunk];
  std::memcpy(lane, values, sizeof(lane));
  for (int64_t c = 1; c < chunks; ++c) {
    const float* __restrict chunk = values + c * kChunk;
    for (int i = 0; i < kChunk; ++i) lane[i] += chunk[i];
  }
  return Join(lane, lanes);
}

float Total(std::span<const float> values, const SumShape& shape) {
  std::vector<float> sum;
  FillTiles(values, shape, sum);
  return JoinTiles(std::move(sum), shape);
}

float JoinTiles(std::vector<float> sums, const SumShape& shape) {
  if (shape.scan != Scan::kAnyTileOrder) return PairwiseSum(std::move(sums));
  float running = 0;
  for (const int32_t t : AnyOrder(sums.size())) running += sums[static_cast<size_t>(t)];
  return running;
}

TileAbove SumAbove(const float* values, int64_t chunks, float pivot, Lanes lanes) {
  float lane[kChunk] = {};
  int32_t count[kChunk] = {};
  for (int64_t c = 0; c < chunks; ++c) {
    const float* __restrict chunk = values + c * kChunk;
    for (int i = 0; i < kChunk; ++i) {
      lane[i] += chunk[i] > pivot ? chunk[i] : 0.0f;
      count[i] += chunk[i] > pivot ? 1 : 0;
    }
  }
  return {.mass = Join(lane, lanes), .count = std::accumulate(count, count + kChunk, int64_t{0})};
}

void ScanTiles(std::span<const float> values, const SumShape& shape, TileSums& out) {
  FillTiles(values, shape, out.sum);
  out.before.resize(out.sum.size());
  out.after.resize(out.sum.size());
  out.total = 0;
  if (out.sum.empty()) return;
  switch (shape.scan) {
    case Scan::kSequentialTiles: return ScanSequentially(out);
    case Scan::kTree: return ScanByTree(out);
    case Scan::kBlelloch: return ScanBlelloch(out);
    case Scan::kAnyTileOrder: return ScanInAnyOrder(out);
  }
}

void ScanGroup(const float* values, float* prefix) {
  std::memcpy(prefix, values, kGroup * sizeof(float));
  ScanStep<1>(prefix);
  ScanStep<2>(prefix);
  ScanStep<4>(prefix);
  ScanStep<8>(prefix);
  ScanStep<16>(prefix);
}

void ScanGroups(const float* values, int64_t groups, float* through) {
  float prefix[kGroup];
  for (int64_t g = 0; g < groups; ++g) {
    ScanGroup(values + g * kGroup, prefix);
    through[g] = prefix[kGroup - 1];
  }
  for (int64_t step = 1; step < groups; step *= 2) {
    for (int64_t g = groups; g-- > step;) through[g] += through[g - step];
  }
}

void ScanInside(const float* values, int64_t count, float* prefix) {
  const int64_t groups = count / kGroup;
  float through[4096 / kGroup];
  ScanGroups(values, groups, through);
  for (int64_t g = 0; g < groups; ++g) {
    float* group = prefix + g * kGroup;
    ScanGroup(values + g * kGroup, group);
    const float base = g == 0 ? 0.0f : through[g - 1];
    for (int i = 0; i < kGroup; ++i) group[i] += base;
  }
}

}  // namespace assay::host
