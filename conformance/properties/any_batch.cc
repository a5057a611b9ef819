// What holds for any operation under profiles that promise it: a row's bits are a function of the
// row, its parameters and its seed, not of the batch around it. Seeds and offsets move with rows.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string BatchMayDiffer(const Context& context) {
  return context.profile.batch == Batch::kInvariant
             ? ""
             : "profile " + std::string(context.profile.name) + " promises nothing across batches";
}

Domain Batches(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, WithBreakpoints({2, 3, 7, 8, 9, 31, 33, 127, 129}, context, 129),
                        {5, 1, 2, 33, 128, 1025, 4097});
  domain.max_elements = 1 << 13;
  domain.quick = 8;
  domain.full = 200;
  return domain;
}

void RequireRow(Trial& t, std::string_view requirement, const Tensors& want, int64_t want_row,
                const Tensors& got, int64_t row, const std::string& how) {
  const auto differs = RowDiffers(got, row, want, want_row);
  t.Require(requirement, !differs, [&] {
    Finding finding = *differs;
    finding.place += ", " + how;
    return finding;
  });
}

// First, last, middle and one more row alone, then the first half of the batch.
void RowAlone(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto batch = t.Call(in);
  if (!batch) return;
  const int64_t any = CaseRandom(at, 0, 21).Below(at.rows);
  std::vector<int64_t> chosen = {0, at.rows - 1, at.rows / 2, any};
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const int64_t r : chosen) {
    const auto alone = t.Call(TakeRows(in, {r}, t));
    if (!alone) return;
    RequireRow(t, "DET-BATCH-SIZE", *alone, 0, *batch, r,
               "row of " + std::to_string(at.rows) + " against the row alone");
  }
  std::vector<int64_t> half(static_cast<size_t>((at.rows + 1) / 2));
  std::iota(half.begin(), half.end(), int64_t{0});
  const auto fewer = t.Call(TakeRows(in, half, t));
  for (size_t r = 0; fewer && r < half.size(); ++r)
    RequireRow(t, "DET-BATCH-SIZE", *fewer, half[r], *batch, half[r],
               "row of " + std::to_string(at.rows) + " against " + std::to_string(half.size()));
}

// Backwards, and in a random order.
void RowsPermuted(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto batch = t.Call(in);
  if (!batch) return;
  CaseRandom random(at, 0, 22);
  std::vector<int64_t> order(static_cast<size_t>(at.rows));
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  for (int pass = 0; pass < 2; ++pass) {
    const auto moved = t.Call(TakeRows(in, order, t));
    for (size_t i = 0; moved && i < order.size(); ++i)
      RequireRow(t, "DET-BATCH-POSITION", *batch, order[i], *moved, static_cast<int64_t>(i),
                 "moved from row " + std::to_string(order[i]));
    const auto shuffled = Permutation(at.rows, random);
    order.assign(shuffled.begin(), shuffled.end());
  }
}

// Every second row stays; the others get other values, parameters and seeds.
void NeighboursChange(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto before = t.Call(in);
  if (!before) return;
  Case other = at;
  other.seed = at.seed + 1;
  other.family = at.special % 2 == 0 ? family::kOneHot : family::kFlat;
  other.top_k = at.top_k == 0 ? 2 : 0;
  other.top_p = at.top_p == 0 ? 3 : 0;
  other.min_p = at.min_p == 0 ? 2 : 0;
  other.temperature = at.temperature == 0 ? 2 : 0;
  Inputs changed = AnyInputs(other, t);
  if (t.profile().seed_scope == SeedScope::kOne)
    for (const char* name : {"seed", "offset"})
      if (in.tensors.count(name)) changed.tensors[name] = in.tensors.at(name);
  std::vector<bool> stays(static_cast<size_t>(at.rows));
  for (size_t r = 0; r < stays.size(); ++r)
    stays[r] = (static_cast<int64_t>(r) + at.special / 2) % 2 == 0;
  const auto after = t.Call(MixRows(in, changed, stays, t));
  for (size_t r = 0; after && r < stays.size(); ++r)
    if (stays[r])
      RequireRow(t, "DET-BATCH-NEIGHBOUR", *before, static_cast<int64_t>(r), *after,
                 static_cast<int64_t>(r), "other rows changed");
}

Domain NeighbourBatches(const Context& context) {
  Domain domain = Batches(context);
  // Row 0 changes first of all: where one row serves the whole batch it is likely to be that one.
  domain.axes.push_back({&Case::special, {2, 0, 1, 3}});
  return domain;
}

// Operations whose rows can be broken, and which then say so.
bool ReportsRows(const Operation& operation) {
  return FindField(operation, "status") && !IsVerifier(operation);
}

// Ways to break a row.
enum Break : int64_t {
  kEmptyRow,
  kNanFirst,
  kNanLast,
  kInfLogit,
  kBadParameter,
  kBadSlot,
  kBadPenalty,
  kBadToken
};

