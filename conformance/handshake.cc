#include "conformance/handshake.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/sample_batch.h"
#include "conformance/trial.h"
#include "conformance/verify/handshake.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kRows = 4096, kVocab = 16;
constexpr double kMargin = 0x1p-12;

bool Draws(const Operation& operation) {
  for (const ArgField& field : operation.fields)
    if (field.name == "seed") return true;
  return false;
}

struct Place {
  uint64_t seed, offset;
  int64_t row;
};

// The first token of a flat row whose upper end lies above u.
int32_t CellOf(const RngModel& model, const Place& at) {
  const double u = Uniform(model.map, ModelWord(model, at.seed, at.offset, at.row, 0));
  return std::min(static_cast<int32_t>(u * kVocab), static_cast<int32_t>(kVocab - 1));
}

// Two tokens race in row r: any two of the sixteen, the other word's lead decides.
struct Pair {
  int32_t low, high;
};
Pair RunnersOf(int64_t row) {
  const auto low = static_cast<int32_t>(row % (kVocab - 1));
  return {low, low + 1 + static_cast<int32_t>(row / kVocab % (kVocab - 1 - low))};
}
constexpr int32_t kTooClose = -1;  // for fp32
int32_t WinnerOf(const RngModel& model, const Place& at) {
  const auto [low, high] = RunnersOf(at.row);
  const auto uniform = [&](int32_t token) {
    return Uniform(model.map, RaceWord(model, at.seed, at.offset, at.row, token, kVocab));
  };
  const double a = uniform(low), b = uniform(high);
  if (std::abs(a - b) < kMargin || std::max(a, b) > 1 - kMargin) return kTooClose;
  return a > b ? low : high;
}

}  // namespace

const RngModel* HandshakenModel(const Context& context) {
  if (!Draws(*context.operation) || !context.subject->rng_model) return nullptr;
  const RngModel* model = FindRngModel(context.subject->rng_model);
  if (!model) return nullptr;
  if (IsVerifier(*context.operation)) return VerifierFollows(*model, context) ? model : nullptr;

  const int64_t max_rows = context.subject->max_rows;
  const int64_t rows = max_rows > 0 ? std::min(kRows, max_rows) : kRows;
  Inputs in;
  in.rows = rows;
  const bool logits = context.operation->reads == Reads::kLogits, race = Races(*context.operation);
  Tensor values = Tensor::Matrix(context.dtype, rows, kVocab);
  Tensor seed = Tensor::Vector(DType::kI64, rows), offset = Tensor::Vector(DType::kI64, rows);
  Tensor top_k = Tensor::Vector(DType::kI32, rows), top_p = Tensor::Vector(DType::kF32, rows);
  Tensor min_p = top_p, temperature = top_p, slots = top_k;
  const bool one = context.profile.seed_scope == SeedScope::kOne;
  std::vector<int32_t> expected;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<double> row(kVocab, race ? -HUGE_VAL : logits ? 0 : 1.0 / kVocab);
    if (race) row[static_cast<size_t>(RunnersOf(r).low)] = 0;
    if (race) row[static_cast<size_t>(RunnersOf(r).high)] = 0;
    values.SetRow(r, row);
    const Place at{static_cast<uint64_t>(one ? 12345 : 12345 + r * 0x1234567),
                   static_cast<uint64_t>(one ? 6 : r % 9), r};
    seed.SetInt(r, static_cast<int64_t>(at.seed));
    offset.SetInt(r, static_cast<int64_t>(at.offset));
    top_k.SetInt(r, kVocab);
    top_p.Set(0, r, 1);
    min_p.Set(0, r, 0);
    temperature.Set(0, r, 1);
    slots.SetInt(r, rows - 1 - r);
    expected.push_back(race ? WinnerOf(*model, at) : CellOf(*model, at));
  }
  in.tensors = {{RowsField(*context.operation), values},
                {"seed", seed},
                {"offset", offset},
                {"top_k", top_k},
                {"top_p", top_p},
                {"min_p", min_p},
                {"temperature", temperature},
                {"param_rows", slots}};
  const Property silent{"handshake", {}, HarnessClaims(), nullptr, nullptr};
  Trial trial(silent, context);
  const auto out = trial.Call(in);
  if (!out) return nullptr;
  for (int64_t r = 0; r < rows; ++r) {
    const int32_t want = expected[static_cast<size_t>(r)];
    if (want != kTooClose && out->at("ids").GetInt(r) != want) return nullptr;
  }
  return model;
}

}  // namespace assay
