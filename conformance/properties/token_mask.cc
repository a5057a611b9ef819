// apply_token_bitmask: which entries become -inf, and that nothing else changes a bit.

#include "reference/token_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/trial.h"

namespace assay {
namespace {

using mask::Logits;

// What Case::special says of a row's mask; odd rows have another one.
enum Pattern : int64_t { kRandom, kAllOnes, kAllZeros, kOneAllowed, kOneBanned, kBit31, kPatterns };

bool BitOf(const Case& at, int64_t row, int64_t column, CaseRandom& random) {
  const bool coin = random.Next() % 2 != 0;
  switch (row % 2 == 0 ? at.special : (at.special + 2) % kPatterns) {
    case kAllOnes: return true;
    case kAllZeros: return false;
    case kOneAllowed: return column == PlaceOf(at.place, at.vocab);
    case kOneBanned: return column != PlaceOf(at.place, at.vocab);
    case kBit31: return column % 32 == 31;
    default: return coin;
  }
}

Tensor Masks(const Case& at, int64_t rows) {
  Tensor masks = Tensor::Matrix(DType::kI32, rows, mask::Words(at.vocab), {at.pad, 0});
  for (int64_t r = 0; r < rows; ++r) {
    CaseRandom random(at, r, 11);
    std::vector<bool> bits(static_cast<size_t>(at.vocab));
    for (int64_t c = 0; c < at.vocab; ++c) bits[static_cast<size_t>(c)] = BitOf(at, r, c, random);
    mask::SetMask(masks, r, bits);
  }
  return masks;
}

// The call on masks of its own for each row.
Inputs Call(Tensor logits, Tensor masks) {
  Inputs in;
  in.rows = logits.rows();
  in.tensors = {{"logits", std::move(logits)}, {"bitmask", std::move(masks)}};
  return in;
}

std::vector<bool> Wanted(const Tensor& masks, int64_t row, int64_t columns, int64_t vocab,
                         const Profile& profile) {
  return MaskedColumns(mask::MaskRow(masks, row), columns, vocab, profile);
}

// Numbers in which a kept and a masked entry differ: the right entries are masked.
void MasksTheRightEntries(const Case& at, Trial& t) {
  const Inputs in = Call(Logits(at, t, mask::kPlain), Masks(at, at.rows));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r)
    mask::RequireSelection(t, "MASK-BITS-ORDER", in.tensors.at("logits"), out->at("logits"), r,
                           Wanted(in.tensors.at("bitmask"), r, at.vocab, 0, t.profile()));
}

Domain ShortRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {2, 1, 31, 32, 33, 63, 64, 65, 96, 127, 130}},
                 {&Case::rows, {1, 2, 5}},
                 {&Case::special, {kRandom, kAllOnes, kAllZeros, kOneAllowed, kOneBanned, kBit31}},
                 {&Case::place, {0, 1, 2, 3, 4}}};
  domain.quick = 40;
  return domain;
}

// Special values: allowed ones keep every bit, masked ones become the one -inf.
void BitsAreExact(const Case& at, Trial& t) {
  const Inputs in = Call(Logits(at, t, mask::kSpecial), Masks(at, at.rows));
  const auto out = t.Call(in);
  const uint64_t neg_inf = EncodeFloat(t.dtype(), -HUGE_VAL);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto masked = Wanted(in.tensors.at("bitmask"), r, at.vocab, 0, t.profile());
    for (int64_t c = 0; c < at.vocab; ++c) {
      const uint64_t got = out->at("logits").Bits(r, c);
      const bool gone = masked[static_cast<size_t>(c)];
      const uint64_t want = gone ? neg_inf : in.tensors.at("logits").Bits(r, c);
      t.Require(gone ? "MASK-BITS-NEGINF" : "MASK-BITS-EXACT", got == want,
                [&] { return mask::BitsFinding(r, c, want, got); });
    }
  }
}

Domain SpecialRows(const Context& context) {
  Domain domain = ShortRows(context);
  domain.axes[0].values = {32, 1, 2, 33, 64, 100};
  domain.axes[2].values = {kAllOnes, kAllZeros, kRandom};
  domain.axes.pop_back();
  return domain;
}

