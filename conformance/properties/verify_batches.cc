// What a request's answer may hang on: its own rows, coins and seed, not the batch around it or its
// place there.

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

VerifyBatch Take(const VerifyBatch& from, const std::vector<size_t>& requests) {
  VerifyBatch taken = from;
  taken.width = WidthOf(from);
  taken.requests.clear();
  for (const size_t b : requests) taken.requests.push_back(from.requests[b]);
  return taken;
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
  add("large_request_batch", "BUF-BATCH-LARGE", LargeBatches, LargeBatch, FewRequests);
}

}  // namespace assay
