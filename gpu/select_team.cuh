#ifndef ASSAY_GPU_SELECT_TEAM_CUH_
#define ASSAY_GPU_SELECT_TEAM_CUH_

#include "gpu/few.cuh"
#include "gpu/filter.cuh"

// The cuts of select.cuh over a team's cached weights. A block counts its own entries; the masses
// of a bin are exact sums of integers in two halves of 32 bits; each block joins a range of the
// bins and looks for the cut there.
namespace assay::gpu {

// The bins of a digit, of this block. A weight has no sign: the first digit has 10 bits.
class TeamBins {
 public:
  static constexpr int kSplit = kBins / 2;  // bins of a digit whose masses are kept

  __device__ static TeamBins Shared() {
    __shared__ alignas(uint64_t) uint32_t words[kBins];
    return TeamBins(words);
  }
  __device__ void Clear() const {
    for (int i = threadIdx.x; i < kBins; i += kThreads) words_[i] = 0;
    __syncthreads();
  }
  __device__ void AddOne(uint32_t bin) const { atomicAdd(&words_[bin], 1u); }
  __device__ void AddMass(uint32_t bin, uint32_t key) const {
    const uint32_t significand = Significand(key);
    atomicAdd(&words_[bin], significand & kLow);
    atomicAdd(&words_[kSplit + bin], significand >> kLowBits);
  }
  static_assert(kBins * sizeof(uint32_t) >= Few::kBytes);
  __device__ void* Memory() const { return words_; }
  // Over the team.
  __device__ int CountOf(const Team& team, int bin) const {
    return static_cast<int>(Sum(team, bin));
  }
  __device__ int64_t MassOf(const Team& team, int bin) const {
    return Sum(team, bin) + (int64_t{Sum(team, kSplit + bin)} << kLowBits);
  }

 private:
  static constexpr int kLowBits = 12;
  static constexpr uint32_t kLow = (1u << kLowBits) - 1;
  static_assert(Shape::kMost * kMostBlocks << kLowBits <= int64_t{UINT32_MAX},
                "a half does not overflow");

  __device__ explicit TeamBins(uint32_t* words) : words_(words) {}
  __device__ uint32_t Sum(const Team& team, int word) const {
    uint32_t sum = 0;
#pragma unroll 8
    for (int block = 0; block < team.Size(); ++block) sum += *Team::In(block, words_ + word);
    return sum;
  }
  uint32_t* words_;
};

// As FindBin of select.cuh, over the team: kept(before, all).
template <typename T, typename Sum, typename Kept>
__device__ Found<T> FindBinOfTeam(Team& team, int bins, Sum sum, Kept kept) {
  const int range = bins / team.Size(), each = (range + kThreads - 1) / kThreads;
  const int own_place = static_cast<int>(threadIdx.x) * each;  // in the range
  const int highest = bins - 1 - team.Rank() * range;          // bin of place 0
  T own[kOwnBins], mine = 0;
  for (int i = 0; i < kOwnBins; ++i) {
    const bool inside = i < each && own_place + i < range;
    own[i] = inside ? sum(highest - own_place - i) : T{0};
    mine += own[i];
  }
  const Prefix<T> prefix = Scan(mine);
  const T* totals = team.Exchange(prefix.total, threadIdx.x == 0);
  T before = 0, all = 0;
  for (int block = 0; block < team.Size(); ++block) {
    if (block == team.Rank()) before = all;
    all += totals[block];
  }
  before += prefix.before;
  uint32_t last = 0;  // place + 1 of the last bin with a kept token
  Found<T> found = {UINT32_MAX, 0, 0, all};
  for (int i = 0; i < kOwnBins; ++i) {
    if (own[i] > 0 && kept(before, all)) {
      last = static_cast<uint32_t>(own_place + i + 1);
      found = {static_cast<uint32_t>(highest - own_place - i), before, own[i], all};
    }
    before += own[i];
  }
  const uint32_t lowest = Reduce(last, Larger());
  const bool speaks = lowest == 0 ? threadIdx.x == 0 : last == lowest;
  const Found<T>* answers = team.Exchange(found, speaks);
  int block = team.Size() - 1;
  while (block > 0 && answers[block].bin == UINT32_MAX) --block;
  return answers[block];
}

// Finds cuts among a team's weights. Digits as in select.cuh.
class TeamSelector {
 public:
  // `half_largest`: a weight of the fours of this half of a warp. Cuts by small counts are fast if
  // it is the largest.
  __device__ TeamSelector(Team& team, const Cache& cache, float half_largest)
      : team_(team),
        cache_(cache),
        half_largest_(half_largest),
        bins_(TeamBins::Shared()),
        few_(bins_.Memory()) {}

