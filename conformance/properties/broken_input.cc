// Rows and parameters that a kernel must not pass off as good: NaN, +inf, rows without a positive
// token, parameters outside their domain. Good rows stand between the broken ones and stay good.

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/broken_rows.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/sampling.h"
#include "conformance/trial.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Case::special, a list for each property.
enum : int64_t { kOneNan, kAllNan, kSignedNan, kNanAlone, kNans };
enum : int64_t { kZeros, kNegativeZeros, kNegatives, kEmpties };
enum : int64_t { kOneInf, kTwoInfs, kInfAndNan, kInfs };
enum : int64_t { kGoodRow, kNanRow };
constexpr int32_t kBadIndices[] = {-1, INT32_MIN, INT32_MAX};

bool ReadsLogits(const Operation& operation) { return operation.reads == Reads::kLogits; }
bool HasFraction(const Operation& operation) {  // or a temperature: a bounded domain
  return Has(operation, "top_p") || Has(operation, "min_p") || Has(operation, "temperature");
}
bool IsBroken(int64_t row) { return row % 2 == 0; }

// Calls with every other row broken by `spoil(input, row)`.
template <class Spoil>
void WithBrokenRows(std::string_view requirement, const Case& at, Trial& t, Spoil spoil) {
  Inputs in = GoodInputs(at, t);
  Tensor& input = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < at.rows; ++r)
    if (IsBroken(r)) spoil(input, r);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r)
    CheckRow(requirement, *out, r, ExpectedOf(at, r, input.Row(r), t), t);
}

// A NaN as x86 makes it, and with a payload.
uint64_t SignedNan(DType dtype) {
  const uint64_t sign = uint64_t{1} << (8 * SizeOf(dtype) - 1);
  return EncodeFloat(dtype, kNan) | sign | 1;
}

void NanRows(const Case& at, Trial& t) {
  const int64_t place = PlaceOf(at.place, at.vocab);
  const double nothing = ReadsLogits(t.operation()) ? -kInf : 0.0;
  WithBrokenRows("ROBUST-NAN-ROW", at, t, [&](Tensor& input, int64_t r) {
    for (int64_t c = 0; at.special == kAllNan && c < at.vocab; ++c) input.Set(r, c, kNan);
    for (int64_t c = 0; at.special == kNanAlone && c < at.vocab; ++c) input.Set(r, c, nothing);
    if (at.special == kSignedNan)
      input.SetBits(r, place, SignedNan(t.dtype()));
    else
      input.Set(r, place, kNan);
  });
}

void EmptyRows(const Case& at, Trial& t) {
  const double fill = ReadsLogits(t.operation()) ? -kInf
                      : at.special == kZeros     ? 0.0
                      : at.special == kNegatives ? -0.25
                                                 : -0.0;
  WithBrokenRows("ROBUST-EMPTY-ROW", at, t, [&](Tensor& input, int64_t r) {
    for (int64_t c = 0; c < at.vocab; ++c) input.Set(r, c, fill);
  });
}

void InfLogits(const Case& at, Trial& t) {
  const int64_t place = PlaceOf(at.place, at.vocab);
  WithBrokenRows("ROBUST-INF-LOGIT", at, t, [&](Tensor& input, int64_t r) {
    if (at.special == kTwoInfs) input.Set(r, at.vocab - 1 - place, kInf);
    if (at.special == kInfAndNan) input.Set(r, at.vocab - 1 - place, kNan);
    input.Set(r, place, kInf);
  });
}

// Parameters of even rows outside their domain (expand.h); the row as such is good, or has a NaN.
void BadParameters(const Case& at, Trial& t) {
  WithBrokenRows("ROBUST-PARAM-REFUSE", at, t, [&](Tensor& input, int64_t r) {
    if (at.special == kNanRow) input.Set(r, PlaceOf(at.place, at.vocab), kNan);
  });
}

// Case::special: which number, in `indices` and then, where there are slots, in `param_rows`.
constexpr int64_t kIndexCodes = std::ssize(kBadIndices) + 1;

void BadIndices(const Case& at, Trial& t) {
  Inputs in = GoodInputs(at, t);
  const Tensor& values = in.tensors.at(RowsField(t.operation()));
  const bool slots = at.special >= kIndexCodes;
  const int64_t code = at.special % kIndexCodes;
  const int64_t past = slots ? SlotsOf(at) : at.rows;
  Tensor indices = slots ? in.tensors.at("param_rows") : Tensor::Vector(DType::kI32, at.rows);
  for (int64_t r = 0; r < at.rows; ++r) {
    if (IsBroken(r))
      indices.SetInt(r, code < std::ssize(kBadIndices) ? kBadIndices[code] : past);
    else if (!slots)
      indices.SetInt(r, r);
  }
  in.tensors[slots ? "param_rows" : "indices"] = std::move(indices);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    Expected expected = ExpectedOf(at, r, values.Row(r), t);
    if (IsBroken(r)) expected.status = RowStatus::kIndex;
    CheckRow("ROBUST-PARAM-REFUSE", *out, r, expected, t);
  }
}

