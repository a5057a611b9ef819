#include "conformance/properties/logprob_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/properties/param_axes.h"
#include "conformance/row_law.h"
#include "reference/logprobs.h"

namespace assay::logprob {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Parts {
  bool masked, temperature, top_k, top_p;
};
constexpr Parts kParts[kStages] = {
    {false, false, false, false}, {true, false, false, false}, {true, false, false, false},
    {true, false, false, false},  {true, false, false, false}, {false, true, false, false},
    {false, false, true, false},  {false, false, false, true}, {false, false, true, true},
    {false, true, true, true},    {true, true, false, false},  {true, true, true, true}};

const Parts& PartsOf(const Case& at) { return kParts[at.special]; }

// A finite logit's place.
int64_t AnyFinite(const std::vector<double>& row, CaseRandom& random) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < row.size(); ++i)
    if (std::isfinite(row[i])) places.push_back(static_cast<int64_t>(i));
  return places[static_cast<size_t>(random.Below(std::ssize(places)))];
}

// Bits past the row are random: they must not matter.
std::vector<bool> MaskBits(const Case& at, int64_t row, const std::vector<double>& logits) {
  CaseRandom random(at, row, 51);
  std::vector<bool> bits(static_cast<size_t>(mask::Words(at.vocab)) * 32);
  const int64_t one_in = at.special == kFew ? 64 : 2;
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = random.Below(one_in) == 0;
  const bool emptied = at.special == kEmptied && row % 2 == 0;
  if (emptied) std::fill_n(bits.begin(), at.vocab, false);
  if (!emptied) bits[static_cast<size_t>(AnyFinite(logits, random))] = true;
  return bits;
}

// What stands under a mask, as far as the profile takes it elsewhere.
double Buried(int64_t place, DType dtype, const Profile& profile) {
  const double large = dtype == DType::kF16 ? 65504 : 0x1.FEp127;
  const bool any = profile.nan_row == NanRow::kReport && profile.inf_logit == InfLogit::kReport;
  if (!any || place % 3 == 0) return large;
  return place % 3 == 1 ? kInf : std::nan("");
}

std::vector<int32_t> WordsOf(const Inputs& in, int64_t row) {
  const auto it = in.tensors.find("bitmask");
  return it == in.tensors.end() ? std::vector<int32_t>() : mask::MaskRow(it->second, row);
}

// A parameter of a row, or of all rows.
int64_t Index(const Tensor& tensor, int64_t row) { return tensor.ndim() == 0 ? 0 : row; }

DistributionRow RowOf(int64_t row, const Inputs& in) {
  DistributionRow made{.values = in.tensors.at("logits").Row(row), .logits = true};
  const std::vector<int32_t> words = WordsOf(in, row);
  if (!words.empty()) made.values = MaskLogits(made.values, words);
  const auto given = [&](const char* name) {
    const auto it = in.tensors.find(name);
    return it == in.tensors.end() ? nullptr : &it->second;
  };
  if (const Tensor* t = given("temperature")) made.temperature = t->Get(0, Index(*t, row));
  const Tensor *k = given("top_k"), *p = given("top_p");
  made.params.use_top_k = k != nullptr;
  made.params.use_top_p = p != nullptr;
  if (k) made.params.top_k = k->GetInt(Index(*k, row));
  if (p) made.params.top_p = p->Get(0, Index(*p, row));
  made.params.order = static_cast<FilterOrder>(in.numbers.at("filter_order"));
  return made;
}

// How many tokens survive at least. Where any of equal ones may, as many do as if the lowest did.
int64_t Fewest(const RowLaw& found, const Profile& profile) {
  if (!found.kept.open_ties) return found.kept.least;
  Profile cut = profile;
  cut.top_k_ties = TopKTies::kCutLowest;
  cut.top_p_ties = TopPTies::kCutLowest;
  return Keep(found.weights, found.sorted, found.params, cut, found.budget.fail).least;
}

// Whom the filters keep, and the logarithm of their mass.
void Filter(const DistributionRow& row, const RowLaw& found, const Profile& profile, Law& law) {
  const KeptSet& kept = found.kept;
  const auto id = [&](int64_t i) {
    return static_cast<size_t>(found.sorted.order[static_cast<size_t>(i)]);
  };
  const int64_t most = kept.first > 0 ? kept.nominal : kept.most;
  const int64_t least = kept.first > 0 ? kept.nominal : kept.least;
  const int64_t fewest = kept.first > 0 ? least : Fewest(found, profile);
  double mass = 0;
  for (int64_t i = kept.first; i < most; ++i) {
    law.member[id(i)] = i < least ? Member::kIn : Member::kOpen;
    mass += std::exp(law.depth[id(i)]);
    if (i < fewest) law.least_norm = std::log(mass);
  }
  law.most_norm = std::log(mass);
  // Tokens without a probability in double are no part of the sorted row.
  const bool whole = most == std::ssize(found.sorted.order);
  for (size_t i = 0; whole && i < row.values.size(); ++i)
    if (found.weights.value[i] == 0 && law.depth[i] > -kInf) law.member[i] = Member::kOpen;
}

