// What a request's answer may hang on: its own rows, coins and seed, up to where it ends; not the
// batch around it, its place there, or what lies past its end.

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Answers = std::optional<std::vector<Told>>;

Answers Ask(const VerifyBatch& batch, Trial& t) {
  const auto out = t.Call(VerifyCall(batch, t));
  if (!out) return std::nullopt;
  return ReadAnswers(batch, *out, t);
}

VerifyBatch Take(const VerifyBatch& from, const std::vector<size_t>& requests) {
  VerifyBatch taken = from;
  taken.width = WidthOf(from);
  taken.requests.clear();
  for (const size_t b : requests) taken.requests.push_back(from.requests[b]);
  return taken;
}

void RequireEqual(std::string_view clause, const Told& want, const Told& got, size_t request,
                  const std::string& how, Trial& t) {
  t.Require(clause, want == got, [&] {
    return Finding{"request " + std::to_string(request) + ", " + how, Show(want), Show(got)};
  });
}

// ---- The batch. --------------------------------------------------------------------------------

void RequestAlone(const Case& at, Trial& t) {
  const VerifyBatch batch = RandomBatch(at, t);
  const Answers all = Ask(batch, t);
  if (!all) return;
  const size_t count = all->size(), any = static_cast<size_t>(CaseRandom(at, 0, 71).Next()) % count;
  for (const size_t b : {size_t{0}, count - 1, any}) {
    const Answers alone = Ask(Take(batch, {b}), t);
    if (!alone) return;
    RequireEqual("DET-BATCH-SIZE", alone->front(), (*all)[b], b,
                 "of " + std::to_string(count) + " against alone", t);
  }
  std::vector<size_t> half((count + 1) / 2);
  std::iota(half.begin(), half.end(), size_t{0});
  const Answers fewer = Ask(Take(batch, half), t);
  for (size_t b = 0; fewer && b < half.size(); ++b)
    RequireEqual("DET-BATCH-SIZE", (*fewer)[b], (*all)[b], b,
                 "of " + std::to_string(count) + " against " + std::to_string(half.size()), t);
}

// Backwards, and in a random order; longer requests first where the operation wants that.
void RequestsPermuted(const Case& at, Trial& t) {
  const VerifyBatch batch = RandomBatch(at, t);
  const Answers all = Ask(batch, t);
  if (!all) return;
  CaseRandom random(at, 0, 72);
  std::vector<size_t> order(all->size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  for (int pass = 0; pass < 2; ++pass) {
    if (FindField(t.operation(), "last_row"))
      std::ranges::stable_partition(order, [&](size_t b) { return batch.requests[b].rows() > 1; });
    const Answers moved = Ask(Take(batch, order), t);
    for (size_t i = 0; moved && i < order.size(); ++i)
      RequireEqual("DET-BATCH-POSITION", (*all)[order[i]], (*moved)[i], i,
                   "moved from " + std::to_string(order[i]), t);
    const auto shuffled = Permutation(std::ssize(order), random);
    order.assign(shuffled.begin(), shuffled.end());
  }
}

// Every second request stays; the others get other laws, drafts, coins and seeds.
void OthersChange(const Case& at, Trial& t) {
  const VerifyBatch batch = RandomBatch(at, t);
  const Answers before = Ask(batch, t);
  if (!before) return;
  Case other = at;
  other.seed = at.seed + 1;
  other.family = at.special % 2 == 0 ? family::kOneHot : family::kFlat;
  VerifyBatch changed = RandomBatch(other, t);
  const auto stays = [&](size_t b) { return (static_cast<int64_t>(b) + at.special / 2) % 2 == 0; };
  for (size_t b = 0; b < batch.requests.size(); ++b)
    if (stays(b) || changed.requests[b].rows() != batch.requests[b].rows())
      changed.requests[b] = batch.requests[b];
  const Answers after = Ask(changed, t);
  for (size_t b = 0; after && b < after->size(); ++b)
    if (stays(b))
      RequireEqual("DET-BATCH-NEIGHBOUR", (*before)[b], (*after)[b], b, "other requests changed",
                   t);
}

Domain Batches(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, WithBreakpoints({2, 3, 7, 9, 31, 33, 127, 129}, context, 129),
                        {5, 1, 2, 33, 1025});
  if (!ReadsLaws(*context.operation)) domain.axes.erase(domain.axes.begin());
  domain.max_elements = 1 << 12;
  domain.quick = 6;
  domain.full = 200;
  return domain;
}
Domain OtherBatches(const Context& context) {
  Domain domain = Batches(context);
  domain.axes.push_back({&Case::special, {2, 0, 1, 3}});
  return domain;
}

