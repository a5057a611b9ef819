// Verifiers that test drafts against the target alone, on laws in eighths, where fp32 is exact:
// coins at the masses that decide, thresholds, siblings with one id, draft rows.

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"

namespace assay {
namespace {

constexpr uint64_t kEdges = 91, kEqual = 92;  // purposes of CaseRandom
constexpr double kStep = 0x1p-24;

size_t At(int64_t index) { return static_cast<size_t>(index); }

// The ids tested with the coin of the node's row, in their order.
std::vector<int32_t> TestedAt(const VerifyRequest& request, size_t node, bool tree) {
  if (!tree) {
    if (node + 1 == request.candidates.size()) return {};
    return {request.candidates[node + 1]};
  }
  std::vector<int32_t> ids;
  for (int32_t child = request.next_token[node]; child >= 0;
       child = request.next_sibling[At(child)])
    ids.push_back(request.candidates[At(child)]);
  return ids;
}

// The coin of each row becomes one that, times `threshold`, is a sum of p so far, or one step
// beside it.
void PutCoinsAtEdges(const Case& at, const Trial& t, double threshold, VerifyBatch& batch) {
  const bool tree = ReadsLinks(t.operation());
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    VerifyRequest& request = batch.requests[b];
    CaseRandom random(at, static_cast<int64_t>(b), kEdges);
    for (size_t node = 0; node < request.candidates.size(); ++node) {
      const size_t row = tree ? At(request.node_row[node]) : node;
      const std::vector<int32_t> ids = TestedAt(request, node, tree);
      double mass = 0;
      for (int64_t i = 0; !ids.empty() && i <= random.Below(std::ssize(ids)); ++i)
        if (ids[At(i)] >= 0) mass += request.target[row][At(ids[At(i)])];
      const double beside = static_cast<double>(random.Below(3) - 1) * kStep;
      request.coins[row] = std::clamp(mass / threshold + beside, 0.0, 1.0);
    }
  }
}

// Which drafts are accepted; the last token is other clauses' business.
void RequirePath(std::string_view requirement, const VerifyBatch& batch, size_t request,
                 const Told& told, Trial& t) {
  const AdmissibleOutcomes expected = Expected(batch, request, true, t);
  t.Require(requirement, SamePath(told, expected), [&] {
    return Finding{"request " + std::to_string(request), Show(expected.outcomes.front()),
                   Show(told)};
  });
}

// ---- Coins at their edges. ---------------------------------------------------------------------

void CoinEdges(const Case& at, Trial& t) {
  VerifyBatch batch = ExactBatch(at, t);
  PutCoinsAtEdges(at, t, 1, batch);
  RequireOutcomes(batch, true, t);
}

Domain Batches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {8, 1, 2, 3, 5, 33}},
                 {&Case::rows, {9, 1, 2, 33}},
                 {&Case::drafts, {3, 0, 1, 2, 6, 16}}};
  domain.quick = 40;
  domain.full = 1000;
  return domain;
}
// ---- Thresholds. -------------------------------------------------------------------------------

constexpr Thresholds kThresholds[] = {
    {0.5, 0.5}, {1, 1}, {1, 0.5}, {0.5, 1},     {0.375, 1},   {0.25, 0.25},    {1, 0.125},
    {1, 0},     {0, 1}, {0, 0},   {0.125, 0.5}, {1, 0x1p-10}, {0.625, 0.0625},
};

void ThresholdRules(const Case& at, Trial& t) {
  VerifyBatch batch = ExactBatch(at, t);
  batch.thresholds = kThresholds[at.special];
  const double acc = batch.thresholds.accumulated;
  if (at.place == 1) PutCoinsAtEdges(at, t, acc > 0 ? acc : 1, batch);
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b)
    RequirePath("VERIFY-THRESHOLD-FORMULA", batch, b, (*told)[b], t);
}

Domain ThresholdBatches(const Context& context) {
  Domain domain = Batches(context);
  domain.axes.push_back({&Case::place, {0, 1}});
  domain.axes.push_back({&Case::special, {}});
  for (int64_t code = 0; code < std::ssize(kThresholds); ++code)
    domain.axes.back().values.push_back(code);
  domain.quick = 20;
  return domain;
}

// ---- Siblings with one id. ---------------------------------------------------------------------

// Some later siblings become an earlier one's id.
void RepeatSiblings(const Case& at, VerifyBatch& batch) {
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    VerifyRequest& request = batch.requests[b];
    CaseRandom random(at, static_cast<int64_t>(b), kEqual);
    for (const int32_t first : request.next_token)
      for (int32_t node = first; node >= 0; node = request.next_sibling[At(node)]) {
        const int32_t next = request.next_sibling[At(node)];
        if (next >= 0 && random.Below(3) > 0)
          request.candidates[At(next)] = request.candidates[At(random.Below(2) ? node : first)];
      }
  }
}

