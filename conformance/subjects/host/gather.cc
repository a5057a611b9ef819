#include <algorithm>
#include <string>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// gather_and_expand_scalars: a row's entry of each pool, n times, as bits.
namespace assay::host {
namespace {

constexpr uint32_t kOne = 0x3F800000u;  // 1 in fp32

// One pool and the output that it fills; `Bits` as wide as its dtype.
template <typename Bits>
struct Expansion {
  Vector<Bits> pool;
  Matrix out;
  Bits neutral;

  void Fill(int64_t row, int64_t slot) const {
    std::fill_n(out.Row<Bits>(row), out.columns, slot < 0 ? neutral : pool[slot]);
  }
};

struct GatherCall {
  Elements index, status;
  int64_t slots = 0;
  Expansion<uint32_t> temperature, top_p, min_p, top_k;
  Expansion<uint64_t> seed, offset;
};

GatherCall Check(const assay_gather_args& args) {
  if (args.n < 1) throw InputError("n: " + std::to_string(args.n) + ", expected at least 1");
  GatherCall call;
  call.index = CheckVector(args.index, "index", Dtype::kI32, -1, Presence::kRequired);
  const int64_t rows = call.index.count;
  call.slots =
      CheckVector(args.temperature_pool, "temperature_pool", Dtype::kF32, -1, Presence::kRequired)
          .count;
  const auto expand = [&]<typename Bits>(Expansion<Bits>* made, const char* name, Dtype dtype,
                                         const DLTensor* pool, const DLTensor* out, Bits neutral) {
    const Elements entries = CheckVector(pool, name, dtype, call.slots, Presence::kRequired);
    *made = {As<Bits>(entries), CheckMatrix(out, name, dtype), neutral};
    if (made->out.rows == rows && made->out.columns == args.n) return;
    throw InputError(std::string(name) + ": its output is not " + std::to_string(rows) + " by " +
                     std::to_string(args.n));
  };
  using Wide = uint64_t;
  expand(&call.temperature, "temperature", Dtype::kF32, args.temperature_pool, args.temperature,
         kOne);
  expand(&call.top_p, "top_p", Dtype::kF32, args.top_p_pool, args.top_p, kOne);
  expand(&call.min_p, "min_p", Dtype::kF32, args.min_p_pool, args.min_p, 0u);
  expand(&call.top_k, "top_k", Dtype::kI32, args.top_k_pool, args.top_k, uint32_t{ASSAY_TOP_K_OFF});
  expand(&call.seed, "seed", Dtype::kI64, args.seed_pool, args.seed, Wide{0});
  expand(&call.offset, "offset", Dtype::kI64, args.offset_pool, args.offset, Wide{0});
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired);
  return call;
}

}  // namespace

int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args) {
  return Guard(call, args, [&](const Config&) {
    const GatherCall checked = Check(*args);
    const auto index = As<int32_t>(checked.index);
    for (int64_t r = 0; r < checked.index.count; ++r) {
      const bool known = index[r] >= 0 && index[r] < checked.slots;
      const int64_t slot = known ? index[r] : -1;
      checked.temperature.Fill(r, slot);
      checked.top_p.Fill(r, slot);
      checked.min_p.Fill(r, slot);
      checked.top_k.Fill(r, slot);
      checked.seed.Fill(r, slot);
      checked.offset.Fill(r, slot);
      checked.status.data[r] = known ? ASSAY_ROW_OK : ASSAY_ROW_INDEX;
    }
  });
}

}  // namespace assay::host
