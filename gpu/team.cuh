#ifndef ASSAY_GPU_TEAM_CUH_
#define ASSAY_GPU_TEAM_CUH_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/block.cuh"

// The team of a row: a cluster of 1 to 8 blocks. The row is cut into one chunk a warp, in the order
// of ids; the cut is a function of the row's length alone. Values of warps and blocks meet in the
// shared memory of every block, so that all compute the same from them: a meeting is one barrier of
// the cluster. Every function is called by all threads of the team.
namespace assay::gpu {

inline constexpr int kMostBlocks = 8;
inline constexpr int kMostWarps = kMostBlocks * kWarps;
// Blocks that a multiprocessor's registers are shared by. A fourth would spill.
inline constexpr int kResident = 3;

// How rows of one length are cut.
struct Shape {
  int blocks = 1;
  int chunk = 0;  // entries of a warp, a multiple of 4

  // Entries that a block takes before the team grows. Half of it would be a third faster on one row
  // of 32,000, and a fifth to a quarter slower on 256.
  static constexpr int64_t kEasy = 16384;
  static constexpr int64_t kMost = 52 << 10;  // entries that fit into a block's shared memory

  __host__ __device__ constexpr int Bytes() const { return chunk * kWarps * int{sizeof(float)}; }
};
static_assert(Shape::kMost * int64_t{sizeof(float)} + (12 << 10) <= 227 << 10,
              "a slice and what kernels declare fit");
// Whether rows of this length have a team.
constexpr bool HasTeam(int64_t columns) { return columns <= Shape::kMost * kMostBlocks; }
constexpr Shape ShapeOf(int64_t columns) {
  Shape shape;
  while (shape.blocks < kMostBlocks && columns > Shape::kEasy * shape.blocks) shape.blocks *= 2;
  const int64_t warps = int64_t{shape.blocks} * kWarps;
  shape.chunk = static_cast<int>(((columns + warps - 1) / warps + 3) / 4 * 4);
  return shape;
}

#ifdef __CUDACC__
struct Grid {
  dim3 blocks;
  int threads = kThreads;
  int cluster = 1;  // blocks of a cluster
  int bytes = 0;    // dynamic shared memory of a block
};
// kernel(args...). Its blocks may start while the kernel before them ends: they call
// AfterEarlierWork before they touch memory.
template <typename... Args>
cudaError_t LaunchEarly(void (*kernel)(Args...), const Grid& grid, cudaStream_t stream,
                        const Args&... args) {
  constexpr int kPlain = 32 << 10;  // that much, and what kernels declare, needs no leave
  if (grid.bytes > kPlain) {
    const cudaError_t error =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, grid.bytes);
    if (error != cudaSuccess) return error;
  }
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {static_cast<unsigned>(grid.cluster), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks;
  config.blockDim = dim3(static_cast<unsigned>(grid.threads));
  config.dynamicSmemBytes = static_cast<size_t>(grid.bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = grid.cluster > 1 ? 2 : 1;  // clusters of one block start slower than blocks
  return cudaLaunchKernelEx(&config, kernel, args...);
}
// What the stream did before is done, and its next kernel may move in, which waits likewise.
__device__ inline void AfterEarlierWork() {
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
}

class Team {
 public:
  // The other blocks may be written to from the first meeting on.
  __device__ explicit Team(const Shape& shape)
      : size_(shape.blocks), rank_(static_cast<int>(blockIdx.x) % shape.blocks) {
    Arrive();
    AfterEarlierWork();
  }
  __device__ int64_t Row() const { return blockIdx.x / static_cast<unsigned>(size_); }
  __device__ int Size() const { return size_; }
  __device__ int Rank() const { return rank_; }
  __device__ int Warps() const { return size_ * kWarps; }
  // This warp's number in the team, and its chunk's in the row.
  __device__ int Chunk() const { return rank_ * kWarps + Warp(); }
  __device__ bool Leads() const { return rank_ == 0 && threadIdx.x == 0; }

  // Where `mine` lies in block `rank`.
  template <typename T>
  __device__ static T* In(int rank, T* mine) {
    return static_cast<T*>(__cluster_map_shared_rank(mine, static_cast<unsigned>(rank)));
  }
  // What was written to shared memory before, anywhere in the team, is there after.
  __device__ void Meet() {
    Arrive();
    Wait();
  }

  // What every warp says, in the order of chunks, until the meeting after the next. `value` is the
  // same in all lanes.
  template <typename T>
  __device__ const T* Gather(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    T* values = reinterpret_cast<T*>(Buffer(Turn()));
    Begin();
    if (Lane() < size_) *In(Lane(), values + Chunk()) = value;
    Meet();
    return values;
  }
  // What every block says, in the order of ranks; `value` is that of the thread with `speaks`.
  template <typename T>
  __device__ const T* Exchange(const T& value, bool speaks) {
    __shared__ T said[2][kMostBlocks];
    T* values = said[Turn()];
    Begin();
    if (speaks)
      for (int block = 0; block < size_; ++block) *In(block, values + rank_) = value;
    Meet();
    return values;
  }

  // Of all threads; `op` is commutative and op(a, a) is a.
  template <typename T, typename Op>
  __device__ T Join(T value, Op op) {
    const T* values = Gather(Butterfly(value, op));
    value = values[Lane() % Warps()];
    for (int i = 32; i < Warps(); i += 32) value = op(value, values[i + Lane()]);
    return Butterfly(value, op);
  }
  template <typename T, typename Op>
  __device__ static T Butterfly(T value, Op op) {
    for (int apart = 16; apart > 0; apart /= 2)
      value = op(value, __shfl_xor_sync(kAllLanes, value, apart));
    return value;
  }

 private:
  __device__ static uint64_t* Buffer(int turn) {
    __shared__ uint64_t buffer[2][kMostWarps];
    return buffer[turn];
  }
  // A buffer is written again two meetings after it was read: one lies between.
  __device__ int Turn() { return turn_ ^= 1; }
  // The first meeting waits until every block has started.
  __device__ void Begin() {
    if (!started_) Wait();
    started_ = true;
  }
  __device__ static void Arrive() { __cluster_barrier_arrive(); }
  __device__ static void Wait() { __cluster_barrier_wait(); }

  int size_, rank_, turn_ = 0;
  bool started_ = false;
};

// A value a chunk, four neighbours a lane, and the sums up to each. Every warp has them all.
template <typename T>
struct ChunkSums {
  static constexpr int kOwnChunks = kMostWarps / 32;
  // Dependent additions from chunks to a sum of them.
  static constexpr int kChain = kOwnChunks - 1 + 5 + 1;

  T own[kOwnChunks], through[kOwnChunks];
  T before;  // this lane's chunks
  T total;

  __device__ ChunkSums(const T* values, int count)
      : ChunkSums(count, [&](int chunk) { return values[chunk]; }) {}
  template <typename ValueOf>
  __device__ ChunkSums(int count, ValueOf value_of) {
    T sum = 0;
    for (int i = 0; i < kOwnChunks; ++i) {
      const int chunk = Lane() * kOwnChunks + i;
      own[i] = chunk < count ? value_of(chunk) : T{0};
      sum = i == 0 ? own[i] : sum + own[i];
      through[i] = sum;
    }
    for (int apart = 1; apart < 32; apart *= 2) {
      const T lower = __shfl_up_sync(kAllLanes, sum, apart);
      if (Lane() >= apart) sum += lower;
    }
    before = __shfl_up_sync(kAllLanes, sum, 1);
    if (Lane() == 0) before = 0;
    for (int i = 0; i < kOwnChunks; ++i) through[i] = before + through[i];
    total = __shfl_sync(kAllLanes, through[kOwnChunks - 1], 31);
  }

  struct Found {
    int chunk;
    T before;
  };
  // The first positive chunk with passes(sum up to it), or the last positive one, and the sum
  // before it.
  template <typename Passes>
  __device__ Found First(Passes passes) const {
    int first = kOwnChunks, last = -1;
    for (int i = kOwnChunks; i-- > 0;) {
      if (!(own[i] > 0)) continue;
      if (last < 0) last = i;
      if (passes(through[i])) first = i;
    }
    const uint32_t found = __ballot_sync(kAllLanes, first < kOwnChunks);
    const uint32_t positive = __ballot_sync(kAllLanes, last >= 0);
    const int lane = found != 0 ? __ffs(static_cast<int>(found)) - 1
                                : 31 - __clz(static_cast<int>(positive | 1));
    const int place = __shfl_sync(kAllLanes, found != 0 ? first : last < 0 ? 0 : last, lane);
    T sum = before;
    for (int i = 1; i < kOwnChunks; ++i)
      if (place == i) sum = through[i - 1];
    return {lane * kOwnChunks + place, __shfl_sync(kAllLanes, sum, lane)};
  }
};

// kernel(args, shape) with a team a row, which makes its Team first.
template <typename Args>
cudaError_t LaunchTeams(void (*kernel)(Args, Shape), int64_t rows, const Shape& shape, int bytes,
                        const Args& args, cudaStream_t stream) {
  const int64_t blocks = rows * shape.blocks;
  if (blocks == 0) return cudaSuccess;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  return LaunchEarly(
      kernel,
      {.blocks = dim3(static_cast<unsigned>(blocks)), .cluster = shape.blocks, .bytes = bytes},
      stream, args, shape);
}
#endif  // __CUDACC__

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TEAM_CUH_
