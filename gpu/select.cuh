#ifndef ASSAY_GPU_SELECT_CUH_
#define ASSAY_GPU_SELECT_CUH_

#include "gpu/weights.cuh"

// Cuts of filters by a radix over the bits of the weights, 11, 10 and 11 a pass. The weights of a
// bin of the first pass share an exponent, so that a bin's mass is an exact sum of integers, in any
// order of its additions; bins meet in double. No fp32 addition is made.
namespace assay::gpu {

struct Digit {
  int shift, width;
  __device__ uint32_t Of(uint32_t key) const { return (key >> shift) & ((1u << width) - 1); }
};
inline constexpr int kBins = 1 << 11;
inline constexpr int kOwnBins = kBins / kThreads;

// Where the cut lies: at `key`, of whose `count` equal tokens the first `ties` are kept.
struct Place {
  uint32_t key = 0;
  int64_t ties = 0, count = 0;
};

// Bins of one digit. 16 KiB of shared memory.
struct Histogram {
  unsigned long long* bins;

  __device__ static Histogram Shared() {
    __shared__ unsigned long long bins[kBins];
    return {bins};
  }
  __device__ void Clear() const {
    for (int i = threadIdx.x; i < kBins; i += kThreads) bins[i] = 0;
    __syncthreads();
  }
};

// weight(key) of the keys that start with `prefix` (of the bits above the digit), by digit. Source:
// Columns() and LoadKeys(first, keys), 0 where there is none.
template <typename Source, typename Weight>
__device__ void Count(const Source& source, Digit digit, uint32_t prefix, Weight weight,
                      const Histogram& histogram) {
  histogram.Clear();
  const int above = digit.shift + digit.width;
  ForOwn(source.Columns(), [&](int64_t first) {
    uint32_t key[kOwn];
    source.LoadKeys(first, key);
    for (int j = 0; j < kOwn; ++j) {
      const bool inside = above == 32 || key[j] >> above == prefix >> above;
      if (key[j] != 0 && inside) {
        atomicAdd(&histogram.bins[digit.Of(key[j])],
                  static_cast<unsigned long long>(weight(key[j])));
      }
    }
  });
  __syncthreads();
}

// Bins from the largest down. `kept(before)`: is a token with so much before it kept; it turns
// false once. Gives the lowest bin that is not empty and has a kept token, what is before it, and
// what is in it; `all` in all bins. Sum: of sum(bin).
template <typename T>
struct Found {
  uint32_t bin;
  T before, inside, all;
};
template <typename T, typename Sum, typename Kept>
__device__ Found<T> FindBin(const Histogram& histogram, int width, Sum sum, Kept kept) {
  __shared__ T before_of[2];
  const int bins = 1 << width;
  T own[kOwnBins], mine = 0;
  for (int i = 0; i < kOwnBins; ++i) {  // bin of place p is bins - 1 - p
    const int place = static_cast<int>(threadIdx.x) * kOwnBins + i;
    own[i] = place < bins ? sum(bins - 1 - place) : T{0};
    mine += own[i];
  }
  const Prefix<T> prefix = Scan(mine);
  T before = prefix.before;
  uint32_t last = 0;  // place + 1 of the last bin with a kept token
  T last_before = 0, last_inside = 0;
  for (int i = 0; i < kOwnBins; ++i) {
    if (own[i] > 0 && kept(before)) {
      last = threadIdx.x * kOwnBins + i + 1;
      last_before = before;
      last_inside = own[i];
    }
    before += own[i];
  }
  const uint32_t lowest = Reduce(last, Larger());
  if (last == lowest && last != 0) {
    before_of[0] = last_before;
    before_of[1] = last_inside;
  }
  __syncthreads();
  const Found<T> found = {static_cast<uint32_t>(bins) - lowest, before_of[0], before_of[1],
                          prefix.total};
  __syncthreads();
  return found;
}

inline constexpr int kDigits = 3;
__device__ inline Digit DigitOf(int pass) {
  constexpr Digit kAll[kDigits] = {{21, 11}, {11, 10}, {0, 11}};
  return kAll[pass];
}

// The `wanted` largest keys, wanted >= 1. Key 0: there are no more than that.
template <typename Source>
__device__ Place PlaceByCount(const Source& source, int64_t wanted) {
  const Histogram histogram = Histogram::Shared();
  Place place;
  int64_t above = 0;
  for (int pass = 0; pass < kDigits; ++pass) {
    const Digit digit = DigitOf(pass);
    Count(
        source, digit, place.key, [](uint32_t) { return 1; }, histogram);
    const auto found = FindBin<int64_t>(
        histogram, digit.width, [&](int bin) { return static_cast<int64_t>(histogram.bins[bin]); },
        [&](int64_t before) { return above + before < wanted; });
    if (pass == 0 && found.all <= wanted) return {};
    place.key |= found.bin << digit.shift;
    above += found.before;
    place.count = found.inside;
  }
  place.ties = wanted - above;
  return place;
}

// A weight is Significand(key) 2^Exponent(key).
__device__ inline uint32_t Significand(uint32_t key) {
  return (key & 0x7FFFFFu) | static_cast<uint32_t>(key > 0x7FFFFFu) << 23;
}
__device__ inline double UnitOf(uint32_t key) {
  const int exponent = static_cast<int>(key >> 23);
  return ldexp(1.0, (exponent > 1 ? exponent : 1) - 150);
}

// How many of `count` tokens of weight `value` with mass `above` before them have less than
// `target` before themselves, at least one.
__device__ inline int64_t TiesBelow(double target, double above, double value, int64_t count) {
  const double room = ceil((target - above) / value);
  int64_t ties = room < 1                            ? 1
                 : room > static_cast<double>(count) ? count
                                                     : static_cast<int64_t>(room);
  while (ties > 1 && !(above + static_cast<double>(ties - 1) * value < target)) --ties;
  while (ties < count && above + static_cast<double>(ties) * value < target) ++ties;
  return ties;
}

// Of tokens of weight `key` with mass `inside`, and `above` before them.
__device__ inline Place PlaceWithin(uint32_t key, double target, double above, double inside) {
  const double value = __uint_as_float(key);
  const int64_t count = llrint(inside / value);
  return {key, TiesBelow(target, above, value, count), count};
}

// The tokens with less than `share` of the source's mass before them. Key 0: all of them.
template <typename Source>
__device__ Place PlaceByMass(const Source& source, double share) {
  const Histogram histogram = Histogram::Shared();
  Place place;
  double above = 0, target = 0, inside = 0;
  for (int pass = 0; pass < kDigits; ++pass) {
    const Digit digit = DigitOf(pass);
    Count(source, digit, place.key, Significand, histogram);
    const auto mass = [&](int bin) {
      const uint32_t key = place.key | static_cast<uint32_t>(bin) << digit.shift;
      return static_cast<double>(histogram.bins[bin]) * UnitOf(key);
    };
    if (pass == 0) {
      double own = 0;
      for (int i = 0; i < kOwnBins; ++i) own += mass(static_cast<int>(threadIdx.x) * kOwnBins + i);
      target = share * Reduce(own, Plus());
    }
    const auto found = FindBin<double>(histogram, digit.width, mass,
                                       [&](double before) { return above + before < target; });
    if (pass == 0 && found.all < target) return {};
    place.key |= found.bin << digit.shift;
    above += found.before;
    inside = found.inside;
  }
  return PlaceWithin(place.key, target, above, inside);
}

// The id of the token that is number `ties` (from 1) of those with the place's key.
template <typename Source>
__device__ Cut CutOf(const Source& source, const Place& place) {
  if (place.key == 0) return {};
  if (place.ties >= place.count) return {place.key, INT32_MAX};
  const int64_t columns = source.Columns();
  int64_t seen = 0;
  for (int64_t tile = 0; tile < columns; tile += kTile) {
    const int64_t first = tile + int64_t{kOwn} * threadIdx.x;
    uint32_t key[kOwn] = {};
    if (first < columns) source.LoadKeys(first, key);
    int own = 0;
    for (int j = 0; j < kOwn; ++j) own += key[j] == place.key;
    const Prefix<int> prefix = Scan(own);
    if (seen + prefix.total < place.ties) {
      seen += prefix.total;
      continue;
    }
    uint32_t last = 0;  // id + 1
    int64_t rank = seen + prefix.before;
    for (int j = 0; j < kOwn; ++j)
      if (key[j] == place.key && ++rank == place.ties) last = static_cast<uint32_t>(first + j) + 1;
    return {place.key, static_cast<int32_t>(Reduce(last, Larger()) - 1)};
  }
  return {place.key, INT32_MAX};
}

// The keys of weights: their bits.
template <typename Source>
struct WeightKeys {
  Source source;

  __device__ int64_t Columns() const { return source.Columns(); }
  __device__ void LoadKeys(int64_t first, uint32_t (&key)[kOwn]) const {
    float w[kOwn];
    source.Load(first, w);
    for (int j = 0; j < kOwn; ++j) key[j] = __float_as_uint(w[j]);
  }
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SELECT_CUH_