std::string BatchMayDiffer(const Context& context) {
  return context.profile.batch == Batch::kInvariant
             ? ""
             : "profile " + std::string(context.profile.name) + " promises nothing across batches";
}

// ---- Broken requests. --------------------------------------------------------------------------

enum Break : int64_t { kNanTarget, kEmptyTarget, kBadDraft };

void BreakRequest(VerifyRequest& request, int64_t how) {
  for (std::vector<double>& row : request.target) {
    if (how == kNanTarget) row.back() = kNan;
    if (how == kEmptyTarget) std::ranges::fill(row, 0.0);
  }
  for (size_t node = 1; how == kBadDraft && node < request.candidates.size(); ++node)
    request.candidates[node] = -2;
}

// One request in three is broken; the others must not notice.
void BrokenStaysAlone(const Case& at, Trial& t) {
  const VerifyBatch batch = RandomBatch(at, t);
  const Answers sound = Ask(batch, t);
  if (!sound) return;
  VerifyBatch spoilt = batch;
  const auto broken = [&](size_t b) { return static_cast<int64_t>(b) % 3 == at.place % 3; };
  for (size_t b = 0; b < spoilt.requests.size(); ++b)
    if (broken(b)) BreakRequest(spoilt.requests[b], at.special);
  const Answers out = Ask(spoilt, t);
  for (size_t b = 0; out && b < out->size(); ++b)
    if (!broken(b))
      RequireEqual("ROBUST-ROW-ISOLATED", (*sound)[b], (*out)[b], b, "beside a broken request", t);
}

std::vector<int64_t> Breaks(const Profile& profile) {
  std::vector<int64_t> breaks;
  if (profile.nan_row == NanRow::kReport) breaks.push_back(kNanTarget);
  if (profile.empty_row != EmptyRow::kIllegal) breaks.push_back(kEmptyTarget);
  if (profile.bad_draft == BadDraft::kReport) breaks.push_back(kBadDraft);
  return breaks;
}

Domain BrokenBatches(const Context& context) {
  Domain domain = Batches(context);
  for (Axis& axis : domain.axes)
    if (axis.field == &Case::rows) axis.values = {3, 4, 9, 33};
  domain.axes.push_back({&Case::place, {0, 1, 2}});
  domain.axes.push_back({&Case::special, Breaks(context.profile)});
  return domain;
}

std::string BrokenUnsupported(const Context& context) {
  if (Breaks(context.profile).empty()) return "the profile defines no broken request";
  return BatchMayDiffer(context);
}

// ---- What lies past the end. -------------------------------------------------------------------

// Whether the answer was read of a node, or tested it as a child of one that was.
struct Reached {
  std::vector<bool> row, candidate;
};
Reached ReachedBy(const VerifyRequest& request, const Told& told, bool tree) {
  Reached reached = {std::vector<bool>(request.candidates.size()),
                     std::vector<bool>(request.candidates.size())};
  for (const int32_t row : told.rows) reached.row[static_cast<size_t>(row)] = true;
  for (size_t node = 0; node < request.candidates.size(); ++node) {
    const auto row = static_cast<size_t>(tree ? request.node_row[node] : static_cast<int>(node));
    if (!reached.row[row]) continue;
    if (!tree && node + 1 < request.candidates.size()) reached.candidate[node + 1] = true;
    for (int32_t child = tree ? request.next_token[node] : -1; child >= 0;
         child = request.next_sibling[static_cast<size_t>(child)])
      reached.candidate[static_cast<size_t>(child)] = true;
  }
  return reached;
}

// Drafts, laws, ids and coins that the answer must not hang on become others: special 0: ids -1
// where they are legal, NaN, coin 1; else other tokens, large numbers, coin 0. Roots too.
void ReplaceUnreached(const Told& told, const Case& at, const Trial& t, VerifyRequest& request) {
  const bool tree = ReadsLinks(t.operation()), none = at.special == 0;
  const bool no_draft = none && t.profile().no_draft != NoDraft::kIllegal;
  const Reached reached = ReachedBy(request, told, tree);
  const auto last = static_cast<int32_t>(at.vocab - 1);
  request.candidates[0] = none ? -7 : last;
  for (size_t i = 0; i < request.candidates.size(); ++i) {
    int32_t& draft = request.candidates[i];
    if (i > 0 && !reached.candidate[i] && draft >= 0)  // siblings stay different
      draft = no_draft ? -1 : static_cast<int32_t>((draft + 1) % at.vocab);
    if (reached.row[i]) continue;
    if (!request.target_ids.empty()) request.target_ids[i] = none ? 0 : last;
    if (request.target.empty()) continue;
    std::ranges::fill(request.target[i], none ? kNan : 1e30);
    std::ranges::fill(request.draft[i], none ? kNan : 1e30);
    request.coins[i] = none ? 1 : 0;
  }
  if (!tree && !request.draft.empty()) std::ranges::fill(request.draft.back(), kNan);
}

