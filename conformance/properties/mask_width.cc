// apply_token_bitmask: masks narrower or wider than the logits, `vocab` within both or past one.

#include <algorithm>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

// What Case::place says of the bits of every row. All ones: those past the width too.
enum Content : int64_t { kRandom, kAllOnes, kAllZeros };

Tensor Masks(const Case& at, int64_t words) {
  Tensor masks = mask::RandomMasks(at, at.rows, words, 14);
  if (at.place != kRandom) masks.FillData(at.place == kAllOnes ? 0xFF : 0x00);
  return masks;
}

Inputs Call(const Case& at, const Trial& t, int64_t words, int64_t vocab) {
  Inputs in;
  in.rows = at.rows;
  in.numbers["vocab"] = vocab;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)}, {"bitmask", Masks(at, words)}};
  return in;
}

std::string Widths(const Case& at, int64_t words, int64_t vocab) {
  return "vocab " + std::to_string(vocab) + " of " + std::to_string(at.vocab) + " columns and " +
         std::to_string(words) + " words";
}

// ---- Widths that a call may have. --------------------------------------------------------------

// Which of them ends the vocabulary before the logits do: `vocab` under a mask of as many words as
// they need; the mask; both; `vocab` under a mask of a word more.
enum Narrow : int64_t { kByVocab, kByMask, kByBoth, kByVocabOfWiderMask };

int64_t WordsOf(const Case& at, int64_t inside) {
  switch (at.special) {
    case kByVocab: return mask::Words(at.vocab);
    case kByVocabOfWiderMask: return mask::Words(at.vocab) + 1;
    default: return mask::Words(inside);
  }
}

void ColumnsBeyond(const Case& at, Trial& t) {
  const int64_t inside = at.vocab - std::min(at.draws, at.vocab - 1), words = WordsOf(at, inside);
  const int64_t vocab = at.special == kByMask ? 0 : inside;
  // A call that is taken without the word more must be taken with it.
  if (at.special == kByVocabOfWiderMask && !t.Call(Call(at, t, words - 1, vocab))) return;
  const Inputs in = Call(at, t, words, vocab);
  const auto out = t.Call(in);
  if (at.special == kByVocabOfWiderMask)
    t.Require("MASK-WIDTH-POLICY", !t.refused(), [&] {
      return Finding{Widths(at, words, vocab), "the word without a column is not read",
                     "the call failed"};
    });
  const int64_t edge = vocab == 0 ? std::min(at.vocab, 32 * words) : vocab;
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto want =
        MaskedColumns(mask::MaskRow(in.tensors.at("bitmask"), r), at.vocab, vocab, t.profile());
    const Tensor &before = in.tensors.at("logits"), &after = out->at("logits");
    std::vector<bool> inside_only = want, beyond_only = want;
    for (int64_t c = 0; c < at.vocab; ++c)  // each clause looks at its own columns
      (c < edge ? beyond_only : inside_only)[static_cast<size_t>(c)] =
          before.Bits(r, c) != after.Bits(r, c);
    mask::RequireSelection(t, "MASK-BITS-ORDER", before, after, r, inside_only);
    mask::RequireSelection(t, "MASK-WIDTH-POLICY", before, after, r, beyond_only);
  }
}

Domain WideLogits(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {40, 2, 33, 64, 65, 129, 1000}},
                 {&Case::rows, {1, 3}},
                 {&Case::special, {kByVocab, kByMask, kByBoth}},
                 {&Case::draws, {1, 8, 9, 31, 32, 33, 64}},  // columns beyond
                 {&Case::place, {kRandom, kAllOnes, kAllZeros}}};
  if (context.profile.mask_wider == MaskWider::kIgnored)
    domain.axes[2].values.push_back(kByVocabOfWiderMask);
  domain.quick = 20;
  return domain;
}

std::string NothingBeyond(const Context& context) {
  return mask::HasBeyond(context.profile) ? ""
                                          : "profile " + std::string(context.profile.name) +
                                                " has no columns past the vocabulary";
}

// ---- Widths that are refused. ------------------------------------------------------------------

enum Bad : int64_t {
  kPastLogits,       // columns < vocab <= bits of the mask
  kPastMask,         // bits < vocab <= columns
  kPastLogitsFirst,  // columns <= bits < vocab
  kPastMaskFirst,    // bits < columns < vocab
  kNegative,
  kLowHalfFits,  // of a vocab past 32 bits
  kWider,        // a mask word without a column
  kNarrow,       // a column without a mask word
  kVocabBelow    // a column past vocab
};

struct Width {
  int64_t words, vocab;
};

// More than 32 columns.
Width WidthOf(const Case& at) {
  const int64_t words = mask::Words(at.vocab);
  switch (at.special) {
    case kPastLogits: return {at.vocab / 32 + 1, at.vocab + 1};
    case kPastMask: return {words - 1, 32 * (words - 1) + 1};
    case kPastLogitsFirst: return {words, 32 * words + 1};
    case kPastMaskFirst: return {words - 1, at.vocab + 1};
    case kNegative: return {words, -1};
    case kLowHalfFits: return {words, (int64_t{1} << 32) + 8};
    case kNarrow: return {words - 1, 0};
    case kVocabBelow: return {words, at.vocab - 1};
    default: return {words + 1, 0};
  }
}

void WidthsDisagree(const Case& at, Trial& t) {
  const auto [words, vocab] = WidthOf(at);
  t.RequireRefusal("MASK-WIDTH-POLICY", Call(at, t, words, vocab), Widths(at, words, vocab));
}

Domain BadWidths(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {40, 33, 64, 65, 1000}},
                 {&Case::rows, {1, 3}},
                 {&Case::special, {kPastLogits, kPastLogitsFirst, kNegative, kLowHalfFits}},
                 {&Case::place, {kRandom, kAllOnes, kAllZeros}}};
  std::vector<int64_t>& bad = domain.axes[2].values;
  if (context.profile.mask_beyond != MaskBeyond::kIllegal)
    bad.insert(bad.end(), {kPastMask, kPastMaskFirst});
  if (context.profile.mask_beyond == MaskBeyond::kRefused)
    bad.insert(bad.end(), {kNarrow, kVocabBelow});
  if (context.profile.mask_wider == MaskWider::kRefused) bad.push_back(kWider);
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddMaskWidthProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> operation = {"apply_token_bitmask"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"mask_width",
                 operation,
                 {{"MASK-WIDTH-POLICY", kExact}, {"MASK-BITS-ORDER", kExact}},
                 WideLogits,
                 ColumnsBeyond,
                 NothingBeyond});
  all.push_back({"mask_bad_width",
                 operation,
                 {{"MASK-WIDTH-POLICY", Technique::kBounds}},
                 BadWidths,
                 WidthsDisagree});
}

}  // namespace assay