// Bits past the vocabulary 0, 1 and random, also in words of their own.
void TailDoesNotMatter(const Case& at, Trial& t) {
  const Tensor logits = Logits(at, t, mask::kPlain), masks = Masks(at, at.rows);
  const int64_t words = masks.cols() + at.order;
  std::optional<Tensors> first;
  for (int tail = 0; tail < 3; ++tail) {
    Tensor longer = Tensor::Matrix(DType::kI32, at.rows, words, {at.pad, 0});
    for (int64_t r = 0; r < at.rows; ++r) {
      CaseRandom random(at, r, 12);
      for (int64_t w = 0; w < words; ++w) {
        const uint64_t fill = tail == 0 ? 0 : tail == 1 ? 0xFFFFFFFFu : random.Next() & 0xFFFFFFFFu;
        const int64_t used = std::clamp<int64_t>(at.vocab - 32 * w, 0, 32);
        const uint64_t inside = (uint64_t{1} << used) - 1;
        const uint64_t bits = w < masks.cols() ? masks.Bits(r, w) : 0;
        longer.SetBits(r, w, (bits & inside) | (fill & ~inside & 0xFFFFFFFFu));
      }
    }
    const auto out = t.Call(Call(logits, longer));
    if (!out) return;
    if (!first) first = out;
    for (int64_t r = 0; r < at.rows; ++r)
      t.Require("MASK-TAIL-BITS", out->at("logits").SameRow(r, first->at("logits"), r), [&] {
        return Finding{"row " + std::to_string(r), "as with zero bits past the vocabulary",
                       tail == 1 ? "another result with ones there" : "another with random bits"};
      });
  }
}

Domain Tails(const Context& context) {
  Domain domain = ShortRows(context);
  domain.axes[0].values = {2, 1, 31, 33, 40, 63, 65, 95, 1000, 4097};
  if (context.profile.mask_wider == MaskWider::kIgnored)
    domain.axes.push_back({&Case::order, {0, 1, 2}});  // whole words past the vocabulary
  domain.quick = 20;
  return domain;
}

// The entry that decides at the first and last place, at vector and tile edges: one row a place.
void EveryVocabulary(const Case& at, Trial& t) {
  constexpr std::array<int64_t, 6> kCodes = {0, 1, 2, 4, 6, 8};
  Case rows = at;
  rows.rows = at.vocab > 4100 ? 4 : std::ssize(kCodes);
  Tensor masks = Tensor::Matrix(DType::kI32, rows.rows, mask::Words(at.vocab));
  for (int64_t r = 0; r < rows.rows; ++r) {
    const bool allowed = (r + at.special) % 2 == 0;
    const int64_t tile = std::max<int64_t>(at.vocab / 1024 - 1, 0) * 1024;
    const int64_t place =
        r == 2 && at.vocab > 4100 ? tile : PlaceOf(kCodes[static_cast<size_t>(r)], at.vocab);
    std::vector<bool> bits(static_cast<size_t>(at.vocab), !allowed);
    bits[static_cast<size_t>(place)] = allowed;
    mask::SetMask(masks, r, bits);
  }
  const Inputs in = Call(Logits(rows, t, mask::kPlain), masks);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < rows.rows; ++r)
    mask::RequireSelection(t, "BUF-VOCAB-SWEEP", in.tensors.at("logits"), out->at("logits"), r,
                           Wanted(masks, r, at.vocab, 0, t.profile()));
}

Domain Vocabularies(const Context& context) {
  Domain domain;
  std::vector<int64_t> sizes;
  for (int64_t v = 1; v <= 130; ++v) sizes.push_back(v);
  for (int64_t tile = 1024; tile <= 262144; tile *= 2)
    for (const int64_t by : {-9, -8, -1, 0, 1, 7, 9})
      if (tile + by <= 262144 && (tile <= 4096 || by == -1 || by == 1)) sizes.push_back(tile + by);
  sizes.insert(sizes.end(), {993, 997, 32001, 50257, 128256, 151936, 151937, 262144});
  if (context.tier != Tier::kQuick)
    for (int64_t k = 3; k < 64; ++k)
      for (int64_t by = -9; by <= 9; ++by) sizes.push_back(1024 * k + by);
  domain.axes = {{&Case::vocab, std::move(sizes)}, {&Case::special, {0, 1}}};
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddTokenMaskProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> operation = {"apply_token_bitmask"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back(
      {"mask_entries", operation, {{"MASK-BITS-ORDER", kExact}}, ShortRows, MasksTheRightEntries});
  all.push_back({"mask_bits",
                 operation,
                 {{"MASK-BITS-EXACT", kExact}, {"MASK-BITS-NEGINF", kExact}},
                 SpecialRows,
                 BitsAreExact});
  all.push_back({"mask_tail",
                 operation,
                 {{"MASK-TAIL-BITS", Technique::kMetamorphic}},
                 Tails,
                 TailDoesNotMatter});
  all.push_back(
      {"mask_vocab", operation, {{"BUF-VOCAB-SWEEP", kExact}}, Vocabularies, EveryVocabulary});
}

}  // namespace assay