  __device__ Cut CutByCount(int64_t wanted) {
    if (wanted > Smaller()(2 * team_.Warps(), Few::kMostKept)) return CutAt(ByCount(Cut{}, wanted));
    const Cut floor = AtLeast(static_cast<int>(wanted));
    if (few_.Collect(team_, cache_, FastCut(floor))) return few_.Keep(static_cast<int>(wanted));
    team_.Meet();  // the bins lie where the few were
    const Place place = ByCount(floor, wanted);
    return place.key == 0 ? floor : CutAt(place);
  }
  // Among what `within` keeps: all, or the last cut by count. What that one drops is dropped.
  __device__ Cut CutByMass(const Cut& within, double share) {
    if (few_.Size() == 0) return CutAt(ByMass(within, share));
    return few_.CutByMass(share, within.last < 0 ? MassOf(team_, cache_) : 0);
  }

 private:
  // f(key) for the keys that start with `prefix`, of the bits above the digit.
  template <typename F>
  __device__ void ForKeys(Digit digit, uint32_t prefix, const Cut& within, F f) const {
    bins_.Clear();
    const int above = digit.shift + digit.width;
    const FastCut fast(within);
    const uint32_t beyond = above == 32 ? UINT32_MAX : prefix + (1u << above);
    const uint32_t least = Larger()(prefix, fast.least);
    const uint32_t span = beyond > least ? beyond - least : 0;
    cache_.ForOwn([&](int first, const float(&x)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) {
        const uint32_t key = __float_as_uint(x[j]);
        if (key - least < span && (!fast.by_id || fast.Keeps(key, first + j))) f(key);
      }
    });
    team_.Meet();
  }
  __device__ static int BinsOf(int pass) {
    return pass == 0 ? TeamBins::kSplit : 1 << DigitOf(pass).width;
  }

  // As PlaceByCount. Key 0: `within` keeps no more than that.
  __device__ Place ByCount(const Cut& within, int64_t wanted) const {
    Place place;
    int above = 0;
    for (int pass = 0; pass < kDigits; ++pass) {
      const Digit digit = DigitOf(pass);
      ForKeys(digit, place.key, within, [&](uint32_t key) { bins_.AddOne(digit.Of(key)); });
      const auto found = FindBinOfTeam<int>(
          team_, BinsOf(pass), [&](int bin) { return bins_.CountOf(team_, bin); },
          [&](int before, int) { return above + before < wanted; });
      if (pass == 0 && found.all <= wanted) return {};
      place.key |= found.bin << digit.shift;
      above += found.before;
      place.count = found.inside;
    }
    place.ties = wanted - above;
    return place;
  }

  // As PlaceByMass. The last digit names the key: there a count is a mass.
  __device__ Place ByMass(const Cut& within, double share) const {
    Place place;
    double above = 0, target = 0, inside = 0;
    for (int pass = 0; pass < kDigits; ++pass) {
      const Digit digit = DigitOf(pass);
      const bool by_count = pass == kDigits - 1;
      if (by_count)
        ForKeys(digit, place.key, within, [&](uint32_t key) { bins_.AddOne(digit.Of(key)); });
      else
        ForKeys(digit, place.key, within, [&](uint32_t key) { bins_.AddMass(digit.Of(key), key); });
      const auto mass = [&](int bin) {
        const uint32_t key = place.key | static_cast<uint32_t>(bin) << digit.shift;
        const int64_t units = by_count ? int64_t{bins_.CountOf(team_, bin)} * Significand(key)
                                       : bins_.MassOf(team_, bin);
        return units == 0 ? 0 : static_cast<double>(units) * UnitOf(key);
      };
      const auto found =
          FindBinOfTeam<double>(team_, BinsOf(pass), mass, [&](double before, double all) {
            return above + before < (pass == 0 ? share * all : target);
          });
      if (pass == 0) {
        target = share * found.all;
        if (found.all < target) return {};
      }
      place.key |= found.bin << digit.shift;
      above += found.before;
      inside = found.inside;
    }
    return PlaceWithin(place.key, target, above, inside);
  }