std::vector<int64_t> Between(int64_t first, int64_t last) {
  std::vector<int64_t> codes;
  for (int64_t code = first; code <= last; ++code) codes.push_back(code);
  return codes;
}
std::vector<int64_t> Upto(int64_t count) { return Between(0, count - 1); }

Domain Rows(const Context& context, int64_t specials) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::special, Upto(specials)},
                 {&Case::vocab, {2, 1, 3, 33, 129, 1000, 1025, 4097}},
                 {&Case::rows, {1, 2, 5, 33}},
                 {&Case::place, Upto(kPlaces)},
                 {&Case::scalar, {0, 1}}};
  AddParamAxes(context,
               {.top_k = {0, 1, 3}, .top_p = {0, 1}, .min_p = {0, 1}, .temperature = {0, 3}},
               domain);
  domain.quick = QuickCases(context, 20);
  domain.full = 200;
  return domain;
}

Domain NanDomain(const Context& context) { return Rows(context, kNans); }
Domain InfDomain(const Context& context) { return Rows(context, kInfs); }
Domain IndexDomain(const Context& context) {
  return Rows(context, (Has(*context.operation, "param_rows") ? 2 : 1) * kIndexCodes);
}
Domain EmptyDomain(const Context& context) {  // rows that sum to no more than 0 by zeros alone
  const bool negative = context.profile.row_sum != RowSum::kIllegal;
  return Rows(context, ReadsLogits(*context.operation) ? int64_t{1}
                       : negative                      ? int64_t{kEmpties}
                                                       : int64_t{kNegatives});
}
// An operation with one such parameter gets bad ones only; with several, each meets good others.
Domain ParameterDomain(const Context& context) {
  struct Codes {
    std::string_view field;
    int64_t Case::*code;
    int64_t first, last;
  };
  constexpr Codes kCodes[] = {
      {"temperature", &Case::temperature, kTemperatureBadFirst, kTemperatureBadLast},
      {"top_p", &Case::top_p, kTopPBadFirst, kTopPBadLast},
      {"min_p", &Case::min_p, kMinPBadFirst, kMinPBadLast}};
  const bool nan = context.profile.nan_row != NanRow::kIllegal;
  Domain domain = Rows(context, nan ? 2 : 1);
  std::vector<Axis*> axes;
  for (const Codes& codes : kCodes) {
    if (!Has(*context.operation, codes.field)) continue;
    const auto axis = std::find_if(domain.axes.begin(), domain.axes.end(),
                                   [&](const Axis& a) { return a.field == codes.code; });
    axis->values.clear();
    for (int64_t code = codes.first; code <= codes.last; ++code) axis->values.push_back(code);
    axes.push_back(&*axis);
  }
  for (Axis* axis : axes)
    if (axes.size() > 1) axis->values.insert(axis->values.begin(), 0);
  return domain;
}

std::string EmptyUnsupported(const Context& context) {
  return context.profile.empty_row == EmptyRow::kIllegal
             ? "the profile promises nothing for rows without a positive token"
             : "";
}
std::string NanUnsupported(const Context& context) {
  return context.profile.nan_row == NanRow::kIllegal ? "the profile promises nothing for NaN" : "";
}
std::string InfUnsupported(const Context& context) {
  return context.profile.inf_logit == InfLogit::kIllegal
             ? "the profile promises nothing for +inf logits"
             : "";
}
std::string IndexUnsupported(const Context& context) {
  if (!(context.subject->flags & ASSAY_INDICES)) return "the subject takes no indices";
  return BadParameterUnsupported(context);
}

}  // namespace

void AddBrokenInputProperties(std::vector<Property>& all) {
  std::vector<std::string_view> reporting, with_fraction, with_indices, on_logits;
  for (const Operation& operation : Operations()) {
    if (!Has(operation, "status") || Has(operation, "index")) continue;  // of slots, not of rows
    reporting.push_back(operation.name);
    if (HasFraction(operation)) with_fraction.push_back(operation.name);
    if (Has(operation, "indices")) with_indices.push_back(operation.name);
    if (ReadsLogits(operation)) on_logits.push_back(operation.name);
  }
  all.push_back({"broken_nan_rows",
                 reporting,
                 {{"ROBUST-NAN-ROW", Technique::kExact}},
                 NanDomain,
                 NanRows,
                 NanUnsupported});
  all.push_back({"broken_empty_rows",
                 reporting,
                 {{"ROBUST-EMPTY-ROW", Technique::kExact}},
                 EmptyDomain,
                 EmptyRows,
                 EmptyUnsupported});
  all.push_back({"broken_inf_logits",
                 on_logits,
                 {{"ROBUST-INF-LOGIT", Technique::kExact}},
                 InfDomain,
                 InfLogits,
                 InfUnsupported});
  all.push_back({"broken_parameters",
                 with_fraction,
                 {{"ROBUST-PARAM-REFUSE", Technique::kExact}},
                 ParameterDomain,
                 BadParameters,
                 BadParameterUnsupported});
  all.push_back({"broken_indices",
                 with_indices,
                 {{"ROBUST-PARAM-REFUSE", Technique::kExact}},
                 IndexDomain,
                 BadIndices,
                 IndexUnsupported});
}

}  // namespace assay
