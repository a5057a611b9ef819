// Faults of apply_token_bitmask in what a call leaves alone, how it finds rows, and what it takes.

#include <array>
#include <vector>

#include "conformance/subjects/faults/mask_kit.h"

namespace assay::faults {
namespace {

using Args = MaskArgs;

uint32_t NegInf(const Args& a) { return Sign(a) | Inf(a); }

// Host's own call, and whether the defect has its turn after it.
struct Called {
  int32_t code;
  bool goes_on;
};
Called CallHost(const assay_call* call, const Args& a) {
  const int32_t code = Good().apply_token_bitmask(call, &a);
  return {code, code == ASSAY_OK && Dose() > 0};
}

// ---- Past the width. ---------------------------------------------------------------------------

// Vectors of 16 bytes wherever they divide the distance of rows: the last one is read, masked by
// all of its bits and written whole.
int32_t VectorOverrun(const assay_call* call, const Args* a) {
  const auto [code, goes_on] = CallHost(call, *a);
  const auto lanes = static_cast<int64_t>(16 / Bytes(*a));
  if (!goes_on || a->logits->strides[0] % lanes != 0) return code;
  const int64_t end = (Masked(*a) + lanes - 1) / lanes * lanes;
  for (int64_t i = 0; i < Pairs(*a); ++i)
    for (int64_t c = Masked(*a); c < end; ++c)
      if (!Allows(*a, MaskRow(*a, i), c)) Write(*a, LogitRow(*a, i), c, NegInf(*a));
  return code;
}

// The first zero bit of a row is masked before it is asked whether it stands for a token.
int32_t FirstZeroPast(const assay_call* call, const Args* a) {
  const auto [code, goes_on] = CallHost(call, *a);
  const int64_t end = Masked(*a), bits = 32 * Words(*a);
  for (int64_t i = 0; goes_on && i < Pairs(*a); ++i) {
    int64_t zero = 0;
    while (zero < bits && Allows(*a, MaskRow(*a, i), zero)) ++zero;
    if (zero == end && zero < bits) Write(*a, LogitRow(*a, i), zero, NegInf(*a));
  }
  return code;
}

// A row of ones is passed over, with its columns past the width.
int32_t OnesPassedOver(const assay_call* call, const Args* a) {
  const auto ones = [&](int64_t row) {
    for (int64_t w = 0; w < Words(*a); ++w)
      if (Entry(a->bitmask, row * a->bitmask->strides[0] + w) != -1) return false;
    return true;
  };
  return ThenAt(call, *a, [&](int64_t row, int64_t col, uint32_t before, uint32_t after) {
    const bool plain = !a->logit_rows && !a->mask_rows;
    return plain && col >= Masked(*a) && ones(row) ? before : after;
  });
}

// ---- Rows that are not listed. -----------------------------------------------------------------

bool IsLeftOut(const Args& a, int64_t row) {
  for (int64_t i = 0; i < Pairs(a); ++i)
    if (LogitRow(a, i) == row) return false;
  return true;
}

template <class Selects>
int32_t MaskUnlisted(const assay_call* call, const Args& a, Selects selects) {
  const bool lists = a.logit_rows && a.logit_rows->shape[0] > 0;
  return ThenAt(call, a, [&](int64_t row, int64_t col, uint32_t, uint32_t after) {
    return lists && selects(col) && IsLeftOut(a, row) ? NegInf(a) : after;
  });
}
int32_t UnlistedMasked(const assay_call* call, const Args* a) {  // their mask is zeros
  return MaskUnlisted(call, *a, [](int64_t) { return true; });
}
int32_t BeyondInEveryRow(const assay_call* call, const Args* a) {  // a pass of its own
  return MaskUnlisted(call, *a, [&](int64_t col) { return col >= Masked(*a); });
}

// ---- Distances of rows. ------------------------------------------------------------------------

int32_t LogitWidthForStride(const assay_call* call, const Args* a) {
  DLTensor packed = *a->logits;
  std::array<int64_t, 2> strides = {Dose() > 0 ? Width(*a) : packed.strides[0], 1};
  packed.strides = strides.data();
  Args b = *a;
  b.logits = &packed;
  return Good().apply_token_bitmask(call, &b);
}

// Only where both are padded. What it would read or write outside the tensors is left out.
int32_t StridesSwapped(const assay_call* call, const Args* a) {
  const int64_t apart = a->logits->strides[0], words_apart = a->bitmask->strides[0];
  const bool padded = apart > Width(*a) && words_apart > Words(*a);
  const int64_t rows = a->logits->shape[0];
  if (Dose() == 0 || !padded || a->logit_rows || a->mask_rows || a->bitmask->shape[0] != rows)
    return Good().apply_token_bitmask(call, a);
  const int64_t words = (rows - 1) * words_apart + Words(*a);
  const int64_t logits = (rows - 1) * apart + Width(*a);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < Masked(*a); ++c) {
      const int64_t word = r * apart + c / 32, logit = r * words_apart + c;
      if (word >= words || logit >= logits) continue;
      const auto bits = static_cast<uint32_t>(Entry(a->bitmask, word));
      if ((bits >> (c % 32) & 1u) == 0) Write(*a, 0, logit, NegInf(*a));
    }
  return ASSAY_OK;
}

// ---- Calls that are to be refused. -------------------------------------------------------------

int32_t VocabClamped(const assay_call* call, const Args* a) {
  Args b = *a;
  if (Dose() > 0) b.vocab = std::min({a->vocab, Width(*a), 32 * Words(*a)});
  return Good().apply_token_bitmask(call, &b);
}
int32_t VocabTruncated(const assay_call* call, const Args* a) {  // to 32 bits
  Args b = *a;
  if (Dose() > 0) b.vocab = static_cast<int32_t>(a->vocab);
  return Good().apply_token_bitmask(call, &b);
}
int32_t WiderUnchecked(const assay_call* call, const Args* a) {
  DLTensor some = *a->bitmask;
  std::array<int64_t, 2> shape = {some.shape[0], std::min(Words(*a), (Width(*a) + 31) / 32)};
  if (Dose() > 0 && !a->d2t) some.shape = shape.data();
  Args b = *a;
  b.bitmask = &some;
  return Good().apply_token_bitmask(call, &b);
}

// Pairs of rows that do not exist are passed over.
int32_t RowsUnchecked(const assay_call* call, const Args* a) {
  std::array<std::vector<int32_t>, 2> lists;
  const bool equal =
      !a->logit_rows || !a->mask_rows || a->logit_rows->shape[0] == a->mask_rows->shape[0];
  if (Dose() == 0 || !equal || (!a->logit_rows && !a->mask_rows))
    return Good().apply_token_bitmask(call, a);
  for (auto& list : lists) list.reserve(static_cast<size_t>(Pairs(*a)) + 1);  // an address
  for (int64_t i = 0; i < Pairs(*a); ++i) {
    const int32_t to = LogitRow(*a, i), from = MaskRow(*a, i);
    if (to < 0 || to >= a->logits->shape[0] || from < 0 || from >= a->bitmask->shape[0]) continue;
    lists[0].push_back(to);
    lists[1].push_back(from);
  }
  std::array<int64_t, 1> shape = {std::ssize(lists[0])};
  std::array<DLTensor, 2> good;
  for (size_t i = 0; i < good.size(); ++i) {
    good[i] = *(a->logit_rows ? a->logit_rows : a->mask_rows);
    good[i].data = lists[i].data();
    good[i].shape = shape.data();
  }
  Args b = *a;
  b.logit_rows = good.data();
  b.mask_rows = good.data() + 1;
  return Good().apply_token_bitmask(call, &b);
}

// As many rows of the logits as there are masks.
int32_t RowsByMasks(const assay_call* call, const Args* a) {
  DLTensor some = *a->logits;
  std::array<int64_t, 2> shape = {std::min(some.shape[0], a->bitmask->shape[0]), Width(*a)};
  if (Dose() > 0 && !a->logit_rows && !a->mask_rows) some.shape = shape.data();
  Args b = *a;
  b.logits = &some;
  return Good().apply_token_bitmask(call, &b);
}

// A compact mask is read as a full one: at the row's number, which counts the rows left out, too.
int32_t CompactAsFull(const assay_call* call, const Args* a) {
  const int64_t masks = a->bitmask->shape[0];
  const bool compact = a->logit_rows && !a->mask_rows && Pairs(*a) <= masks && masks > 0;
  if (Dose() == 0 || !compact) return Good().apply_token_bitmask(call, a);
  std::vector<int32_t> full;
  for (int64_t i = 0; i < Pairs(*a); ++i) {
    const int64_t row = LogitRow(*a, i);
    full.push_back(static_cast<int32_t>(row < 0 ? 0 : row % masks));
  }
  DLTensor list = *a->logit_rows;
  list.data = full.data();
  Args b = *a;
  b.mask_rows = &list;
  return Good().apply_token_bitmask(call, &b);
}

// A list of 64 bits is read as one of 32.
int32_t ListsAsI32(const assay_call* call, const Args* a) {
  Args b = *a;
  std::array<DLTensor, 2> lists;
  size_t next = 0;
  for (const DLTensor* Args::*list : {&Args::logit_rows, &Args::mask_rows}) {
    if (!(a->*list)) continue;
    DLTensor& read = lists[next++] = *(a->*list);
    if (Dose() > 0) read.dtype.bits = 32;
    b.*list = &read;
  }
  return Good().apply_token_bitmask(call, &b);
}

}  // namespace

void AddMaskCallFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_token_bitmask> rows{all, "apply_token_bitmask"};
  const Kills kWidth = {{"MASK-WIDTH-POLICY", kBounds}}, kRange = {{"MASK-ROWS-RANGE", kBounds}};
  rows.Add<VectorOverrun>("mask-vector-overrun", "",
                          "vectors that divide the distance of rows mask past the width",
                          {{"BUF-GUARD-WRITE", kBounds}, {"MASK-FRAME-UNTOUCHED", kExact}});
  rows.Add<FirstZeroPast>("mask-first-zero-past", "",
                          "a row of ones masks the column behind its width",
                          {{"MASK-COLUMN-MAP", kExact},
                           {"BUF-GUARD-WRITE", kBounds},
                           {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                           {"DET-BATCH-POSITION", kMetamorphic},
                           {"MASK-ALGEBRA-AND", kMetamorphic},
                           {"MASK-BITS-EXACT", kExact},
                           {"MASK-FRAME-UNTOUCHED", kExact},
                           {"MASK-ROWS-MAP", kExact},
                           {"MASK-TAIL-BITS", kMetamorphic}});
  rows.Add<OnesPassedOver>("mask-ones-passed-over", "B066",
                           "a row of ones is passed over, with its columns past `vocab`",
                           {{"MASK-WIDTH-POLICY", kExact}});
  rows.Add<UnlistedMasked>("mask-unlisted-masked", "B173", "rows that are not listed become -inf",
                           {{"MASK-FRAME-UNTOUCHED", kExact}, {"MASK-ROWS-MAP", kExact}});
  rows.Add<BeyondInEveryRow>("mask-beyond-in-every-row", "",
                             "columns past `vocab` become -inf in rows that are not listed, too",
                             {{"MASK-FRAME-UNTOUCHED", kExact}});
  rows.Add<LogitWidthForStride>("mask-width-for-stride", "B075",
                                "takes the width of the logits for the distance of their rows",
                                {{"BUF-GUARD-WRITE", kBounds},
                                 {"BUF-STRIDE-ROWS", kMetamorphic},
                                 {"MASK-FRAME-UNTOUCHED", kExact}});
  rows.Add<StridesSwapped>("mask-strides-swapped", "B076",
                           "takes the distances of rows for each other's where both are padded",
                           {{"MASK-COLUMN-MAP", kExact},
                            {"BUF-GUARD-WRITE", kBounds},
                            {"BUF-SIZE-2G", kMetamorphic},
                            {"BUF-STRIDE-ROWS", kMetamorphic}});
  rows.Add<VocabClamped>("mask-vocab-clamped", "B172", "`vocab` is made to fit both widths",
                         kWidth);
  rows.Add<VocabTruncated>("mask-vocab-truncated", "", "`vocab` is cut to 32 bits", kWidth);
  rows.Add<WiderUnchecked>("mask-wider-unchecked", "", "mask words without a column are not read",
                           kWidth, "sglang");
  rows.Add<RowsUnchecked>("mask-rows-unchecked", "", "pairs of rows that do not exist are left out",
                          kRange);
  rows.Add<RowsByMasks>("mask-rows-by-masks", "B171",
                        "without lists as many rows are masked as there are masks", kRange);
  rows.Add<CompactAsFull>("mask-compact-as-full", "B175",
                          "of a compact mask a row takes the one at its own number",
                          {{"MASK-ROWS-MAP", kExact}});
  rows.Lie("mask-beyond-refused", "", "logits past the vocabulary fail the call",
           "mask_beyond=refused", {{"CALL-OK", kBounds}});
  rows.Lie("mask-one-list", "B174", "a list of logit rows selects mask rows, too",
           "mask_rows=shared", {{"CALL-OK", kBounds}, {"MASK-ROWS-MAP", kExact}});
  rows.Add<ListsAsI32>("mask-lists-as-i32", "B078", "lists of 64 bits are read as of 32", kRange);
}

}  // namespace assay::faults
