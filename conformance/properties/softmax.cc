// softmax: its values against the reference, and the ends of the temperature's domain.

#include "reference/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/budget.h"

namespace assay {
namespace {

constexpr double kNegInf = -std::numeric_limits<double>::infinity();

// A row this far from the reference in total variation is another function, not a rounding of it.
constexpr double kCoarse = 0x1p-10;
constexpr double kUlps = 0x1p-21;  // by which an approximate exp may fail to be monotone

enum : int64_t { kTemperatureGiven, kTemperatureAbsent };  // Case::special

Inputs SoftmaxInputs(const Case& at, const Trial& t) {
  Inputs in;
  in.rows = at.rows;
  in.out_layout = {at.pad, at.misalign};
  in.tensors.emplace("input", Logits(at, t));
  if (at.special == kTemperatureGiven) in.tensors.emplace("temperature", TemperatureTensor(at));
  return in;
}

// One row of a call beside the reference's.
struct Row {
  int64_t index;
  double temperature;
  std::vector<double> x, want, got;

  std::string Name(size_t token) const {
    return TokenName(index, static_cast<int64_t>(token)) + " (logit " + Show(x[token]) + ", T " +
           Show(temperature) + ")";
  }
  double Largest() const { return *std::max_element(x.begin(), x.end()); }
};

// How much of its budget the worst entry uses, and which.
struct Use {
  double use = 0;
  size_t token = 0;
  void See(double other, size_t at) {
    if (!(other <= use)) {  // NaN counts
      use = std::isnan(other) ? HUGE_VAL : other;
      token = at;
    }
  }
};

void CheckScale(const Row& row, Trial& t, bool& near) {
  double apart = 0, allowed = kCoarse;
  const double z_max = row.Largest() / row.temperature;
  Use worst;
  for (size_t i = 0; i < row.x.size(); ++i) {
    const double gap = std::fabs(row.got[i] - row.want[i]) / 2;
    apart += gap;
    worst.See(gap, i);
    if (row.want[i] > 0)
      allowed += row.want[i] * SoftmaxBudget(row.x[i] / row.temperature, z_max) / 2;
  }
  near = t.Require("PROC-TEMP-SCALE", apart <= allowed, [&] {
    return Finding{row.Name(worst.token), Show(row.want[worst.token]), Show(row.got[worst.token])};
  });
}

void CheckBudget(const Row& row, Trial& t) {
  const double z_max = row.Largest() / row.temperature;
  Use worst;
  for (size_t i = 0; i < row.x.size(); ++i) {
    if (row.x[i] == kNegInf) continue;
    const double error = std::fabs(row.got[i] - row.want[i]);
    if (error == 0) continue;
    const double budget = SoftmaxBudget(row.x[i] / row.temperature, z_max);
    worst.See(error / (row.want[i] * budget + kSoftmaxFloor), i);
  }
  t.RequireWithin("NUM-SOFTMAX-BUDGET", worst.use, false, [&] {
    return Finding{row.Name(worst.token),
                   Show(row.want[worst.token]) + ", or as near as its budget allows",
                   Show(row.got[worst.token]) + ", " + Show(worst.use) + " times its budget off"};
  });
}

void CheckSum(const Row& row, Trial& t) {
  const auto vocab = static_cast<double>(row.x.size());
  double sum = 0, largest = 0;
  for (const double p : row.got) {
    sum += p;
    largest = std::max(largest, p);
  }
  const double use = std::max(std::fabs(sum - 1) / ((8 + vocab / 16384) * 0x1p-24),
                              std::isnan(sum) ? sum : (largest - 1) / 0x1p-22);
  t.RequireWithin("NUM-SOFTMAX-SUM", use, false, [&] {
    return Finding{RowName(row.index) + " (T " + Show(row.temperature) + ")",
                   "a sum of 1 within (8 + V/16384) 2^-24, no entry above 1 + 2^-22",
                   "sum 1 + " + Show(sum - 1) + ", largest entry 1 + " + Show(largest - 1)};
  });
}

// The first pair of neighbours in the order of the logits whose probabilities contradict it.
std::optional<Finding> WrongOrder(const Row& row) {
  std::vector<std::pair<double, size_t>> sorted;
  for (size_t i = 0; i < row.x.size(); ++i)
    if (row.x[i] != kNegInf) sorted.emplace_back(-row.x[i], i);
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    const size_t above = sorted[i - 1].second, below = sorted[i].second;
    const double p = row.got[above], q = row.got[below];
    const bool tie = row.x[above] == row.x[below];
    if (tie ? p == q : q <= p * (1 + kUlps)) continue;
    const std::string other =
        Show(p) + " of token " + std::to_string(above) + " (logit " + Show(row.x[above]) + ")";
    return Finding{row.Name(below), (tie ? "the bits of " : "at most ") + other, Show(q)};
  }
  return std::nullopt;
}

// -inf logits, and the lone finite one.
std::optional<Finding> WrongAtNegInf(const Row& row, const Tensor& output, const Profile& profile) {
  int64_t finite = 0;
  size_t last = 0;
  for (size_t i = 0; i < row.x.size(); ++i) {
    if (row.x[i] != kNegInf) {
      ++finite;
      last = i;
    } else if (output.Bits(row.index, static_cast<int64_t>(i)) != 0) {
      return Finding{row.Name(i), "+0", Show(row.got[i])};
    }
  }
  if (finite != 1 || std::fabs(row.got[last] - 1) <= ReciprocalSlack(profile)) return std::nullopt;
  return Finding{row.Name(last), "1: the only finite logit", Show(row.got[last])};
}

Row MakeRow(const Case& at, int64_t r, const Tensor& input, const Tensor& output,
            const Profile& profile) {
  const bool given = at.special == kTemperatureGiven;
  Row row{r, given ? static_cast<double>(RowTemperature(at, r)) : 1.0, input.Row(r), {}, {}};
  row.want = Softmax(row.x, row.temperature, profile).probs;
  row.got = output.Row(r);
  return row;
}

void SoftmaxValues(const Case& at, Trial& t) {
  const Inputs in = SoftmaxInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    const Tensor& output = out->at("output");
    const Row row = MakeRow(at, r, in.tensors.at("input"), output, t.profile());
    bool near = false;
    CheckScale(row, t, near);
    if (near) CheckBudget(row, t);
    CheckSum(row, t);
    const auto order = WrongOrder(row);
    t.Require("PROC-SOFTMAX-ORDER", !order, [&] { return *order; });
    const auto neg_inf = WrongAtNegInf(row, output, t.profile());
    t.Require("PROC-SOFTMAX-NEGINF", !neg_inf, [&] { return *neg_inf; });
  }
}