void KeepAll(Law& law) {
  double mass = 0;
  for (size_t i = 0; i < law.depth.size(); ++i) {
    if (law.depth[i] == -kInf) continue;
    law.member[i] = Member::kIn;
    mass += std::exp(law.depth[i]);
  }
  law.least_norm = law.most_norm = std::log(mass);
}

void SetBudgets(const DistributionRow& row, const Trial& trial, Law& law) {
  const auto vocab = std::ssize(row.values);
  const double t = row.temperature;
  double largest = -kInf;
  for (const double x : row.values) largest = std::max(largest, x);
  law.budget.resize(row.values.size());
  for (size_t i = 0; i < row.values.size(); ++i) {
    if (law.member[i] == Member::kOut) continue;
    const double z = law.levels ? 0 : row.values[i] / t, z_max = law.levels ? 0 : largest / t;
    law.budget[i] =
        LogprobBudget(z, z_max, !law.levels && t != 1, vocab, trial.AdditionChain(vocab));
  }
}

}  // namespace

Inputs StageInputs(const Case& at, const Trial& trial) {
  const Parts& parts = PartsOf(at);
  Inputs in = TypicalInputs(at, trial);
  if (!parts.temperature) in.tensors.erase("temperature");
  if (!parts.top_k) in.tensors.erase("top_k");
  if (!parts.top_p) in.tensors.erase("top_p");
  Tensor& logits = in.tensors.at("logits");
  logits = Logits(at, trial);
  if (!parts.masked) in.tensors.erase("bitmask");
  for (int64_t r = 0; parts.masked && r < at.rows; ++r) {
    const std::vector<bool> bits = MaskBits(at, r, logits.Row(r));
    mask::SetMask(in.tensors.at("bitmask"), r, bits);
    for (int64_t c = 0; at.special == kBuried && c < at.vocab; ++c)
      if (!bits[static_cast<size_t>(c)])
        logits.Set(r, c, Buried(c, trial.dtype(), trial.profile()));
  }
  return in;
}

bool Law::Above(size_t a, size_t b) const {
  if (member[a] != Member::kIn) return false;
  if (member[b] == Member::kOut) return true;
  return !Same(a, b) && depth[a] - budget[a].fail > depth[b] + budget[b].fail;
}

bool Law::MayBeAbove(size_t a, size_t b) const {
  if (member[a] == Member::kOut) return false;
  if (member[b] != Member::kIn) return true;
  return !Same(a, b) && depth[a] + budget[a].fail > depth[b] - budget[b].fail;
}

Law LawOf(const Case& at, int64_t row, const Inputs& in, const Trial& trial) {
  const DistributionRow from = RowOf(row, in);
  const bool filters = from.params.use_top_k || from.params.use_top_p;
  // Equal logits: every decision is exact.
  const bool exact = at.family == logits::kLevel && !in.tensors.contains("bitmask");
  RowLaw found;
  if (filters)
    found = LawOfRow(from, trial, exact ? Slack::kExactRow : Slack::kBudget);
  else
    found.weights = WeightsOf(from.values, true, from.temperature, trial.profile());
  Law law;
  law.status = std::max(found.weights.status, found.kept.status);
  law.logit = from.values;
  if (law.status != RowStatus::kOk) return law;
  law.processed = filters || in.tensors.contains("temperature");
  law.levels = from.temperature == 0 || std::ranges::count(from.values, kInf) > 0;
  law.depth = LogWeights(from.values, from.temperature,
                         {.status = RowStatus::kOk, .probs = found.weights.value});
  law.member.resize(law.depth.size(), Member::kOut);
  if (filters)
    Filter(from, found, trial.profile(), law);
  else
    KeepAll(law);
  for (size_t i = 0; law.processed && i < law.depth.size(); ++i)
    if (law.member[i] == Member::kIn && law.depth[i] - law.most_norm < kDeepest)
      law.member[i] = Member::kOpen;
  SetBudgets(from, trial, law);
  return law;
}

Domain AnyStage(const Context& context) {
  std::vector<int64_t> families, stages = {kMaskedProcessed};  // all parameters matter to it
  for (int64_t f = 0; f < logits::kFamilies; ++f)
    families.push_back((f + logits::kNarrow) % logits::kFamilies);
  for (int64_t stage = 0; stage < kMaskedProcessed; ++stage)
    if (stage != kEmptied || context.profile.empty_row != EmptyRow::kIllegal)
      stages.push_back(stage);
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {{&Case::family, std::move(families)},
                 {&Case::special, std::move(stages)},
                 VocabAxis(context, context.tier != Tier::kQuick ? 262144 : 32001),
                 {&Case::rows, {5, 1, 2}},
                 {&Case::place, {0, 1, 2, 3, 4, 6}},
                 {&Case::scalar, {0, 1}}};
  ParamAxes params = AllCodes(context.profile);
  params.temperature = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
  if (context.profile.temperature_zero != TemperatureZero::kIllegal)
    params.temperature.push_back(kTemperatureZero);
  AddParamAxes(context, params, domain);
  return domain;
}

Domain EverySize(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {WholeVocabAxis(context, 262144),
                 {&Case::family, {logits::kBeacon, logits::kIntegers}},
                 {&Case::special, {kRaw, kMasked}},
                 {&Case::place, {1, 0, 4, 6}},
                 {&Case::rows, {1, 3}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

}  // namespace assay::logprob
