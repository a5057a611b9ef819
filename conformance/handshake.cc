#include "conformance/handshake.h"

#include <vector>

#include "conformance/trial.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kRows = 4096, kVocab = 16;

bool Draws(const Operation& operation) {
  for (const ArgField& field : operation.fields)
    if (field.name == "seed") return true;
  return false;
}

}  // namespace

const RngModel* HandshakenModel(const Context& context) {
  if (!Draws(*context.operation) || !context.subject->rng_model) return nullptr;
  const RngModel* model = FindRngModel(context.subject->rng_model);
  if (!model) return nullptr;

  const int64_t max_rows = context.subject->max_rows;
  const int64_t rows = max_rows > 0 ? std::min(kRows, max_rows) : kRows;
  Inputs in;
  in.rows = rows;
  const bool logits = context.operation->reads == Reads::kLogits;
  Tensor values = Tensor::Matrix(context.dtype, rows, kVocab);
  Tensor seed = Tensor::Vector(DType::kI64, rows), offset = Tensor::Vector(DType::kI64, rows);
  Tensor top_k = Tensor::Vector(DType::kI32, rows), top_p = Tensor::Vector(DType::kF32, rows);
  Tensor min_p = top_p, temperature = top_p, slots = top_k;
  const bool one = context.profile.seed_scope == SeedScope::kOne;
  for (int64_t r = 0; r < rows; ++r) {
    values.SetRow(r, std::vector<double>(kVocab, logits ? 0 : 1.0 / kVocab));
    seed.SetInt(r, one ? 12345 : 12345 + r * 0x1234567);
    offset.SetInt(r, one ? 6 : r % 9);
    top_k.SetInt(r, kVocab);
    top_p.Set(0, r, 1);
    min_p.Set(0, r, 0);
    temperature.Set(0, r, 1);
    slots.SetInt(r, rows - 1 - r);
  }
  const auto word = [&](int64_t r) {
    return ModelWord(*model, static_cast<uint64_t>(seed.GetInt(r)),
                     static_cast<uint64_t>(offset.GetInt(r)), r, 0);
  };
  std::vector<int32_t> expected;
  for (int64_t r = 0; r < rows; ++r) {
    const double u = Uniform(model->map, word(r)) * kVocab;
    const auto cell = static_cast<int32_t>(u);  // the first token whose upper end lies above u
    expected.push_back(std::min<int32_t>(cell, kVocab - 1));
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
  for (int64_t r = 0; r < rows; ++r)
    if (out->at("ids").GetInt(r) != expected[static_cast<size_t>(r)]) return nullptr;
  return model;
}

}  // namespace assay
