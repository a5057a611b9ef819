// Faults of apply_token_bitmask. host masks; each defect changes what it is given, or its result.

#include <array>
#include <vector>

#include "conformance/subjects/faults/mask_kit.h"

namespace assay::faults {
namespace {

using Args = MaskArgs;

// Calls host with every mask word replaced by change(word, index), words in rows of `words`.
template <class Change>
int32_t WithWords(const assay_call* call, const Args& a, Change change) {
  std::vector<uint32_t> words(static_cast<size_t>(a.bitmask->shape[0] * Words(a)) + 1);
  const auto* from = static_cast<const uint32_t*>(a.bitmask->data);
  for (int64_t r = 0; r < a.bitmask->shape[0]; ++r)
    for (int64_t w = 0; w < Words(a); ++w)
      words[static_cast<size_t>(r * Words(a) + w)] = change(from + r * a.bitmask->strides[0], w);
  DLTensor made = *a.bitmask;
  std::array<int64_t, 2> strides = {Words(a), 1};
  made.data = words.data();
  made.strides = strides.data();
  Args b = a;
  b.bitmask = &made;
  return Good().apply_token_bitmask(call, &b);
}

// Calls host, then change(before, after) on each logit.
template <class Change>
int32_t Then(const assay_call* call, const Args& a, Change change) {
  return ThenAt(call, a, [&](int64_t, int64_t, uint32_t before, uint32_t after) {
    return change(before, after);
  });
}

uint32_t Reversed(uint32_t word) {
  uint32_t out = 0;
  for (int b = 0; b < 32; ++b) out |= (word >> b & 1u) << (31 - b);
  return out;
}

int32_t MsbFirst(const assay_call* call, const Args* a) {
  return WithWords(call, *a, [](const uint32_t* row, int64_t w) {
    return Dose() > 0 ? Reversed(row[w]) : row[w];
  });
}

int32_t SignBit(const assay_call* call, const Args* a) {  // a negative word: bit 31 reads as set
  return WithWords(call, *a, [](const uint32_t* row, int64_t w) {
    return Dose() > 0 ? row[w] | 0x80000000u : row[w];
  });
}

int32_t LastWordMissing(const assay_call* call, const Args* a) {
  const int64_t whole = Width(*a) / 32;
  return WithWords(call, *a, [&](const uint32_t* row, int64_t w) {
    return w >= whole && Dose() > 0 ? 0xFFFFFFFFu : row[w];
  });
}

int32_t TileEdge(const assay_call* call, const Args* a) {  // the first word of later tiles is the
  return WithWords(call, *a, [](const uint32_t* row, int64_t w) {  // last of the tile before
    return w > 0 && w % 32 == 0 ? row[w - Dose()] : row[w];
  });
}

int32_t TailHonoured(const assay_call* call, const Args* a) {  // set tail: "the word is all ones"
  const int64_t width = Width(*a);
  return WithWords(call, *a, [&](const uint32_t* row, int64_t w) {
    const bool partial = 32 * w < width && 32 * (w + 1) > width;
    return partial && Dose() > 0 && row[w] >> 31 ? 0xFFFFFFFFu : row[w];
  });
}

int32_t IgnoresVocab(const assay_call* call, const Args* a) {
  Args b = *a;
  if (Dose() > 0) b.vocab = 0;
  return Good().apply_token_bitmask(call, &b);
}

int32_t ZeroRowMeansNone(const assay_call* call, const Args* a) {  // all zeros: "no grammar"
  return WithWords(call, *a, [&](const uint32_t* row, int64_t w) {
    for (int64_t i = 0; i < Words(*a); ++i)
      if (row[i] != 0) return row[w];
    return Dose() > 0 ? 0xFFFFFFFFu : row[w];
  });
}

// Row i of the batch, whatever the lists say.
int32_t MaskRowByBatch(const assay_call* call, const Args* a) {
  Args b = *a;
  if (Dose() > 0 && a->mask_rows && a->logit_rows && a->mask_rows->shape[0] > 0)
    b.mask_rows = nullptr;
  return Good().apply_token_bitmask(call, &b);
}
int32_t LogitRowByPair(const assay_call* call, const Args* a) {
  Args b = *a;
  if (Dose() > 0 && a->logit_rows && a->logit_rows->shape[0] > 0) {
    b.logit_rows = nullptr;
    if (!b.mask_rows && a->bitmask->shape[0] < a->logits->shape[0]) return ASSAY_OK;
  }
  return Good().apply_token_bitmask(call, &b);
}

int32_t EmptyListMeansAll(const assay_call* call, const Args* a) {
  const int32_t code = Good().apply_token_bitmask(call, a);
  const bool none = (a->logit_rows && a->logit_rows->shape[0] == 0) ||
                    (a->mask_rows && a->mask_rows->shape[0] == 0);
  for (int64_t r = 0; none && code == ASSAY_OK && Dose() > 0 && r < a->logits->shape[0]; ++r)
    Write(*a, r, 0, Sign(*a) | Inf(*a));
  return code;
}
int32_t EmptyListDivides(const assay_call* call, const Args* a) {
  if (Dose() > 0 && a->logit_rows && a->logit_rows->shape[0] == 0) return ASSAY_DEVICE_ERROR;
  return Good().apply_token_bitmask(call, a);
}

int32_t FiniteSentinel(const assay_call* call, const Args* a) {  // the lowest finite number
  return Then(call, *a, [&](uint32_t before, uint32_t after) {
    return after == (Sign(*a) | Inf(*a)) && before != after ? after - 1 : after;
  });
}
int32_t NanStaysNan(const assay_call* call, const Args* a) {  // x + (-inf)
  return Then(call, *a, [&](uint32_t before, uint32_t after) {
    const bool masked = after == (Sign(*a) | Inf(*a)) && IsNan(*a, before);
    return masked ? before : after;
  });
}
int32_t InfBecomesNan(const assay_call* call, const Args* a) {  // +inf + (-inf)
  return Then(call, *a, [&](uint32_t before, uint32_t after) {
    const bool masked = after == (Sign(*a) | Inf(*a)) && before == Inf(*a);
    return masked ? Inf(*a) | 1u << (Bytes(*a) == 4 ? 22 : 6) : after;
  });
}
int32_t QuietsNan(const assay_call* call, const Args* a) {  // a conversion on the way
  return Then(call, *a, [&](uint32_t, uint32_t after) {
    return IsNan(*a, after) ? Inf(*a) | 1u << (Bytes(*a) == 4 ? 22 : 6) : after;
  });
}
int32_t FlushesSubnormals(const assay_call* call, const Args* a) {
  const uint32_t normal = Inf(*a) & (~Inf(*a) + 1);  // the lowest exponent bit
  return Then(call, *a, [&](uint32_t, uint32_t after) {
    return (after & ~Sign(*a)) < normal ? after & Sign(*a) : after;
  });
}
int32_t Adds(const assay_call* call, const Args* a) {  // x + 0 turns -0.0 into 0.0
  return Then(call, *a, [&](uint32_t, uint32_t after) { return after == Sign(*a) ? 0u : after; });
}
int32_t RestoresBits(const assay_call* call, const Args* a) {  // a masked entry may come back
  return Then(call, *a, [&](uint32_t before, uint32_t after) {
    const uint32_t gone = Sign(*a) | Inf(*a);
    return before == gone && after == gone ? 0u : after;
  });
}

}  // namespace

void AddTokenMaskFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_token_bitmask> rows{all, "apply_token_bitmask"};
  rows.Add<MsbFirst>("mask-msb-first", "", "highest bit first in each word",
                     {{"MASK-COLUMN-MAP", kExact},
                      {"MASK-BITS-ORDER", kExact},
                      {"BUF-VOCAB-SWEEP", kExact},
                      {"MASK-BITS-EXACT", kExact},
                      {"MASK-BITS-NEGINF", kExact},
                      {"MASK-ROWS-MAP", kExact},
                      {"MASK-TAIL-BITS", kMetamorphic}});
  rows.Add<SignBit>("mask-sign-bit", "", "bit 31 reads as set",
                    {{"MASK-COLUMN-MAP", kExact},
                     {"MASK-BITS-ORDER", kExact},
                     {"BUF-VOCAB-SWEEP", kExact},
                     {"MASK-BITS-NEGINF", kExact},
                     {"MASK-ROWS-MAP", kExact}});
  rows.Add<LastWordMissing>("mask-last-word-missing", "B063",
                            "the last, partial word is not applied",
                            {{"MASK-COLUMN-MAP", kExact},
                             {"MASK-BITS-ORDER", kExact},
                             {"BUF-VOCAB-SWEEP", kExact},
                             {"MASK-BITS-NEGINF", kExact},
                             {"MASK-ROWS-MAP", kExact}});
  rows.Add<TileEdge>("mask-tile-edge", "B065",
                     "the first word of a tile is the last of the tile before",
                     {{"MASK-COLUMN-MAP", kExact}, {"BUF-VOCAB-SWEEP", kExact}});
  rows.Add<TailHonoured>("mask-tail-honoured", "B172",
                         "set bits past the vocabulary open the last word",
                         {{"MASK-COLUMN-MAP", kExact}, {"MASK-TAIL-BITS", kMetamorphic}});
  rows.Add<IgnoresVocab>("mask-ignores-vocab", "B066", "`vocab` is not read",
                         {{"MASK-WIDTH-POLICY", kExact}, {"MASK-WIDTH-POLICY", kBounds}});
  rows.Add<ZeroRowMeansNone>("mask-zero-row-is-none", "B173", "a row of zeros counts as no mask",
                             {{"MASK-COLUMN-MAP", kExact},
                              {"MASK-BITS-ORDER", kExact},
                              {"BUF-VOCAB-SWEEP", kExact},
                              {"MASK-BITS-NEGINF", kExact},
                              {"MASK-ROWS-MAP", kExact},
                              {"MASK-TAIL-BITS", kMetamorphic},
                              {"MASK-ALGEBRA-AND", kMetamorphic}});
  rows.Add<MaskRowByBatch>("mask-row-by-batch", "B174", "mask_rows is not read",
                           {{"MASK-ROWS-MAP", kExact}, {"MASK-ROWS-RANGE", kBounds}});
  rows.Add<LogitRowByPair>("mask-logit-row-by-pair", "B174", "logit_rows is not read",
                           {{"MASK-ROWS-MAP", kExact}, {"MASK-ROWS-RANGE", kBounds}});
  rows.Add<EmptyListMeansAll>("mask-empty-list-is-all", "B069", "an empty list masks every row",
                              {{"MASK-ROWS-EMPTY", kExact}});
  rows.Add<EmptyListDivides>("mask-empty-list-fails", "B069",
                             "an empty list is a launch of no blocks",
                             {{"MASK-ROWS-EMPTY", kExact}, {"CALL-OK", kBounds}});
  rows.Add<FiniteSentinel>("mask-finite-sentinel", "",
                           "masked entries become the lowest finite number",
                           {{"MASK-BITS-NEGINF", kExact}});
  rows.Add<NanStaysNan>("mask-nan-stays", "", "masked NaNs stay NaN",
                        {{"MASK-BITS-NEGINF", kExact}});
  rows.Add<InfBecomesNan>("mask-inf-becomes-nan", "", "a masked +inf becomes NaN",
                          {{"MASK-BITS-NEGINF", kExact}});
  rows.Add<QuietsNan>("mask-quiets-nan", "", "kept NaNs lose their payload",
                      {{"MASK-BITS-EXACT", kExact}});
  rows.Add<FlushesSubnormals>("mask-flushes", "B049", "kept subnormals become zero",
                              {{"MASK-BITS-EXACT", kExact}});
  rows.Add<Adds>("mask-adds-zero", "", "kept -0.0 becomes 0.0", {{"MASK-BITS-EXACT", kExact}});
  rows.Add<RestoresBits>("mask-restores", "B173", "an entry masked before is opened again",
                         {{"MASK-BITS-EXACT", kExact},
                          {"MASK-BITS-NEGINF", kExact},
                          {"MASK-ALGEBRA-AND", kMetamorphic}});
}

}  // namespace assay::faults
