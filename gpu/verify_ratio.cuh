#ifndef ASSAY_GPU_VERIFY_RATIO_CUH_
#define ASSAY_GPU_VERIFY_RATIO_CUH_

#include <cfloat>

#include "gpu/philox.cuh"
#include "gpu/verify.cuh"

// What the verifiers that test by p / q share. Rows count inside the request.
namespace assay::gpu {

// A request's coins: those given, or its stream's: word 0 draws the last token, word 1 + i tests
// the draft of row i.
struct Coins {
  const VerifyArgs& args;
  int64_t request, first;

  __device__ double Test(int64_t row) const {
    return args.coins == nullptr ? Word(1 + row) : args.coins[first + row];
  }
  __device__ double Last() const {
    return args.coins == nullptr ? Word(0) : args.final_coins[request];
  }
  __device__ double Word(int64_t place) const {
    const uint64_t offset = args.offset[request] + static_cast<uint64_t>(place);
    return UniformOf(PhiloxWord(args.seed[request], offset));
  }
};

// What target and draft give a draft; p = 0 where its test must reject.
struct Ratio {
  float p, q;

  __device__ bool Passes(double uniform) const {
    return p > 0 && uniform * static_cast<double>(q) < static_cast<double>(p);
  }
};

// max(scale target - draft, 0), 0 at the removed id, each rounded to fp32.
struct Residual {
  ProbWeights<float> target, draft;  // without a row: nothing is taken away
  float scale;
  int32_t removed;

  __device__ int64_t Columns() const { return target.Columns(); }
  __device__ void Load(int64_t first, float (&w)[kOwn]) const {
    float q[kOwn] = {};
    target.Load(first, w);
    if (draft.row.data != nullptr) draft.Load(first, q);
    for (int j = 0; j < kOwn; ++j) {
      const float left = __fsub_rn(__fmul_rn(scale, w[j]), q[j]);
      w[j] = left > 0 && first + j != removed ? left : 0.0f;
    }
  }
};

// What a last token is drawn from, or the status of a row that gives none.
struct Left {
  uint8_t status;
  ProbWeights<float> target;
  Residual residual;

  __device__ float Mass() const { return status == kRowOk ? Total(residual) : 0.0f; }
  __device__ Drawn Draw(double uniform) const {
    if (status != kRowOk) return {-1, status};
    return DrawLeft(target, residual, uniform);
  }
};

struct Chain {
  const VerifyArgs& args;
  Request request;

  __device__ int64_t Drafts() const { return request.rows - 1; }
  __device__ int32_t Draft(int64_t row) const { return args.candidates[request.first + row + 1]; }
  __device__ DraftId Kind(int64_t row) const { return KindOf(Draft(row), args.columns); }

  // Of a draft that is a token.
  __device__ Ratio RatioOf(int64_t row) const {
    constexpr float kLargest = 1 + 0x1p-22f;  // a rounded softmax may reach it
    const int64_t at = request.first + row;
    const int32_t id = Draft(row);
    const float p = args.target.Row(at)[id];
    const float q = args.draft.data == nullptr ? 1 : args.draft.Row(at)[id];
    const bool sound = p >= 0 && p <= FLT_MAX && q >= 0 && q <= kLargest;
    return {sound ? p : 0, q};
  }

  // The whole target row.
  __device__ Left Whole(int64_t row) const { return Read(row, 1, false, -1); }
  // After the rejection of a token: without it where there is no draft row.
  __device__ Left Rejected(int64_t row, float scale) const {
    const bool take = args.draft.data != nullptr;
    return Read(row, scale, take, take ? -1 : Draft(row));
  }

 private:
  // A draft row without mass takes nothing away.
  __device__ Left Read(int64_t row, float scale, bool take, int32_t removed) const {
    const int64_t at = request.first + row;
    const Row<float> target(args.target.Row(at), args.columns);
    const Row<float> draft(take ? args.draft.Row(at) : nullptr, take ? args.columns : 0);
    const ProbStats stats = StatsOfProbs(target), taken = StatsOfProbs(draft);
    const bool drafted = taken.status == kRowOk || taken.status == kRowEmpty;
    const uint8_t status = stats.status != kRowOk || drafted ? stats.status : taken.status;
    const ProbWeights<float> weights{target, stats.scale};
    return {status, weights, {weights, {draft, taken.scale}, scale, removed}};
  }
};

// Drafts that are accepted and the token after them.
struct Answer {
  int64_t accepted;
  Drawn last;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_RATIO_CUH_
