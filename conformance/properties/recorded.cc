// Samplers on recorded logits under the grammar masks recorded with them.

#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/fixture.h"
#include "conformance/properties/all.h"
#include "conformance/properties/masked_rows.h"
#include "conformance/properties/sampling.h"
#include "conformance/trial.h"
#include "reference/softmax.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

struct Recording {
  Fixture logits = LoadFixture(FixtureDir(), "logits_json");
  Fixture masks = LoadFixture(FixtureDir(), "mask_json");
};
const Recording& TheRecording() {
  static const Recording kRecording;
  return kRecording;
}

uint64_t Word(const Fixture& fixture, int64_t row, int64_t col, size_t size) {
  const auto at = static_cast<size_t>(row * fixture.shape[1] + col) * size;
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits |= uint64_t{fixture.bytes[at + i]} << (8 * i);
  return bits;
}

// The first `vocab` tokens of step `step`, masked.
struct Step {
  std::vector<double> logits;
  std::vector<int32_t> allowed;  // ids
};
Step MaskedStep(int64_t step, int64_t vocab) {
  const Recording& recording = TheRecording();
  std::vector<int32_t> words(static_cast<size_t>((vocab + 31) / 32));
  for (size_t w = 0; w < words.size(); ++w)
    words[w] = static_cast<int32_t>(Word(recording.masks, step, static_cast<int64_t>(w), 4));
  Step made{std::vector<double>(static_cast<size_t>(vocab), -HUGE_VAL), {}};
  for (int64_t c = 0; c < vocab; ++c) {
    if (!TokenAllowed(words, c)) continue;
    made.allowed.push_back(static_cast<int32_t>(c));
    made.logits[static_cast<size_t>(c)] =
        DecodeFloat(DType::kF16, Word(recording.logits, step, c, 2));
  }
  return made;
}

int64_t Steps() { return TheRecording().logits.shape[0]; }
int64_t Width() { return TheRecording().logits.shape[1]; }

// Draws from one distribution row, or from copies of it where the subject takes no indices. A race
// runs over the whole row in each, a draft writes it.
int64_t Draws(const Trial& t) {
  if (Races(t.operation())) return 8;
  if (RowADraw(t.operation())) return 1;
  return t.Has(ASSAY_INDICES) ? 512 : 8;
}

SampleBatch DrawsFrom(const std::vector<double>& row, const Case& at, bool injected,
                      const Trial& t) {
  SampleBatch batch;
  batch.logits = t.operation().reads == Reads::kLogits;
  batch.values = Tensor::Matrix(t.dtype(), 1, at.vocab);
  batch.values.SetRow(0, row);
  batch.top_k = {TopKOf(at.top_k, at.vocab)};
  batch.top_p = {TopPOf(at.top_p)};
  batch.min_p = {MinPOf(at.min_p)};
  batch.temperature = {TemperatureOf(at.temperature)};
  batch.order = at.order;
  CaseRandom random(at, 0, 31);
  for (int64_t i = 0; i < Draws(t); ++i) {
    const auto n = static_cast<size_t>(i);
    if (injected)
      batch.Add(0, n < std::size(kEndUniforms) ? kEndUniforms[n] : random.Unit());
    else
      batch.Add(0, RowSeed(at, i, t.profile()), RowOffset(at, i, t.profile()));
  }
  return batch;
}

// The step's row as the operation reads it: a temperature that is no argument is applied before.
std::vector<double> RowOf(const Step& step, const Case& at, const Trial& t) {
  const auto temperature = static_cast<double>(TemperatureOf(at.temperature));
  std::vector<double> row = step.logits;
  if (t.operation().reads == Reads::kProbs)
    row = Softmax(row, temperature, t.profile()).probs;
  else if (!Has(t.operation(), "temperature"))
    for (double& x : row) x /= temperature;
  for (double& x : row) x = DecodeFloat(t.dtype(), EncodeFloat(t.dtype(), x));
  return row;
}

void OnlyAllowedTokens(const Case& at, Trial& t) {
  const Step step = MaskedStep(at.special, at.vocab);
  if (step.allowed.empty()) return;  // of a shortened row
  const std::vector<double> row = RowOf(step, at, t);
  for (const bool injected : {false, true}) {
    if (injected && (!t.Has(ASSAY_INJECTED) || Races(t.operation()))) continue;
    const auto ids = Sample(DrawsFrom(row, at, injected, t), t);
    if (!ids) return;
    for (size_t r = 0; r < ids->size(); ++r)
      masked::RequireAllowed(step.allowed, (*ids)[r],
                             "draw " + std::to_string(r) + (injected ? ", injected uniforms" : ""),
                             t);
  }
}

Domain RecordedSteps(const Context& context) {
  Domain domain;
  std::vector<int64_t> steps;
  for (int64_t i = 0; i < Steps(); ++i) steps.push_back(i);
  domain.axes = {{&Case::vocab, {Width()}},
                 {&Case::special, std::move(steps)},
                 {&Case::temperature, {0, 2, 7}}};
  AddParamAxes(context, {.top_k = {0, 40, 1}, .top_p = {0, 5}, .min_p = {0, 5}, .order = {}},
               domain);
  if (context.tier == Tier::kQuick) domain.sweep_only = true;
  domain.quick = 0;
  domain.full = 100;
  return domain;
}

// Probabilities from fp32 softmax sum to 1 as closely as an engine's; rounded to 16 bits they do
// not.
std::string RowsMustSumToOne(const Context& context) {
  if (context.subject->max_vocab > 0 && context.subject->max_vocab < Width())
    return "the recorded rows have " + std::to_string(Width()) + " tokens";
  const bool probs = context.operation->reads == Reads::kProbs;
  return probs && context.profile.row_sum == RowSum::kIllegal && context.dtype != DType::kF32
             ? "recorded rows in this dtype do not sum to 1, which the profile asks for"
             : "";
}

}  // namespace

void AddRecordedProperties(std::vector<Property>& all) {
  all.push_back(
      {"recorded_masks",
       AllSamplers(),
       {{"MASK-SAMPLE-SUPPORT", Technique::kEdge}, {"MASK-SAMPLE-FORCED", Technique::kEdge}},
       RecordedSteps,
       OnlyAllowedTokens,
       RowsMustSumToOne});
}

}  // namespace assay
