// apply_token_bitmask on logits of a reduced vocabulary: columns stand for tokens by d2t.

#include <algorithm>
#include <numeric>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

constexpr std::string_view kClause = "MASK-COLUMN-MAP";

// ---- Which bit a column is tested with. --------------------------------------------------------

// What Case::special says of the tokens of the columns, and of the masks: some of all tokens,
// ascending; the last ones; the same in any order; ascending, and no mask allows one of them.
enum Map : int64_t { kSome, kLast, kAnyOrder, kNoneAllowed };

// Of a vocabulary of Case::draws tokens more.
std::vector<int32_t> TokensOf(const Case& at) {
  CaseRandom random(at, 0, 23);
  const int64_t all = at.vocab + at.draws;
  std::vector<int32_t> tokens = Permutation(all, random);
  if (at.special == kLast) std::iota(tokens.begin(), tokens.end(), static_cast<int32_t>(at.draws));
  tokens.resize(static_cast<size_t>(at.vocab));
  if (at.special != kAnyOrder) std::ranges::sort(tokens);
  return tokens;
}

std::vector<int32_t> OffsetsOf(std::vector<int32_t> tokens) {
  for (size_t j = 0; j < tokens.size(); ++j) tokens[j] -= static_cast<int32_t>(j);
  return tokens;
}

Tensor Masks(const Case& at, const std::vector<int32_t>& tokens) {
  Case whole = at;
  whole.vocab = at.vocab + at.draws;
  Tensor masks = mask::RandomMasks(whole, at.rows, mask::Words(whole.vocab), 24);
  for (int64_t r = 0; at.special == kNoneAllowed && r < at.rows; ++r)
    for (const int32_t token : tokens)
      masks.SetBits(r, token / 32, masks.Bits(r, token / 32) & ~(uint64_t{1} << token % 32));
  return masks;
}

void ColumnsAreTokens(const Case& at, Trial& t) {
  const std::vector<int32_t> tokens = TokensOf(at), d2t = OffsetsOf(tokens);
  Inputs in;
  in.rows = at.rows;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", Masks(at, tokens)},
                {"d2t", mask::Indices(d2t)}};
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r)
    mask::RequireSelection(
        t, kClause, in.tensors.at("logits"), out->at("logits"), r,
        MaskedColumns(mask::MaskRow(in.tensors.at("bitmask"), r), at.vocab, 0, t.profile(), d2t));
}

Domain Maps(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {2, 1, 31, 33, 64, 100, 1025}},
                 {&Case::draws, {4, 0, 1, 32, 1000}},
                 {&Case::special, {kSome, kLast, kAnyOrder, kNoneAllowed}},
                 {&Case::rows, {1, 3}}};
  if (context.subject->flags & ASSAY_ROW_STRIDE) domain.axes.push_back({&Case::pad, {0, 3}});
  domain.quick = 20;
  return domain;
}

std::string NoColumnMap(const Context& context) {
  return context.subject->flags & ASSAY_MASK_COLUMN_MAP ? "" : "the subject takes no d2t";
}

// ---- Maps that are refused. --------------------------------------------------------------------

enum Bad : int64_t { kShort, kLong, kWrongDtype, kBelow, kPast, kLowest };

// The last entry is wrong, or the whole list.
void MapsAreRefused(const Case& at, Trial& t) {
  const int64_t words = mask::Words(at.vocab);
  std::vector<int32_t> d2t(static_cast<size_t>(at.vocab), 0);
  const auto last = static_cast<int32_t>(at.vocab - 1);
  if (at.special == kShort) d2t.pop_back();
  if (at.special == kLong) d2t.push_back(0);
  if (at.special == kBelow) d2t.back() = -last - 1;
  if (at.special == kPast) d2t.back() = static_cast<int32_t>(32 * words) - last;
  if (at.special == kLowest) d2t.back() = INT32_MIN;
  Inputs in;
  in.rows = at.rows;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", mask::RandomMasks(at, at.rows, words, 25)},
                {"d2t", mask::Indices(d2t, at.special == kWrongDtype ? DType::kI64 : DType::kI32)}};
  t.RequireRefusal(kClause, in, "d2t " + std::to_string(at.special));
}

Domain BadMaps(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {kShort, kLong, kWrongDtype}},
                 {&Case::vocab, {33, 2, 100}},
                 {&Case::rows, {1, 3}}};
  if (context.subject->flags & ASSAY_CHECKS_ARGUMENTS)
    domain.axes[0].values.insert(domain.axes[0].values.end(), {kBelow, kPast, kLowest});
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddMaskColumnProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> operation = {"apply_token_bitmask"};
  all.push_back({"mask_columns",
                 operation,
                 {{kClause, Technique::kExact}},
                 Maps,
                 ColumnsAreTokens,
                 NoColumnMap});
  all.push_back({"mask_bad_columns",
                 operation,
                 {{kClause, Technique::kBounds}},
                 BadMaps,
                 MapsAreRefused,
                 NoColumnMap});
}

}  // namespace assay
