// argmax: the largest logit, whatever its sign and size, wherever it stands, and which of several.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/logits.h"

namespace assay {
namespace {

// Case::special: what stands at `place`, and elsewhere.
enum : int64_t {
  kByFamily,    // the family's row
  kNegative,    // the family's numbers, all made negative
  kFar,         // -1e30 (-60,000 in fp16), at `place` a little less
  kLone,        // the largest negative number, elsewhere -inf
  kTied,        // equal ones at `place` and at vector, warp and tile distances
  kSignedZeros  // zeros of both signs among negative numbers
};

double Large(DType dtype) { return dtype == DType::kF16 ? 60000 : 1e30; }

// Places of equal maxima.
std::vector<size_t> TiedPlaces(const Case& at) {
  std::vector<size_t> places;
  for (const int64_t apart : {0, 1, 3, 31, 32, 128, 1024, 4096})
    places.push_back(static_cast<size_t>((PlaceOf(at.place, at.vocab) + apart) % at.vocab));
  return places;
}

std::vector<double> RowOf(const Case& at, int64_t r, DType dtype) {
  std::vector<double> row = LogitsRow(at, r, dtype);
  CaseRandom random(at, r, 44);
  const auto place = static_cast<size_t>(PlaceOf(at.place, at.vocab));
  const auto fill = [&](double here, double elsewhere) {
    std::ranges::fill(row, elsewhere);
    row[place] = here;
  };
  switch (at.special) {
    case kNegative:
      for (double& x : row) x = -std::fabs(x) - 1;
      break;
    case kFar: fill(-Large(dtype) * 0.9, -Large(dtype)); break;
    case kLone: fill(-Large(dtype), -HUGE_VAL); break;
    case kTied:
      for (double& x : row) x = std::min(x, 2.0);
      for (const size_t i : TiedPlaces(at)) row[i] = 3;
      break;
    case kSignedZeros:
      std::ranges::fill(row, -1.0);
      for (const size_t i : TiedPlaces(at)) row[i] = random.Below(2) ? 0.0 : -0.0;
      break;
    default: break;
  }
  for (double& x : row) x = DecodeFloat(dtype, EncodeFloat(dtype, x));
  return row;
}

Inputs ArgmaxInputs(const Case& at, const Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& input = in.tensors.at("logits");
  for (int64_t r = 0; r < at.rows; ++r) input.SetRow(r, RowOf(at, r, t.dtype()));
  return in;
}

std::optional<Finding> WrongToken(const Tensors& out, int64_t r, const std::vector<double>& row,
                                  const Trial& t) {
  const GreedyToken want = Argmax(row, t.profile());
  const int64_t got = out.at("ids").GetInt(r);
  if (auto wrong = WrongStatus(t, out, r, want.status)) return wrong;
  if (got == want.id) return std::nullopt;
  const auto show = [&](int64_t id) {
    const bool inside = id >= 0 && id < std::ssize(row);
    return std::to_string(id) + (inside ? " of " + Show(row[static_cast<size_t>(id)]) : "");
  };
  return Finding{RowName(r), show(want.id), show(got)};
}

void LargestOrTie(const Case& at, Trial& t) {
  const Inputs in = ArgmaxInputs(at, t);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const std::vector<double> row = in.tensors.at("logits").Row(r);
    const bool tie = std::ranges::count(row, *std::ranges::max_element(row)) > 1;
    const auto wrong = WrongToken(*out, r, row, t);
    t.Require(tie ? "DIST-GREEDY-TIES" : "DIST-GREEDY-ARGMAX", !wrong, [&] { return *wrong; });
  }
}

Domain AnyRows(const Context& context) {
  std::vector<int64_t> families;
  for (int64_t f = 0; f < logits::kFamilies; ++f)
    families.push_back((f + logits::kNarrow) % logits::kFamilies);
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {{&Case::family, std::move(families)},
                 {&Case::special, {kByFamily, kNegative, kFar, kLone, kTied, kSignedZeros}},
                 VocabAxis(context, context.tier != Tier::kQuick ? 262144 : 32001),
                 {&Case::rows, {1, 2, 7}},
                 {&Case::place, {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
  domain.quick = 100;
  return domain;
}

void EveryVocab(const Case& at, Trial& t) {
  const Inputs in = ArgmaxInputs(at, t);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto wrong = WrongToken(*out, r, in.tensors.at("logits").Row(r), t);
    t.Require("BUF-VOCAB-SWEEP", !wrong, [&] { return *wrong; });
  }
}

Domain EverySize(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {WholeVocabAxis(context, 262144),
                 {&Case::special, {kFar, kLone, kByFamily}},
                 {&Case::family, {int64_t{logits::kBeacon}}},
                 {&Case::place, {1, 0, 4, 6}},
                 {&Case::rows, {1, 3}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

// Output rows in another order than their rows, some twice, some never. Each row's largest logit
// stands alone, at a place of its own.
void IndirectRows(const Case& at, Trial& t) {
  Inputs in = ArgmaxInputs(at, t);
  for (int64_t r = 0; r < at.rows; ++r)
    in.tensors.at("logits").Set(r, (7 * r + at.seed) % at.vocab, 64);
  in.rows = at.rows + 3;
  Tensor indices = Tensor::Vector(DType::kI32, in.rows);
  CaseRandom random(at, 0, 45);
  for (int64_t r = 0; r < in.rows; ++r) indices.SetInt(r, random.Below(at.rows));
  const Tensor from = indices;
  in.tensors.emplace("indices", std::move(indices));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < in.rows; ++r) {
    const int64_t row = from.GetInt(r);
    const auto wrong = WrongToken(*out, r, in.tensors.at("logits").Row(row), t);
    t.Require("PROC-GATHER-INDIRECT", !wrong, [&] {
      Finding finding = *wrong;
      finding.place += ", which reads row " + std::to_string(row);
      return finding;
    });
  }
}

Domain GatheredRows(const Context&) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::family, {int64_t{logits::kNarrow}}},
                 {&Case::vocab, {33, 2, 5, 128, 1000, 1025, 4097}},
                 {&Case::rows, {5, 1, 2, 9, 33}}};
  domain.quick = 20;
  domain.full = 200;
  return domain;
}

std::string NoIndices(const Context& context) {
  return context.subject->flags & ASSAY_INDICES ? "" : "the subject takes no indices";
}

}  // namespace

void AddArgmaxProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> argmax = {"argmax"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"argmax_rows",
                 argmax,
                 {{"DIST-GREEDY-ARGMAX", kExact}, {"DIST-GREEDY-TIES", kExact}},
                 AnyRows,
                 LargestOrTie});
  all.push_back(
      {"argmax_vocab_sweep", argmax, {{"BUF-VOCAB-SWEEP", kExact}}, EverySize, EveryVocab});
  all.push_back({"argmax_indirect",
                 argmax,
                 {{"PROC-GATHER-INDIRECT", kExact}},
                 GatheredRows,
                 IndirectRows,
                 NoIndices});
}

}  // namespace assay