// A metric of later drafts hangs on what lies there.
Answers AskWithoutMetric(const VerifyBatch& batch, Trial& t) {
  Answers answers = Ask(batch, t);
  if (answers && t.profile().accept_metric == AcceptMetric::kSecondChance)
    for (Told& told : *answers) told.metric = 0;
  return answers;
}

void PastTheEnd(const Case& at, Trial& t) {
  VerifyBatch batch = RandomBatch(at, t);
  const Answers before = AskWithoutMetric(batch, t);
  if (!before) return;
  for (size_t b = 0; b < batch.requests.size(); ++b)
    if ((*before)[b].malformed.empty()) ReplaceUnreached((*before)[b], at, t, batch.requests[b]);
  const Answers after = AskWithoutMetric(batch, t);
  for (size_t b = 0; after && b < after->size(); ++b)
    RequireEqual("VERIFY-ACCEPT-STOP", (*before)[b], (*after)[b], b,
                 "what lies past its end changed", t);
}

Domain EndedBatches(const Context& context) {
  Domain domain = Batches(context);
  for (Axis& axis : domain.axes) {
    if (axis.field == &Case::rows) axis.values = {9, 1, 33};
    if (axis.field == &Case::drafts) axis.values = {5, 1, 2, 16};
  }
  domain.axes.push_back({&Case::special, {0, 1}});
  domain.quick = 30;
  return domain;
}

// ---- Large batches. ----------------------------------------------------------------------------

constexpr size_t kPeriod = 31;

void LargeBatch(const Case& at, Trial& t) {
  Case few = at;
  few.rows = kPeriod;
  few.family = family::kOneHot;
  const VerifyBatch batch = RandomBatch(few, t);
  const Answers want = Ask(batch, t);
  if (!want) return;
  std::vector<size_t> same(at.special == 0 ? 1025 : 65537);
  for (size_t b = 0; b < same.size(); ++b) same[b] = b % kPeriod;
  if (FindField(t.operation(), "last_row"))
    std::ranges::stable_partition(same, [&](size_t b) { return batch.requests[b].rows() > 1; });
  const Answers out = Ask(Take(batch, same), t);
  if (t.unsupported()) return;
  t.Require("BUF-BATCH-LARGE", out.has_value(), [&] {
    return Finding{std::to_string(same.size()) + " requests", "a call that keeps its promises",
                   "see the other findings"};
  });
  for (size_t b = 0; out && b < same.size(); ++b)
    RequireEqual("BUF-BATCH-LARGE", (*want)[same[b]], (*out)[b], b,
                 "the same as request " + std::to_string(same[b]), t);
}

Domain LargeBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::special, {0, 1}}, {&Case::vocab, {4}}, {&Case::drafts, {1}}};
  domain.sweep_only = true;
  return domain;
}

std::string FewRequests(const Context& context) {
  const int64_t most = context.subject->max_rows;
  return most > 0 && most < 1025 ? "the subject takes " + std::to_string(most) + " rows" : "";
}

}  // namespace

void AddVerifyBatchProperties(std::vector<Property>& all) {
  constexpr Technique kSame = Technique::kMetamorphic;
  const auto add = [&](std::string_view name, std::string_view clause,
                       Domain (*domain)(const Context&), void (*check)(const Case&, Trial&),
                       std::string (*unsupported)(const Context&)) {
    all.push_back({name, Verifiers(), {{clause, kSame}}, domain, check, unsupported});
  };
  add("request_alone", "DET-BATCH-SIZE", Batches, RequestAlone, BatchMayDiffer);
  add("requests_permuted", "DET-BATCH-POSITION", Batches, RequestsPermuted, BatchMayDiffer);
  add("other_requests", "DET-BATCH-NEIGHBOUR", OtherBatches, OthersChange, BatchMayDiffer);
  add("broken_requests", "ROBUST-ROW-ISOLATED", BrokenBatches, BrokenStaysAlone, BrokenUnsupported);
  all.back().operations = Verifiers(ReadsLaws);
  add("past_the_end", "VERIFY-ACCEPT-STOP", EndedBatches, PastTheEnd, nullptr);
  add("large_request_batch", "BUF-BATCH-LARGE", LargeBatches, LargeBatch, FewRequests);
}

}  // namespace assay
