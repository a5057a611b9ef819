#include <algorithm>

#include "conformance/subjects/calls/gather_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// gather_and_expand_scalars: a row's entry of each pool, n times, as bits.
namespace assay::host {
namespace {

constexpr uint32_t kOne = 0x3F800000u;  // 1 in fp32

// `Bits` as wide as the pool's dtype.
template <typename Bits>
void Fill(const calls::Expansion& made, int64_t row, int64_t slot, Bits neutral) {
  const auto* pool = reinterpret_cast<const Bits*>(made.pool);
  std::fill_n(made.out.Row<Bits>(row), made.out.columns, slot < 0 ? neutral : pool[slot]);
}

}  // namespace

int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args) {
  return Guard(call, args, [&](const Config&) {
    const calls::GatherCall checked = calls::CheckGather(*args);
    for (int64_t r = 0; r < checked.rows; ++r) {
      const int64_t index = checked.index[r];
      const bool known = index >= 0 && index < checked.slots;
      const int64_t slot = known ? index : -1;
      Fill(checked.temperature, r, slot, kOne);
      Fill(checked.top_p, r, slot, kOne);
      Fill(checked.min_p, r, slot, uint32_t{0});
      Fill(checked.top_k, r, slot, uint32_t{ASSAY_TOP_K_OFF});
      Fill(checked.seed, r, slot, uint64_t{0});
      Fill(checked.offset, r, slot, uint64_t{0});
      checked.status[r] = known ? ASSAY_ROW_OK : ASSAY_ROW_INDEX;
    }
  });
}

}  // namespace assay::host