void EqualSiblings(const Case& at, Trial& t) {
  VerifyBatch batch = ExactBatch(at, t);
  RepeatSiblings(at, batch);
  if (at.place == 1) PutCoinsAtEdges(at, t, 1, batch);
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b)
    RequirePath("VERIFY-TREE-DUPLICATE", batch, b, (*told)[b], t);
}

Domain SiblingBatches(const Context& context) {
  Domain domain = Batches(context);
  domain.axes = {{&Case::vocab, {8, 16}},
                 {&Case::rows, {9, 1, 33}},
                 {&Case::drafts, {4, 2, 3, 7}},
                 {&Case::place, {1, 0}}};
  domain.quick = 20;
  return domain;
}

// ---- Draft rows. -------------------------------------------------------------------------------

enum : int64_t { kNanRows, kInfRows, kZeroRows, kLargeRows, kAbsent, kDraftRows };

Inputs WithDraft(Inputs in, int64_t what) {
  constexpr double kRows[] = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(), 0, 1e30};
  if (what == kAbsent) {
    in.tensors.erase("draft");
    return in;
  }
  Tensor& draft = in.tensors.at("draft");
  for (int64_t r = 0; r < draft.rows(); ++r)
    for (int64_t c = 0; c < draft.cols(); ++c) draft.Set(r, c, kRows[what]);
  return in;
}

void DraftUnread(const Case& at, Trial& t) {
  const Inputs in = VerifyCall(RandomBatch(at, t), t);
  const auto given = t.Call(in), other = t.Call(WithDraft(in, at.special));
  if (!given || !other) return;
  Tensors want = *given, got = *other;
  want.erase("draft");
  got.erase("draft");
  RequireSame(t, "VERIFY-DRAFT-UNREAD", want, got, "with other draft rows");
}

Domain DraftBatches(const Context& context) {
  Domain domain = Batches(context);
  domain.axes.push_back({&Case::special, {kNanRows, kInfRows, kZeroRows, kLargeRows, kAbsent}});
  domain.axes.push_back({&Case::family, {family::kDyadic, family::kNormal, family::kTies}});
  domain.quick = 10;
  return domain;
}

// The draft rows after the call, by the reference.
Tensor DraftAfter(const VerifyBatch& batch, const Inputs& in, const Trial& t) {
  Tensor draft = in.tensors.at("draft");
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    const AdmissibleOutcomes expected = Expected(batch, b, true, t);
    for (const DraftWrite& write : expected.outcomes.front().draft_writes)
      draft.Set(FirstRow(batch, b) + write.row, write.token, write.value);
  }
  return draft;
}

void DraftWritten(const Case& at, Trial& t) {
  const VerifyBatch batch = ExactBatch(at, t);
  const Inputs in = VerifyCall(batch, t);
  const auto out = t.Call(in);
  if (!out) return;
  const Tensor want = DraftAfter(batch, in, t), &got = out->at("draft");
  for (int64_t r = 0; r < want.rows(); ++r) {
    int64_t c = 0;
    while (c < want.cols() && got.Bits(r, c) == want.Bits(r, c)) ++c;
    t.Require("VERIFY-DRAFT-WRITTEN", c == want.cols(), [&] {
      return Finding{"draft row " + std::to_string(r) + " token " + std::to_string(c),
                     std::to_string(want.Get(r, c)), std::to_string(got.Get(r, c))};
    });
  }
}

bool IsTargetOnly(const Operation& operation) { return FindField(operation, "threshold_acc"); }

}  // namespace

void AddVerifyTargetOnlyProperties(std::vector<Property>& all) {
  constexpr Technique kExact = Technique::kExact, kEdge = Technique::kEdge;
  const auto both = Verifiers(IsTargetOnly);
  const auto trees = Verifiers([](const Operation& o) { return IsTargetOnly(o) && ReadsLinks(o); });
  all.push_back(VerifyProperty("verify_coin_edges", both,
                               {{"VERIFY-ACCEPT-RULE", kEdge},
                                {"VERIFY-TREE-WALK", kEdge},
                                {"VERIFY-RESIDUAL-LAW", kEdge},
                                {"VERIFY-BONUS-LAW", kEdge}},
                               Batches, CoinEdges));
  all.push_back(VerifyProperty("verify_thresholds", both, {{"VERIFY-THRESHOLD-FORMULA", kExact}},
                               ThresholdBatches, ThresholdRules));
  all.push_back(VerifyProperty("verify_equal_siblings", trees, {{"VERIFY-TREE-DUPLICATE", kExact}},
                               SiblingBatches, EqualSiblings));
  all.push_back(VerifyProperty("verify_draft_unread", both,
                               {{"VERIFY-DRAFT-UNREAD", Technique::kMetamorphic}}, DraftBatches,
                               DraftUnread));
  all.push_back(
      {"verify_draft_written", both, {{"VERIFY-DRAFT-WRITTEN", kExact}}, Batches, DraftWritten});
}

}  // namespace assay
