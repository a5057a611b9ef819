// apply_token_bitmask: what is not selected stays as it was, and rows that do not exist are
// refused.

#include <algorithm>
#include <span>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"

namespace assay {
namespace {

// ---- The frame of a selection. -----------------------------------------------------------------

// What Case::special says of the bits below the width. Those past it are 0 always: a vector that
// goes on masks what lies there.
enum Content : int64_t { kAllOnes, kRandom, kAllZeros };

Tensor Masks(const Case& at, int64_t rows, int64_t width) {
  Case narrow = at;
  narrow.vocab = width;
  Tensor masks = mask::RandomMasks(narrow, rows, mask::Words(at.vocab), 21);
  for (int64_t r = 0; at.special != kRandom && r < rows; ++r)
    for (int64_t w = 0; w < masks.cols(); ++w)
      masks.SetBits(r, w, at.special == kAllOnes ? mask::Inside(narrow, w) : 0);
  return masks;
}

// Every second row, the first and the last not among them; or all, without a list.
std::vector<int32_t> Listed(const Case& at) {
  std::vector<int32_t> rows;
  for (int32_t r = 1; at.order == 1 && r < at.rows; r += 2) rows.push_back(r);
  return rows;
}

// Whether the call kept what every call must keep.
bool OthersStay(const Case& at, Trial& t) {
  const std::vector<int32_t> listed = Listed(at);
  const int64_t width = at.vocab - std::min(at.draws, at.vocab - 1);
  const int64_t pairs = listed.empty() ? at.rows : std::ssize(listed);
  const int64_t masks = mask::MasksFor(pairs, at.rows, t.profile());
  Inputs in;
  in.rows = at.rows;
  in.numbers["vocab"] = width == at.vocab ? 0 : width;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", Masks(at, masks, width)}};
  if (!listed.empty()) in.tensors["logit_rows"] = mask::Indices(listed);
  const auto out = t.Call(in);
  for (int32_t r = 0; out && !listed.empty() && r < at.rows; ++r)
    if (std::ranges::find(listed, r) == listed.end())
      t.Require("MASK-FRAME-UNTOUCHED", out->at("logits").SameRow(r, in.tensors.at("logits"), r),
                [&] {
                  return Finding{"row " + std::to_string(r) + ", not listed", "every bit kept",
                                 "changed"};
                });
  return out.has_value();
}

// Rows one behind the other, and then apart: a vector that divides the distance need not divide the
// width.
void FrameStays(const Case& at, Trial& t) {
  Case packed = at;
  packed.pad = 0;
  if (!OthersStay(packed, t)) return;
  const bool kept = OthersStay(at, t);
  if (t.unsupported()) return;
  t.Require("MASK-FRAME-UNTOUCHED", kept, [&] {
    return Finding{
        std::to_string(at.vocab) + " columns, rows " + std::to_string(at.vocab + at.pad) + " apart",
        "padding, guard zones and the mask as they were", "see the other findings"};
  });
}

Domain Frames(const Context& context) {
  const bool maps = context.subject->flags & ASSAY_MASK_ROW_MAPS;
  const bool strides = context.subject->flags & ASSAY_ROW_STRIDE;
  const bool beyond = mask::HasBeyond(context.profile);
  Domain domain;
  domain.axes = {{&Case::vocab, {997, 993, 5, 33, 40, 1000}},
                 {&Case::rows, {3, 1, 6}},
                 {&Case::special, {kAllOnes, kRandom, kAllZeros}}};
  if (strides) domain.axes.push_back({&Case::pad, {3, 7, 0, 1, 24}});
  if (maps) domain.axes.push_back({&Case::order, {1, 0}});
  if (beyond) domain.axes.push_back({&Case::draws, {0, 3, 9, 40}});  // columns past `vocab`
  domain.quick = 20;
  return domain;
}

// ---- Rows that do not exist. -------------------------------------------------------------------

constexpr int64_t kRows = 3;  // of the logits

// What is wrong with a call of `masks` mask rows; an empty list is absent.
struct BadRows {
  int64_t masks;
  std::vector<int32_t> logit_rows, mask_rows;
  std::string_view what;
  bool numbers = false;  // the shapes are good
  DType list = DType::kI32;
};
std::span<const BadRows> BadCalls() {
  static const BadRows kBad[] = {
      {2, {}, {}, "a mask row too few"},
      {0, {}, {}, "no mask row"},
      {2, {2, 0, 1}, {}, "a mask row less than logit_rows has entries"},
      {4, {}, {0, 1, 2, 3}, "a row less than mask_rows has entries"},
      {3, {2, 0, 1}, {1, 0}, "mask_rows shorter than logit_rows"},
      {3, {2, 0}, {1, 0, 2}, "mask_rows longer than logit_rows"},
      {3, {2, 0, 1}, {}, "logit_rows of i64", false, DType::kI64},
      {3, {}, {2, 0, 1}, "mask_rows of i64", false, DType::kI64},
      {3, {2, 0, -1}, {}, "logit_rows has -1", true},
      {3, {2, 0, kRows}, {}, "logit_rows has the number of rows", true},
      {3, {2, 0, INT32_MIN}, {}, "logit_rows has the lowest number", true},
      {3, {2, 0, INT32_MAX}, {}, "logit_rows has the largest number", true},
      {2, {2, 0, 1}, {1, 0, -1}, "mask_rows has -1", true},
      {2, {2, 0, 1}, {1, 0, 2}, "mask_rows has the number of mask rows", true},
      {2, {}, {1, 0, INT32_MIN}, "mask_rows has the lowest number", true},
      {2, {}, {1, 0, INT32_MAX}, "mask_rows has the largest number", true},
  };
  return kBad;
}

void RowsAreRefused(const Case& at, Trial& t) {
  const BadRows& bad = BadCalls()[static_cast<size_t>(at.special)];
  Case rows = at;
  rows.rows = kRows;
  Inputs in;
  in.rows = kRows;
  in.tensors = {{"logits", mask::Logits(rows, t, mask::kPlain)},
                {"bitmask", mask::RandomMasks(rows, bad.masks, mask::Words(at.vocab), 22)}};
  if (!bad.logit_rows.empty()) in.tensors["logit_rows"] = mask::Indices(bad.logit_rows, bad.list);
  if (!bad.mask_rows.empty()) in.tensors["mask_rows"] = mask::Indices(bad.mask_rows, bad.list);
  t.RequireRefusal("MASK-ROWS-RANGE", in, std::string(bad.what));
}

// Lists go to who takes them, bad numbers to who says that it looks.
Domain RowsPastTheEnd(const Context& context) {
  const uint32_t flags = context.subject->flags;
  Domain domain;
  domain.axes = {{&Case::special, {}}, {&Case::vocab, {33, 1, 100}}};
  int64_t code = 0;
  for (const BadRows& bad : BadCalls()) {
    const bool lists = !bad.logit_rows.empty() || !bad.mask_rows.empty();
    uint32_t needed = 0;
    if (lists) needed |= ASSAY_MASK_ROW_MAPS;
    const bool shared = mask::SharesList(context.profile);
    if (bad.numbers || (shared && lists && bad.masks < kRows)) needed |= ASSAY_CHECKS_ARGUMENTS;
    const bool legal = !shared || bad.mask_rows.empty();
    if (legal && (flags & needed) == needed) domain.axes.front().values.push_back(code);
    ++code;
  }
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddMaskFrameProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> operation = {"apply_token_bitmask"};
  all.push_back(
      {"mask_frame", operation, {{"MASK-FRAME-UNTOUCHED", Technique::kExact}}, Frames, FrameStays});
  all.push_back({"mask_bad_rows",
                 operation,
                 {{"MASK-ROWS-RANGE", Technique::kBounds}},
                 RowsPastTheEnd,
                 RowsAreRefused});
}

}  // namespace assay