std::vector<int64_t> Breaks(const Context& context) {
  std::vector<int64_t> breaks;
  if (FindField(*context.operation, "history")) return {kBadSlot, kBadPenalty, kBadToken};
  if (FindField(*context.operation, "index")) return {kBadSlot};
  if (context.profile.empty_row != EmptyRow::kIllegal) breaks.push_back(kEmptyRow);
  if (context.profile.nan_row == NanRow::kReport)
    breaks.insert(breaks.end(), {kNanFirst, kNanLast});
  const bool logits = context.operation->reads == Reads::kLogits;
  if (logits && context.profile.inf_logit == InfLogit::kReport) breaks.push_back(kInfLogit);
  bool parameter = false;
  for (const ArgField& field : context.operation->fields)
    parameter |= field.name == "top_p" || field.name == "min_p" || field.name == "temperature";
  if (parameter && context.profile.bad_param == BadParam::kReport) breaks.push_back(kBadParameter);
  return breaks;
}

// The row's slot; its penalty, or the last of its stop ids.
void BreakSlot(Inputs& in, int64_t row, int64_t how) {
  const int64_t slot = in.tensors.at("index").GetInt(row);
  if (how == kBadSlot) return in.tensors.at("index").SetInt(row, -1);
  if (how == kBadPenalty) return in.tensors.at("presence").Set(0, slot, kNan);
  const int64_t end = in.tensors.at("stop_begin").GetInt(slot + 1);
  in.tensors.at("stop_ids").SetInt(end - 1, in.tensors.at("logits").cols());
}

void BreakRow(Inputs& in, int64_t row, int64_t how, const Operation& operation) {
  if (how >= kBadSlot) return BreakSlot(in, row, how);
  Tensor& values = in.tensors.at(RowsField(operation));
  const bool logits = operation.reads == Reads::kLogits;
  const int64_t last = values.cols() - 1;
  switch (how) {
    case kEmptyRow:
      for (int64_t c = 0; c <= last; ++c) values.Set(row, c, logits ? -HUGE_VAL : 0.0);
      return;
    case kNanFirst: return values.Set(row, 0, kNan);
    case kNanLast: return values.Set(row, last, kNan);
    case kInfLogit: return values.Set(row, last / 2, HUGE_VAL);
    default:
      for (const char* name : {"top_p", "min_p", "temperature"}) {
        const auto it = in.tensors.find(name);
        if (it == in.tensors.end()) continue;
        const bool pool = FindField(operation, name)->shape == "P";
        it->second.Set(0, pool ? in.tensors.at("param_rows").GetInt(row) : row, kNan);
      }
  }
}

// The rows from at.place on, one in three, are broken; the others must not notice.
void BrokenRowsStayAlone(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto sound = t.Call(in);
  if (!sound) return;
  Inputs spoilt = in;
  const auto broken = [&](int64_t r) { return r % 3 == at.place % 3; };
  for (int64_t r = 0; r < at.rows; ++r)
    if (broken(r)) BreakRow(spoilt, r, at.special, t.operation());
  const auto out = t.Call(spoilt);
  for (int64_t r = 0; out && r < at.rows; ++r)
    if (!broken(r)) RequireRow(t, "ROBUST-ROW-ISOLATED", *sound, r, *out, r, "beside a broken row");
}

Domain BrokenBatches(const Context& context) {
  Domain domain = Batches(context);
  for (Axis& axis : domain.axes) {
    if (axis.field == &Case::rows) axis.values = {2, 3, 9, 33};
    if (axis.field == &Case::vocab) axis.values = {5, 1, 33, 1025, 4097};
  }
  domain.axes.push_back({&Case::place, {0, 1, 2}});
  domain.axes.push_back({&Case::special, Breaks(context)});
  return domain;
}

}  // namespace

void AddAnyBatchProperties(std::vector<Property>& all) {
  constexpr Technique kSame = Technique::kMetamorphic;
  all.push_back({"row_alone",
                 RowOperations(),
                 {{"DET-BATCH-SIZE", kSame}},
                 Batches,
                 RowAlone,
                 BatchMayDiffer});
  all.push_back({"rows_permuted",
                 RowOperations(),
                 {{"DET-BATCH-POSITION", kSame}},
                 Batches,
                 RowsPermuted,
                 BatchMayDiffer});
  all.push_back({"neighbours",
                 RowOperations(),
                 {{"DET-BATCH-NEIGHBOUR", kSame}},
                 NeighbourBatches,
                 NeighboursChange,
                 BatchMayDiffer});
  all.push_back({"broken_rows",
                 {},
                 {{"ROBUST-ROW-ISOLATED", kSame}},
                 BrokenBatches,
                 BrokenRowsStayAlone,
                 BatchMayDiffer});
  for (const Operation& operation : Operations())
    if (ReportsRows(operation)) all.back().operations.push_back(operation.name);
}

}  // namespace assay
