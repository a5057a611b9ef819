#include "conformance/properties/rule_checks.h"

#include <cmath>

#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "reference/budget.h"

namespace assay {
namespace {

double Decoded(DType dtype, double value) { return DecodeFloat(dtype, EncodeFloat(dtype, value)); }

// Entry c as the reference has it: -inf, its own bits, or a number within the budget.
std::optional<Finding> WrongEntry(const Trial& t, const Tensor& before, const Tensor& after,
                                  int64_t r, int64_t c, const ProcessedRow& want,
                                  Arithmetic arithmetic) {
  const auto id = static_cast<size_t>(c);
  const double value = want.logits[id], weight = want.weight[id], got = after.Get(r, c);
  const bool approximate = t.profile().reciprocal == Reciprocal::kApproximate;
  const bool rounds = approximate || arithmetic == Arithmetic::kRounded;
  const double budget = rounds ? RuleBudget(weight, approximate) : 0;
  const auto finding = [&](const std::string& expected) {
    return Finding{TokenName(r, c) + " of " + Show(before.Get(r, c)), expected, Show(got)};
  };
  if (value == -HUGE_VAL) return got == value ? std::nullopt : std::optional(finding("-inf"));
  if (weight == 0) {
    if (after.Bits(r, c) == before.Bits(r, c)) return std::nullopt;
    return finding("its own bits");
  }
  const DType dtype = before.dtype();
  if (got >= Decoded(dtype, value - budget) && got <= Decoded(dtype, value + budget))
    return std::nullopt;
  return finding(Show(Decoded(dtype, value)));
}

}  // namespace

std::vector<Rules> NoRules(const Case& at) {
  return std::vector<Rules>(static_cast<size_t>(SlotsOf(at)));
}

std::vector<double> QuarterRow(const Case& at, int64_t row) {
  CaseRandom random(at, row, 52);
  std::vector<double> values(static_cast<size_t>(at.vocab));
  for (double& x : values)
    x = random.Below(9) == 0 ? -HUGE_VAL : static_cast<double>(random.Below(17) - 8) / 4;
  return values;
}

Domain RuleRows(std::vector<int64_t> history, int64_t specials) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::vocab, {8, 1, 2, 33, 129, 1025}},
                 {&Case::rows, {2, 1, 5, 33}},
                 {&Case::history, std::move(history)}};
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < specials; ++i) codes.push_back(i);
  domain.axes.push_back({&Case::special, std::move(codes)});
  domain.quick = 40;
  domain.full = 600;
  return domain;
}

Inputs RuleCall(const Case& at, const Trial& t, std::span<const Rules> slots,
                const Padding& padding) {
  Inputs in;
  in.rows = at.rows;
  in.out_layout = {at.pad, at.misalign};
  Tensor logits = Tensor::Matrix(t.dtype(), at.rows, at.vocab, in.out_layout);
  Tensor index = Tensor::Vector(DType::kI32, at.rows);
  for (int64_t r = 0; r < at.rows; ++r) {
    logits.SetRow(r, QuarterRow(at, r));
    index.SetInt(r, SlotOf(at, r));
  }
  in.tensors["logits"] = std::move(logits);
  in.tensors["index"] = std::move(index);
  PutRules(slots, padding, &in);
  return in;
}

std::optional<Finding> WrongRow(const Trial& t, const Inputs& in, const Tensors& out, int64_t r,
                                std::span<const Rules> slots, Arithmetic arithmetic,
                                const std::vector<bool>& looked_at) {
  const Tensor &before = in.tensors.at("logits"), &after = out.at("logits");
  const int64_t slot = in.tensors.at("index").GetInt(r);
  const RowStatus known = SlotStatus(slot, std::ssize(slots));
  ProcessedRow want = {.status = known,
                       .logits = before.Row(r),
                       .weight = std::vector<double>(static_cast<size_t>(before.cols()))};
  if (known == RowStatus::kOk)
    want = Process(before.Row(r), slots[static_cast<size_t>(slot)], t.profile());
  if (auto wrong = WrongStatus(t, out, r, want.status)) return wrong;
  for (int64_t c = 0; c < before.cols(); ++c) {
    if (!looked_at.empty() && !looked_at[static_cast<size_t>(c)]) continue;
    if (auto wrong = WrongEntry(t, before, after, r, c, want, arithmetic)) return wrong;
  }
  return std::nullopt;
}

void CheckBrokenRows(std::string_view requirement, const Inputs& in, std::span<const Rules> slots,
                     Trial& t) {
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < in.rows; ++r) {
    const auto wrong =
        r % 2 == 0 ? WrongRow(t, in, *out, r, slots) : WrongStatus(t, *out, r, RowStatus::kOk);
    t.Require(requirement, !wrong, [&] { return *wrong; });
  }
}

void CheckRules(std::string_view requirement, const Inputs& in, std::span<const Rules> slots,
                Trial& t, Arithmetic arithmetic) {
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < in.rows; ++r) {
    const auto wrong = WrongRow(t, in, *out, r, slots, arithmetic);
    t.Require(requirement, !wrong, [&] { return *wrong; });
  }
}

}  // namespace assay