// In the quick tier larger V is the business of vocab_sweep.cc.
Axis Vocabs(const Context& context) {
  if (context.tier != Tier::kQuick) return VocabAxis(context, 262144);
  Axis axis = VocabAxis(context, 32001);
  axis.values.insert(axis.values.end(), {8193, 32001});
  return axis;
}

std::vector<int64_t> AllFamilies() {
  std::vector<int64_t> families;
  for (int64_t f = 0; f < logits::kFamilies; ++f)
    families.push_back((f + logits::kNarrow) % logits::kFamilies);
  return families;
}

Domain ValueRows(const Context& context) {
  Domain domain;
  domain.axes = {
      {&Case::family, AllFamilies()},  Vocabs(context),
      {&Case::rows, {1, 2, 5}},        {&Case::temperature, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {&Case::place, {0, 1, 2, 4, 6}}, {&Case::special, {kTemperatureGiven, kTemperatureAbsent}},
      {&Case::scalar, {0, 1}}};
  domain.max_elements = 1 << 17;
  domain.full = 600;
  return domain;
}

// T = 0: exactly the reference's row.
void TemperatureZeroRow(const Case& at, Trial& t) {
  const Inputs in = SoftmaxInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    const double temperature = static_cast<double>(RowTemperature(at, r));
    if (temperature != 0) continue;
    const SoftmaxRow want = Softmax(in.tensors.at("input").Row(r), temperature, t.profile());
    const bool greedy = t.profile().temperature_zero == TemperatureZero::kGreedy;
    auto wrong = WrongEntry(out->at("output"), r, want.probs, greedy ? 0 : 0x1p-22);
    if (!wrong) wrong = WrongStatus(t, *out, r, want.status);
    t.Require("PROC-TEMP-ZERO", !wrong, [&] { return *wrong; });
  }
}

Domain ZeroRows(const Context& context) {
  Domain domain = ValueRows(context);
  domain.axes[3].values = {kTemperatureZero};
  domain.axes[5].values = {kTemperatureGiven};
  return domain;
}

std::string ZeroUnsupported(const Context& context) {
  return context.profile.temperature_zero == TemperatureZero::kIllegal
             ? "the profile promises nothing for temperature 0"
             : "";
}

// A tiny T: finite, and largest where the logits are.
void TinyTemperature(const Case& at, Trial& t) {
  const Inputs in = SoftmaxInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    if (RowTemperature(at, r) > 0.01f) continue;
    const std::vector<double> x = in.tensors.at("input").Row(r), p = out->at("output").Row(r);
    const double largest = *std::max_element(x.begin(), x.end());
    double most = 0, at_argmax = 0;
    bool finite = true;
    for (size_t i = 0; i < x.size(); ++i) {
      finite &= std::isfinite(p[i]);
      most = std::max(most, p[i]);
      if (x[i] == largest) at_argmax = std::max(at_argmax, p[i]);
    }
    t.Require("PROC-TEMP-TINY", finite && most > 0 && at_argmax == most, [&] {
      return Finding{RowName(r) + " (T " + Show(static_cast<double>(RowTemperature(at, r))) + ")",
                     "finite, and largest where the logit is " + Show(largest), Show(p)};
    });
  }
}

Domain TinyRows(const Context& context) {
  Domain domain = ValueRows(context);
  domain.axes[3].values = {7, 9};
  domain.axes[5].values = {kTemperatureGiven};
  return domain;
}

}  // namespace

void AddSoftmaxProperties(std::vector<Property>& all) {
  all.push_back({"softmax_values",
                 {"softmax"},
                 {{"PROC-TEMP-SCALE", Technique::kCoupling},
                  {"NUM-SOFTMAX-BUDGET", Technique::kCoupling},
                  {"NUM-SOFTMAX-SUM", Technique::kBounds},
                  {"PROC-SOFTMAX-ORDER", Technique::kExact},
                  {"PROC-SOFTMAX-NEGINF", Technique::kExact}},
                 ValueRows,
                 SoftmaxValues});
  all.push_back({"softmax_temperature_zero",
                 {"softmax"},
                 {{"PROC-TEMP-ZERO", Technique::kExact}},
                 ZeroRows,
                 TemperatureZeroRow,
                 ZeroUnsupported});
  all.push_back({"softmax_temperature_tiny",
                 {"softmax"},
                 {{"PROC-TEMP-TINY", Technique::kBounds}},
                 TinyRows,
                 TinyTemperature});
}

}  // namespace assay
