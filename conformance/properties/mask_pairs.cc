// apply_token_bitmask: row maps, masks one after another.

#include <algorithm>
#include <array>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

enum Map : int64_t { kBoth, kLogitRows, kMaskRows, kRepeats };

// `count` of the rows; kRepeats may take one more than once.
std::vector<int32_t> SomeRows(const Case& at, int64_t rows, int64_t count, uint64_t purpose) {
  CaseRandom random(at, 0, purpose);
  std::vector<int32_t> list = Permutation(rows, random);
  list.resize(static_cast<size_t>(count));
  if (at.special == kRepeats)
    for (int32_t& row : list) row = static_cast<int32_t>(random.Below(rows));
  return list;
}

// Pairs of rows: a permutation of a part of them, or repeats.
void RowsArePaired(const Case& at, Trial& t) {
  const bool alone = at.special == kLogitRows || mask::SharesList(t.profile());
  const int64_t pairs =
      at.special == kMaskRows ? at.rows : 1 + CaseRandom(at, 0, 15).Below(at.rows);
  const int64_t masks = alone ? mask::MasksFor(pairs, at.rows, t.profile()) : pairs;
  Inputs in;
  in.rows = at.rows;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", mask::RandomMasks(at, masks, mask::Words(at.vocab), 16)}};
  std::vector<int32_t> logit_rows, mask_rows;
  if (at.special != kMaskRows) logit_rows = SomeRows(at, at.rows, pairs, 17);
  if (!alone) mask_rows = SomeRows(at, pairs, pairs, 18);
  if (!logit_rows.empty()) in.tensors["logit_rows"] = mask::Indices(logit_rows);
  if (!mask_rows.empty()) in.tensors["mask_rows"] = mask::Indices(mask_rows);
  const auto out = t.Call(in);
  if (!out) return;
  const auto acting = MaskRowsOf(logit_rows, mask_rows, at.rows, masks, t.profile().mask_rows);
  for (int64_t r = 0; r < at.rows; ++r) {
    std::vector<bool> masked(static_cast<size_t>(at.vocab), false);
    for (const int32_t m : acting[static_cast<size_t>(r)]) {
      const auto by =
          MaskedColumns(mask::MaskRow(in.tensors.at("bitmask"), m), at.vocab, 0, t.profile());
      for (size_t c = 0; c < by.size(); ++c)
        if (by[c]) masked[c] = true;
    }
    mask::RequireSelection(t, "MASK-ROWS-MAP", in.tensors.at("logits"), out->at("logits"), r,
                           masked);
  }
}

Domain Maps(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::rows, {2, 1, 3, 9, 33}},
                 {&Case::vocab, {32, 1, 33, 100}},
                 {&Case::special, {kBoth, kLogitRows, kMaskRows, kRepeats}}};
  if (mask::SharesList(context.profile)) domain.axes.back().values = {kLogitRows, kRepeats};
  domain.quick = 30;
  return domain;
}

// Pairs listed, but none: special 0 both lists are empty, 1 only logit_rows, 2 only mask_rows.
void NoPairs(const Case& at, Trial& t) {
  Inputs in;
  in.rows = at.rows;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", mask::RandomMasks(at, 0, mask::Words(at.vocab), 16)}};
  if (at.special != 2) in.tensors["logit_rows"] = mask::Indices({});
  if (at.special != 1) in.tensors["mask_rows"] = mask::Indices({});
  const auto out = t.Call(in);
  if (!out && !t.refused()) return;  // a guard or an input that changed: recorded
  const bool kept = out && [&] {
    for (int64_t r = 0; r < at.rows; ++r)
      if (!out->at("logits").SameRow(r, in.tensors.at("logits"), r)) return false;
    return true;
  }();
  t.Require("MASK-ROWS-EMPTY", kept, [&] {
    return Finding{"empty row list", "ASSAY_OK and no logit changed",
                   out ? "logits changed" : "the call failed"};
  });
}

Domain EmptyMaps(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::rows, {1, 3}}, {&Case::vocab, {32, 1, 100}}, {&Case::special, {0, 1, 2}}};
  if (mask::SharesList(context.profile)) domain.axes.back().values = {1};
  domain.quick = 0;
  domain.full = 20;
  return domain;
}

// Two masks in either order, both at once, one twice, one that allows all. special 1: the second
// allows what the first does not.
void MasksMeet(const Case& at, Trial& t) {
  const Tensor logits = mask::Logits(at, t, mask::kPlain);
  const int64_t words = mask::Words(at.vocab);
  const Tensor one = mask::RandomMasks(at, at.rows, words, 19);
  Tensor two = mask::RandomMasks(at, at.rows, words, 20), both = one, all = one;
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t w = 0; w < words; ++w) {
      if (at.special) two.SetBits(r, w, ~one.Bits(r, w) & mask::Inside(at, w));
      both.SetBits(r, w, one.Bits(r, w) & two.Bits(r, w));
      all.SetBits(r, w, 0xFFFFFFFFu);
    }
  const auto after = [&](const std::vector<const Tensor*>& masks) -> std::optional<Tensor> {
    Tensor now = logits;
    for (const Tensor* mask : masks) {
      Inputs in;
      in.rows = at.rows;
      in.tensors = {{"logits", now}, {"bitmask", *mask}};
      const auto out = t.Call(in);
      if (!out) return std::nullopt;
      now = out->at("logits");
    }
    return now;
  };
  struct Law {
    const char *left_says, *right_says;
    std::vector<const Tensor*> left, right;
  };
  const Law laws[] = {{"m1 then m2", "m1 & m2", {&one, &two}, {&both}},
                      {"m2 then m1", "m1 & m2", {&two, &one}, {&both}},
                      {"m1 twice", "m1 once", {&one, &one}, {&one}},
                      {"all ones", "the logits as they were", {&all}, {}}};
  for (const Law& law : laws) {
    const auto left = after(law.left), right = after(law.right);
    if (!left || !right) return;
    for (int64_t r = 0; r < at.rows; ++r)
      t.Require("MASK-ALGEBRA-AND", left->SameRow(r, *right, r), [&] {
        return Finding{"row " + std::to_string(r), law.right_says,
                       std::string(law.left_says) + " gives other bits"};
      });
  }
}

Domain TwoMasks(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::vocab, {32, 1, 33, 100, 1025}}, {&Case::rows, {1, 3}}, {&Case::special, {0, 1}}};
  domain.quick = 10;
  return domain;
}

}  // namespace

void AddMaskPairProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> operation = {"apply_token_bitmask"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"mask_row_maps",
                 operation,
                 {{"MASK-ROWS-MAP", kExact}},
                 Maps,
                 RowsArePaired,
                 mask::NoRowMaps});
  all.push_back({"mask_no_pairs",
                 operation,
                 {{"MASK-ROWS-EMPTY", kExact}},
                 EmptyMaps,
                 NoPairs,
                 mask::NoRowMaps});
  all.push_back({"mask_algebra",
                 operation,
                 {{"MASK-ALGEBRA-AND", Technique::kMetamorphic}},
                 TwoMasks,
                 MasksMeet});
}

}  // namespace assay