  // As CutOf.
  __device__ Cut CutAt(const Place& place) const {
    if (place.key == 0) return {};
    if (place.ties >= place.count) return {place.key, INT32_MAX};
    int count = 0;
    cache_.ForOwn([&](int, const float(&x)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) count += __float_as_uint(x[j]) == place.key;
    });
    count = Team::Butterfly(count, Plus());
    const ChunkSums<int> counts(team_.Gather(count), team_.Warps());
    const auto wanted = static_cast<int>(place.ties);
    const auto found = counts.First([&](int through) { return through >= wanted; });
    const int32_t last =
        found.chunk == team_.Chunk() ? IdOfTie(place.key, wanted - found.before) : 0;
    return {place.key, team_.Gather(last)[found.chunk]};
  }

  // The `wanted`-th token of this chunk with this key; in all lanes.
  __device__ int32_t IdOfTie(uint32_t key, int wanted) const {
    for (int tile = 0; tile < cache_.count; tile += 32) {
      const int i = tile + Lane();
      const float4 four = i < cache_.count ? cache_.fours[i] : float4{};
      const float x[kOwn] = {four.x, four.y, four.z, four.w};
      int own = 0;
      for (int j = 0; j < kOwn; ++j) own += __float_as_uint(x[j]) == key;
      int through = own;
      for (int apart = 1; apart < 32; apart *= 2) {
        const int lower = __shfl_up_sync(kAllLanes, through, apart);
        if (Lane() >= apart) through += lower;
      }
      const uint32_t reached = __ballot_sync(kAllLanes, through >= wanted);
      if (reached != 0) {
        int rank = through - own, id = 0;
        for (int j = 0; j < kOwn; ++j)
          if (__float_as_uint(x[j]) == key && ++rank == wanted) id = cache_.first + i * kOwn + j;
        return __shfl_sync(kAllLanes, id, __ffs(static_cast<int>(reached)) - 1);
      }
      wanted -= __shfl_sync(kAllLanes, through, 31);
    }
    return 0;
  }

  // Keeps the `wanted` largest weights and few others: what reaches the wanted-th largest of the
  // largest weights of chunks, or of halves of them. `wanted` is at most the number of halves.
  __device__ Cut AtLeast(int wanted) const {
    const uint32_t key = __float_as_uint(half_largest_);
    const uint32_t other = __shfl_xor_sync(kAllLanes, key, 16);
    const bool by_halves = wanted > team_.Warps();
    const auto* halves = reinterpret_cast<const uint32_t*>(
        team_.Gather(Lane() < 16 ? uint64_t{other} << 32 | key : uint64_t{key} << 32 | other));
    const int parts = team_.Warps() << static_cast<int>(by_halves);
    const auto part_key = [&](int part) {
      return by_halves ? halves[part] : Larger()(halves[2 * part], halves[2 * part + 1]);
    };
    constexpr int kOwnParts = 2 * kMostWarps / 32;
    uint32_t own[kOwnParts];
    for (int i = 0; i < kOwnParts; ++i) {
      const int part = i * 32 + Lane();
      own[i] = part < parts ? part_key(part) : 0;
    }
    // A warp ranks some of the keys; equal ones in any order.
    __shared__ uint32_t floor;
    for (int part = Warp(); part < parts; part += kWarps) {
      const uint32_t ranked = part_key(part);
      int above = 0, equal = 0;
      for (int i = 0; i < kOwnParts; ++i) {
        if (i * 32 >= parts) break;
        above += __popc(__ballot_sync(kAllLanes, own[i] > ranked));
        equal += __popc(__ballot_sync(kAllLanes, own[i] == ranked));
      }
      if (above < wanted && wanted <= above + equal && Lane() == 0) floor = ranked;
    }
    __syncthreads();
    return floor == 0 ? Cut{} : Cut{floor, INT32_MAX};
  }

  Team& team_;
  const Cache& cache_;
  float half_largest_;
  TeamBins bins_;
  Few few_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SELECT_TEAM_CUH_
