// Samplers on recorded logits under the grammar masks recorded with them.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/fixture.h"
#include "conformance/properties/all.h"
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

// Output rows of one distribution row, or of copies of it where the subject takes no indices.
int64_t Draws(const Trial& t) { return t.Has(ASSAY_INDICES) ? 512 : 8; }

Tensor Uniforms(const Case& at, int64_t draws) {
  constexpr std::array<double, 8> kEnds = {0,   0x1p-149,    0x1p-32,     0x1p-24,
                                           0.5, 1 - 0x1p-24, 1 - 0x1p-53, 1};
  Tensor uniforms = Tensor::Vector(DType::kF64, draws);
  CaseRandom random(at, 0, 31);
  for (int64_t i = 0; i < draws; ++i) {
    const auto n = static_cast<size_t>(i);
    uniforms.Set(0, i, n < kEnds.size() ? kEnds[n] : random.Unit());
  }
  return uniforms;
}

// A tensor with the case's parameter in each distribution row.
template <class T>
Tensor Parameter(DType dtype, int64_t rows, T value) {
  Tensor tensor = Tensor::Vector(dtype, rows);
  for (int64_t r = 0; r < rows; ++r) {
    if (dtype == DType::kI32)
      tensor.SetInt(r, static_cast<int64_t>(value));
    else
      tensor.Set(0, r, static_cast<double>(value));
  }
  return tensor;
}

Inputs DrawsFrom(const std::vector<double>& probs, const Case& at, bool injected, const Trial& t) {
  const int64_t draws = Draws(t);
  Inputs in;
  in.rows = draws;
  Tensor rows = Tensor::Matrix(t.dtype(), t.Has(ASSAY_INDICES) ? 1 : draws, at.vocab);
  for (int64_t r = 0; r < rows.rows(); ++r) rows.SetRow(r, probs);
  for (const ArgField& field : t.operation().fields) {
    if (field.name == "top_k")
      in.tensors[field.name] = Parameter(DType::kI32, rows.rows(), TopKOf(at.top_k, at.vocab));
    if (field.name == "top_p")
      in.tensors[field.name] = Parameter(DType::kF32, rows.rows(), TopPOf(at.top_p));
  }
  in.numbers["filter_order"] = at.order;
  in.tensors["probs"] = std::move(rows);
  if (t.Has(ASSAY_INDICES)) in.tensors["indices"] = Tensor::Vector(DType::kI32, draws);
  in.tensors["seed"] = SeedTensor(at, draws, t.profile());
  in.tensors["offset"] = OffsetTensor(at, draws, t.profile());
  if (injected) in.tensors["uniforms"] = Uniforms(at, draws);
  return in;
}

void OnlyAllowedTokens(const Case& at, Trial& t) {
  const Step step = MaskedStep(at.special, at.vocab);
  if (step.allowed.empty()) return;  // of a shortened row
  std::vector<double> probs =
      Softmax(step.logits, static_cast<double>(TemperatureOf(at.temperature)), t.profile()).probs;
  for (double& p : probs) p = DecodeFloat(t.dtype(), EncodeFloat(t.dtype(), p));
  for (const bool injected : {false, true}) {
    if (injected && !t.Has(ASSAY_INJECTED)) continue;
    const auto out = t.Call(DrawsFrom(probs, at, injected, t));
    if (!out) return;
    const Tensor& ids = out->at("ids");
    for (int64_t r = 0; r < ids.cols(); ++r) {
      const int64_t id = ids.GetInt(r);
      const bool allowed = std::binary_search(step.allowed.begin(), step.allowed.end(), id);
      t.Require("MASK-SAMPLE-SUPPORT", allowed, [&] {
        return Finding{"draw " + std::to_string(r) + (injected ? ", injected uniforms" : ""),
                       step.allowed.size() == 1
                           ? "the one allowed token " + std::to_string(step.allowed[0])
                           : "one of " + std::to_string(step.allowed.size()) + " allowed tokens",
                       std::to_string(id)};
      });
    }
    t.Draws("MASK-SAMPLE-SUPPORT", ids.cols());
  }
}

Domain RecordedSteps(const Context& context) {
  Domain domain;
  std::vector<int64_t> steps;
  for (int64_t i = 0; i < Steps(); ++i) steps.push_back(i);
  domain.axes = {{&Case::vocab, {Width()}},
                 {&Case::special, std::move(steps)},
                 {&Case::temperature, {0, 2, 7}}};
  for (const ArgField& field : context.operation->fields) {
    if (field.name == "top_k") domain.axes.push_back({&Case::top_k, {0, 40, 1}});
    if (field.name == "top_p") domain.axes.push_back({&Case::top_p, {0, 5}});
  }
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
  return context.profile.row_sum == RowSum::kIllegal && context.dtype != DType::kF32
             ? "recorded rows in this dtype do not sum to 1, which the profile asks for"
             : "";
}

}  // namespace

void AddRecordedProperties(std::vector<Property>& all) {
  all.push_back({"recorded_masks",
                 {"sampling_from_probs", "top_k_top_p_sampling_from_probs"},
                 {{"MASK-SAMPLE-SUPPORT", Technique::kEdge}},
                 RecordedSteps,
                 OnlyAllowedTokens,
                 RowsMustSumToOne});
}

}  // namespace assay
