#include "conformance/properties/masked_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/properties/param_axes.h"
#include "conformance/properties/sampling.h"
#include "reference/logprobs.h"
#include "reference/softmax.h"

namespace assay::masked {
namespace {

constexpr int64_t kMostAllowed = 4096;  // each has a probability that every dtype holds

double Lowest(DType dtype) { return dtype == DType::kF16 ? -65504 : -1e30; }

// Rows of unequal 16-bit probabilities do not sum to 1.
int64_t ContentOf(const Case& at, const Trial& trial) {
  const bool sums = ReadsProbs(trial.operation()) && trial.dtype() != DType::kF32 &&
                    trial.profile().row_sum == RowSum::kIllegal;
  return sums ? int64_t{kEqual} : at.family;
}

}  // namespace

std::vector<int32_t> AllowedTokens(const Case& at, int64_t row) {
  const auto place = static_cast<int32_t>(PlaceOf(at.place + row, at.vocab));
  const auto last = static_cast<int32_t>(at.vocab - 1);
  std::vector<int32_t> ids = {place};
  if (at.special == kPair && place != last - place) ids.push_back(last - place);
  if (at.special == kWord) {
    const int32_t first = place / 32 * 32, count = std::min(last + 1 - first, 32);
    ids.clear();
    while (std::ssize(ids) < static_cast<int64_t>(std::bit_floor(static_cast<uint32_t>(count))))
      ids.push_back(first + static_cast<int32_t>(ids.size()));
  }
  if (at.special == kHalf) {
    CaseRandom random(at, row, 111);
    ids = Permutation(at.vocab, random);
    const auto half = static_cast<uint64_t>(std::min((at.vocab + 1) / 2, kMostAllowed));
    ids.resize(std::bit_floor(half));
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<int32_t> MaskWords(const std::vector<int32_t>& allowed, int64_t vocab) {
  std::vector<uint32_t> words(static_cast<size_t>(mask::Words(vocab)), 0);
  const auto set = [&](int64_t id) { words[static_cast<size_t>(id / 32)] |= 1u << id % 32; };
  for (const int32_t id : allowed) set(id);
  for (int64_t id = vocab; id % 32 != 0; ++id) set(id);
  return {words.begin(), words.end()};
}

std::vector<double> MaskedRow(const Case& at, int64_t row, const Trial& trial) {
  CaseRandom random(at, row, 112);
  const int64_t content = ContentOf(at, trial);
  const auto decoded = [&](double x) {
    return DecodeFloat(trial.dtype(), EncodeFloat(trial.dtype(), x));
  };
  std::vector<double> logits(static_cast<size_t>(at.vocab), -Lowest(trial.dtype()));
  const std::vector<int32_t> allowed = AllowedTokens(at, row);
  for (const int32_t id : allowed)
    logits[static_cast<size_t>(id)] = content == kFar     ? Lowest(trial.dtype())
                                      : content == kEqual ? 0
                                                          : decoded(3 * random.Normal());
  std::vector<double> made = MaskLogits(logits, MaskWords(allowed, at.vocab));
  if (ReadsProbs(trial.operation())) made = Softmax(made, 1, trial.profile()).probs;
  for (double& x : made) x = decoded(x);
  return made;
}

void RequireAllowed(const std::vector<int32_t>& allowed, int32_t id, const std::string& place,
                    Trial& trial) {
  const bool lone = allowed.size() == 1;
  const bool inside = std::ranges::binary_search(allowed, id);
  trial.Require(lone ? "MASK-SAMPLE-FORCED" : "MASK-SAMPLE-SUPPORT", inside, [&] {
    return Finding{place,
                   lone ? "the one allowed token " + std::to_string(allowed[0])
                        : "one of " + std::to_string(allowed.size()) + " allowed tokens",
                   std::to_string(id)};
  });
}

Domain MaskedRows(const Context& context) {
  Domain domain;
  std::vector<int64_t> widths = {4097, 1, 2, 5, 31, 32, 33, 64, 1000, 1025}, long_ones = {32001};
  if (Has(*context.operation, "draft_probs")) {
    std::swap(widths.front(), widths.back());  // most cases have the first
    long_ones.clear();
  }
  domain.axes = {{&Case::vocab, widths, long_ones},
                 {&Case::place, {1, 0, 2, 3, 4, 5, 6, 7, 8}},
                 {&Case::special, {kLone, kPair, kWord, kHalf}},
                 {&Case::family, {kFar, kEqual, kRandom}},
                 {&Case::rows, {2, 1, 5}}};
  ParamAxes params{
      .top_k = {0, 1, 2, 40}, .top_p = {0, 5, 8}, .min_p = {0, 5}, .temperature = {0, 1, 2, 3}};
  if (context.profile.temperature_zero != TemperatureZero::kIllegal)
    params.temperature.push_back(kTemperatureZero);
  AddParamAxes(context, params, domain);
  domain.max_elements = 1 << 16;
  domain.quick = QuickCases(context, 20);
  domain.full = 400;
  return domain;
}

}  // namespace assay::masked
