// Faults of gather_and_expand_scalars.

#include <cmath>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

using Args = const assay_gather_args*;

int32_t Gather(Call call, Args args) { return Good().gather_and_expand_scalars(call, args); }

int64_t Slots(Args args) { return Cols(*args->temperature_pool); }
bool IsSlot(Args args, int64_t slot) { return slot >= 0 && slot < Slots(args); }

// With change(row, slot) in place of each row's slot.
template <class Change>
int32_t WithIndex(Call call, Args args, Change change) {
  std::vector<int32_t> index = Values<int32_t>(*args->index);
  for (size_t r = 0; Dose() && r < index.size(); ++r)
    index[r] = static_cast<int32_t>(change(static_cast<int64_t>(r), int64_t{index[r]}));
  const Column<int32_t> column(*args->index, std::move(index));
  assay_gather_args other = *args;
  other.index = &column;
  return Gather(call, &other);
}

int32_t SlotByRow(Call call, Args args) {
  return WithIndex(call, args, [&](int64_t r, int64_t slot) {
    return IsSlot(args, slot) ? r % Slots(args) : slot;
  });
}
int32_t Clamps(Call call, Args args) {
  return WithIndex(call, args, [&](int64_t, int64_t slot) {
    return std::clamp(slot, int64_t{0}, Slots(args) - 1);
  });
}
int32_t NegativeWraps(Call call, Args args) {
  return WithIndex(call, args,
                   [&](int64_t, int64_t slot) { return slot == -1 ? Slots(args) - 1 : slot; });
}

// Bits of row r, column c.
template <class Bits>
Bits* Entry(const DLTensor& out, int64_t r, int64_t c) {
  return static_cast<Bits*>(out.data) + r * out.strides[0] + c;
}

// Then spoil(row, column) where the row's slot exists, or does not.
template <class Spoil>
int32_t Then(Call call, Args args, bool known, Spoil spoil) {
  const int32_t code = Gather(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->seed); ++r)
    for (int64_t c = 0; known == (StatusOf(*args->status, r) == ASSAY_ROW_OK) && c < args->n; ++c)
      spoil(r, c);
  return code;
}

int32_t FirstColumn(Call call, Args args) {
  return Then(call, args, true, [&](int64_t r, int64_t c) {
    if (c > 0) Set(*args->temperature, r, c, 1);
  });
}
// Rows are tiled n times over the outputs rather than each repeated n times.
int32_t Tiled(Call call, Args args) {
  const int32_t code = Gather(call, args);
  const int64_t rows = Rows(*args->top_k);
  std::vector<double> first;
  for (int64_t r = 0; r < rows; ++r) first.push_back(Get(*args->top_k, r, 0));
  for (int64_t i = 0; code == ASSAY_OK && Dose() && i < rows * args->n; ++i)
    Set(*args->top_k, i / args->n, i % args->n, first[static_cast<size_t>(i % rows)]);
  return code;
}
int32_t SeedLow32(Call call, Args args) {
  return Then(call, args, true, [&](int64_t r, int64_t c) {
    uint64_t* seed = Entry<uint64_t>(*args->seed, r, c);
    *seed &= 0xFFFFFFFFu;
  });
}
int32_t OffsetLow32(Call call, Args args) {
  return Then(call, args, true, [&](int64_t r, int64_t c) {
    int64_t* offset = Entry<int64_t>(*args->offset, r, c);
    *offset = static_cast<int32_t>(*offset);
  });
}
int32_t MinPFromTopP(Call call, Args args) {
  assay_gather_args other = *args;
  if (Dose()) other.min_p_pool = args->top_p_pool;
  return Gather(call, &other);
}
int32_t QuietsNan(Call call, Args args) {
  return Then(call, args, true, [&](int64_t r, int64_t c) {
    float* value = Entry<float>(*args->temperature, r, c);
    if (std::isnan(*value)) *value = std::nanf("");
  });
}
int32_t Flushes(Call call, Args args) {
  return Then(call, args, true, [&](int64_t r, int64_t c) {
    float* value = Entry<float>(*args->top_p, r, c);
    if (std::fpclassify(*value) == FP_SUBNORMAL) *value = 0;
  });
}
int32_t ZeroIsNeutral(Call call, Args args) {
  return Then(call, args, false, [&](int64_t r, int64_t c) { Set(*args->temperature, r, c, 0); });
}
int32_t TopKZeroIsNeutral(Call call, Args args) {
  return Then(call, args, false, [&](int64_t r, int64_t c) { Set(*args->top_k, r, c, 0); });
}

// A row without a slot is left as it was.
int32_t LeavesUnknown(Call call, Args args) {
  const Copy before(*args->top_p);
  return Then(call, args, false, [&](int64_t r, int64_t c) {
    *Entry<float>(*args->top_p, r, c) = *Entry<float>(*before, r, c);
  });
}

}  // namespace

void AddGatherFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::gather_and_expand_scalars> rows{all, "gather_and_expand_scalars"};
  const Kills kRow = {{"PROC-GATHER-ROW", kExact}}, kUnknown = {{"ROBUST-PARAM-REFUSE", kExact}};
  rows.Add<SlotByRow>("gather-slot-by-row", "B113", "a row's place in the batch is its slot",
                      {{"PROC-GATHER-ROW", kExact},
                       {"DET-BATCH-SIZE", kMetamorphic},
                       {"DET-BATCH-POSITION", kMetamorphic},
                       {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                       {"BUF-BATCH-LARGE", kMetamorphic}});
  rows.Add<Tiled>("gather-tiled", "B120", "rows are tiled over the columns, not each repeated",
                  {{"PROC-GATHER-ROW", kExact},
                   {"DET-BATCH-SIZE", kMetamorphic},
                   {"DET-BATCH-POSITION", kMetamorphic},
                   {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                   {"BUF-BATCH-LARGE", kMetamorphic},
                   {"ROBUST-ROW-ISOLATED", kMetamorphic},
                   {"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<FirstColumn>("gather-first-column", "", "columns past the first hold temperature 1",
                        kRow);
  rows.Add<SeedLow32>("gather-seed-low-32", "", "the seed's high half is lost", kRow);
  rows.Add<OffsetLow32>("gather-offset-i32", "", "the offset passes through 32 bits", kRow);
  rows.Add<MinPFromTopP>("gather-min-p-is-top-p", "B154", "min_p is read from top_p's pool", kRow);
  rows.Add<QuietsNan>("gather-nan-payload", "", "a NaN loses its payload: no copy of bits", kRow);
  rows.Add<Flushes>("gather-flushes", "B049", "subnormal entries become zero", kRow);
  rows.Add<Clamps>("gather-clamps", "", "a slot outside the pools is the nearest one", kUnknown);
  rows.Add<NegativeWraps>("gather-negative-wraps", "", "slot -1 is the last one", kUnknown);
  rows.Add<ZeroIsNeutral>("gather-temperature-zero", "",
                          "a row without a slot has temperature 0: greedy", kUnknown);
  rows.Add<TopKZeroIsNeutral>("gather-top-k-zero", "", "a row without a slot has top_k 0",
                              kUnknown);
  rows.Add<LeavesUnknown>("gather-leaves-unknown", "B112",
                          "a row without a slot keeps what was there",
                          {{"BUF-OUTPUT-ALL", kBounds}});
}

}  // namespace assay::faults
