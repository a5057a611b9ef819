#ifndef ASSAY_GPU_VERIFY_CHAIN_CUH_
#define ASSAY_GPU_VERIFY_CHAIN_CUH_

#include "gpu/verify_draw.cuh"

// What the verifiers of chains by laws share. Rows count inside the request.
namespace assay::gpu {

// max(factor target - draft, 0), 0 at the removed id, each rounded to fp32.
struct Residual {
  static constexpr int kFlight = 2;

  Row<float> target, draft;  // `draft` without data: nothing is taken away
  float factor;
  int32_t removed;
  float target_scale = 1, draft_scale = 1;

  struct Pair {
    Four<float> p, q;
  };
  __device__ int64_t Columns() const { return target.columns; }
  __device__ Pair Load(int64_t first) const {
    Pair pair = {};
    target.Load(first, pair.p.value, 0);
    if (draft.data != nullptr) draft.Load(first, pair.q.value, 0);
    return pair;
  }
  __device__ void Weigh(int64_t first, const Pair& pair, Seen (&seen)[kSeenRows],
                        float (&w)[kOwn]) const {
    for (int j = 0; j < kOwn; ++j)
      w[j] = __fmul_rn(factor, seen[0].Weigh(pair.p.value[j], target_scale));
    if (draft.data != nullptr) {
      for (int j = 0; j < kOwn; ++j)
        w[j] = fmaxf(__fsub_rn(w[j], seen[1].Weigh(pair.q.value[j], draft_scale)), 0);
    }
    if (static_cast<uint64_t>(removed - first) >= kOwn) return;
    for (int j = 0; j < kOwn; ++j)
      if (first + j == removed) w[j] = 0;
  }
  __device__ bool Rescale(const RowsSeen& seen) {
    target_scale = seen.Scale(0);
    draft_scale = seen.Scale(1);
    return target_scale != 1 || draft_scale != 1;
  }
  // A draft row without mass takes nothing away.
  __device__ uint8_t Status(const RowsSeen& seen) const {
    const uint8_t status = seen.Status(0), taken = seen.Status(1);
    return status != kRowOk || taken == kRowEmpty ? status : taken;
  }
  __device__ Row<float> Target() const { return target; }
};

struct Chain {
  const VerifyArgs& args;
  Request request;

  __device__ int64_t Drafts() const { return request.rows - 1; }
  __device__ int32_t Draft(int64_t row) const { return args.candidates[request.first + row + 1]; }
  __device__ DraftId Kind(int64_t row) const { return KindOf(Draft(row), args.columns); }
  __device__ Row<float> Target(int64_t row) const {
    return {args.target.Row(request.first + row), args.columns};
  }

  // What is left of a row: all of it; after the rejection of its draft, a token, what the draft row
  // leaves, or the row without the token where there is no draft row.
  __device__ Residual Left(int64_t row, bool rejected, float factor) const {
    const bool take = rejected && args.draft.data != nullptr;
    const Row<float> draft(take ? args.draft.Row(request.first + row) : nullptr,
                           take ? args.columns : 0);
    return {Target(row), draft, factor, rejected && !take ? Draft(row) : -1};
  }
};

// Drafts that are accepted and the token after them.
struct Answer {
  int64_t accepted = 0;
  Drawn last;
};

// The first of `count` rows that does not pass, or `count`: a row a lane. Called by all lanes.
template <typename Passes>
__device__ int64_t FirstNot(int64_t count, Passes passes) {
  for (int64_t first = 0;; first += 32) {
    const int64_t row = first + Lane();
    const uint32_t ends = __ballot_sync(kAllLanes, !(row < count && passes(row)));
    if (ends != 0) return first + __ffs(static_cast<int>(ends)) - 1;
  }
}

// Drafts are tested up to the first that is no token or does not pass. `last` draws the token.
template <typename Passes>
__device__ Answer RunChain(Team& team, const Shape& shape, const Chain& chain, double last,
                           Passes passes) {
  const int64_t row = FirstNot(chain.Drafts(), [&](int64_t tested) {
    return chain.Kind(tested) == DraftId::kToken && passes(tested);
  });
  const DraftId kind = row == chain.Drafts() ? DraftId::kNone : chain.Kind(row);
  if (kind == DraftId::kBad) return {row, {}};
  const Residual left = chain.Left(row, kind == DraftId::kToken, 1);
  return {row, DrawLeft(team, shape, left, last)};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_CHAIN_CUH_
