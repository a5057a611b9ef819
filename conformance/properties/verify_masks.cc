// Verification under masks: the mask of a token's own position, whatever lies around it.

#include <algorithm>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/masked.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 0x1p-24, kCoins[] = {0, 0.5, 1 - kTiny, kTiny, 1};

size_t At(int64_t index) { return static_cast<size_t>(index); }

// Case::order, where the operation has a method: by the block rule; without draft rows.
enum : int64_t { kPlain, kBlock, kNoDraftRows };
std::vector<int64_t> MethodsOf(const Context& context) {
  if (!FindField(*context.operation, "method")) return {kPlain};
  if (!(context.subject->flags & ASSAY_BLOCK_RULE)) return {kPlain, kNoDraftRows};
  return {kPlain, kBlock, kNoDraftRows};
}

MaskedBatch EmptyMasked(const Case& at, const Trial& t) {
  MaskedBatch made = {EmptyBatch(at, t)};
  made.batch.injected = GivesCoins(t);
  made.batch.drafts = at.order != kNoDraftRows;
  if (at.order == kBlock) made.batch.method = RejectionMethod::kBlock;
  return made;
}

// Whether the reference knows what the request is answered by.
bool KnowsCoins(const VerifyBatch& batch, const Trial& t) {
  return batch.injected || !DrawsFromStream(t.operation());
}

// ---- A forbidden draft at one position, at the ends of the coins. ------------------------------

// Row `illegal` forbids its draft; coins go through kCoins.
void PutForbidden(const Case& at, int64_t b, int64_t illegal, MaskedBatch& made) {
  VerifyBatch& batch = made.batch;
  VerifyRequest& request = batch.requests[At(b)];
  CaseRandom random(at, b, 111);
  std::vector<Allowed>& masks = made.masks.emplace_back();
  for (int64_t row = 0; row < request.rows(); ++row)
    masks.push_back(MaskOf(static_cast<MaskKind>(at.special), at.vocab, random));
  PutLaws(masks, at.vocab, random, request);
  PutChain(request);
  if (illegal + 1 < request.rows())
    request.candidates[At(illegal + 1)] = Forbidden(masks, At(illegal), at.vocab, random);
  PutDraftRows(masks, at.vocab, true, request);
  // A draft that is certain to its drafter is no match for coin 1.
  const int64_t coins = std::ssize(kCoins) - (batch.drafts ? 0 : 1);
  for (int64_t row = 0; row < request.rows(); ++row)
    request.coins.push_back(kCoins[At((row == illegal ? b : b + row + 1) % coins)]);
  request.final_coin = kCoins[At((b / 2) % coins)];
}

MaskedBatch ForbiddenBatch(const Case& at, const Trial& t) {
  MaskedBatch made = EmptyMasked(at, t);
  for (int64_t b = 0; b < std::ssize(made.batch.requests); ++b)
    PutForbidden(at, b, (at.place + b) % (at.drafts + 1), made);
  return made;
}

void RowsAreObeyed(const Case& at, Trial& t) {
  RequireObedience("MASK-VERIFY-ROW", ForbiddenBatch(at, t), t);
}

Domain ForbiddenDrafts(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {16, 3, 4, 33, 1025}, {4097}},
                 {&Case::drafts, {2, 1, 3, 5}},
                 {&Case::special, {0, 1, 2, 3}},
                 {&Case::place, {0, 1, 2, 5}},
                 {&Case::rows, {10, 1, 33}},
                 {&Case::order, MethodsOf(context)}};
  if (!ReadsLaws(*context.operation)) domain.axes.front() = {&Case::vocab, {16, 3, 4, 33, 4097}};
  domain.max_elements = 1 << 13;
  domain.quick = 10;
  domain.full = 200;
  return domain;
}

// ---- What lies behind it. ----------------------------------------------------------------------

enum Rest : int64_t { kZeros, kOnes, kNans, kBackwards };

void PutRest(Rest rest, size_t first, std::vector<std::vector<double>>& rows) {
  for (size_t row = first; row < rows.size(); ++row) {
    if (rest == kBackwards)
      std::ranges::reverse(rows[row]);
    else
      std::ranges::fill(rows[row], rest == kZeros ? 0 : rest == kOnes ? 1 : kNan);
  }
}

void RestIsNotRead(const Case& at, Trial& t) {
  MaskedBatch made = ForbiddenBatch(at, t);
  const Answers before = AskWithoutMetric(made.batch, t);
  for (int64_t b = 0; b < std::ssize(made.batch.requests); ++b) {
    VerifyRequest& request = made.batch.requests[At(b)];
    const int64_t illegal = (at.place + b) % (at.drafts + 1);
    if (illegal + 1 >= request.rows()) continue;
    PutRest(static_cast<Rest>(at.scalar), At(illegal + 1), request.target);
    PutRest(static_cast<Rest>(at.scalar), At(illegal + 1), request.draft);
  }
  if (!before) return;
  const Answers after = AskWithoutMetric(made.batch, t);
  for (size_t b = 0; after && b < after->size(); ++b)
    RequireEqual("MASK-VERIFY-DONTCARE", (*before)[b], (*after)[b], b,
                 "rows behind a forbidden draft changed", t);
}

// By a draft's own test: the block rule looks at all of them.
Domain RestRows(const Context& context) {
  Domain domain = ForbiddenDrafts(context);
  for (Axis& axis : domain.axes) {
    std::erase(axis.alone, 4097);
    if (axis.field == &Case::order) std::erase(axis.values, kBlock);
    if (axis.field == &Case::special) axis.values = {0, 3};
  }
  domain.axes.push_back({&Case::scalar, {kZeros, kOnes, kNans, kBackwards}});
  return domain;
}

// ---- Requests of one-id masks among others. ----------------------------------------------------

// Every fourth request has no mask, and is not judged: the others need no coin. Their drafts are
// right up to some position, which has a forbidden one; or none from there on.
void PutOneId(const Case& at, int64_t b, const Trial& t, MaskedBatch& made) {
  VerifyRequest& request = made.batch.requests[At(b)];
  CaseRandom random(at, b, 112);
  const bool plain = b % 4 == 3;
  std::vector<Allowed>& masks = made.masks.emplace_back();
  for (int64_t row = 0; row < request.rows(); ++row)
    masks.push_back(plain ? Allowed{} : MaskOf(MaskKind::kOneId, at.vocab, random));
  PutLaws(masks, at.vocab, random, request);
  PutChain(request);
  const int64_t end = random.Below(request.rows());
  const bool trims = t.profile().no_draft != NoDraft::kIllegal && random.Below(2) == 0;
  for (int64_t row = end; !plain && row + 1 < request.rows(); ++row)
    if (trims || row == end)
      request.candidates[At(row + 1)] = trims ? -1 : Forbidden(masks, At(row), at.vocab, random);
  PutDraftRows(masks, at.vocab, true, request);
  PutCoins(random, request);
}

// As they come, and backwards: requests of one row last where the operation wants that.
void OwnMasks(const Case& at, Trial& t) {
  MaskedBatch made = EmptyMasked(at, t);
  for (int64_t b = 0; b < at.rows; ++b) PutOneId(at, b, t, made);
  const bool last_row = FindField(t.operation(), "last_row");
  for (int pass = 0; pass < 2; ++pass) {
    const auto told = RequireObedience("MASK-VERIFY-RAGGED", made, t);
    if (!told) return;
    for (size_t b = 0; b < told->size(); ++b)
      if (!made.masks[b].front().empty())
        RequireOutcomeOf("MASK-VERIFY-RAGGED", made.batch, b, (*told)[b], t);
    made.batch.width = WidthOf(made.batch);
    std::ranges::reverse(made.batch.requests);
    std::ranges::reverse(made.masks);
    if (!last_row) continue;
    std::ranges::stable_partition(made.masks, [](const auto& m) { return m.size() > 1; });
    std::ranges::stable_partition(made.batch.requests, [](const auto& r) { return r.rows() > 1; });
  }
}

Domain OwnMaskBatches(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::rows, {5, 3, 2, 9, 33}},
                 {&Case::drafts, {3, 1, 2, 4}},
                 {&Case::vocab, {16, 8, 64}},
                 {&Case::order, MethodsOf(context)}};
  std::erase(domain.axes.back().values, kNoDraftRows);
  domain.max_elements = 1 << 13;
  domain.quick = 15;
  domain.full = 200;
  return domain;
}

// ---- A constraint that starts or ends inside the window. ---------------------------------------

// Case::special 0: rows from `place` on have a mask, 1: rows before it. A coin of 0 accepts what
// has any probability; every other request has a draft that the first or last mask forbids.
void PutBoundary(const Case& at, int64_t b, MaskedBatch& made) {
  VerifyRequest& request = made.batch.requests[At(b)];
  CaseRandom random(at, b, 113);
  const int64_t rows = request.rows(), edge = std::min(at.place, rows - 1);
  std::vector<Allowed>& masks = made.masks.emplace_back();
  for (int64_t row = 0; row < rows; ++row)
    masks.push_back((row < edge) == (at.special == 1) ? MaskOf(MaskKind::kTwoIds, at.vocab, random)
                                                      : Allowed{});
  PutLaws(masks, at.vocab, random, request);
  PutChain(request);
  const int64_t masked = at.special == 0 ? edge : edge - 1;
  if (b % 2 == 1 && masked >= 0 && masked + 1 < rows)
    request.candidates[At(masked + 1)] = Forbidden(masks, At(masked), at.vocab, random);
  PutDraftRows(masks, at.vocab, true, request);
  PutCoins(random, request);
  std::ranges::fill(request.coins, 0.0);
}

void MasksBegin(const Case& at, Trial& t) {
  MaskedBatch made = EmptyMasked(at, t);
  for (int64_t b = 0; b < at.rows; ++b) PutBoundary(at, b, made);
  const auto told = RequireObedience("MASK-VERIFY-MIDSTEP", made, t);
  for (size_t b = 0; told && KnowsCoins(made.batch, t) && b < told->size(); ++b) {
    const AdmissibleOutcomes want = Expected(made.batch, b, true, t);
    t.Require("MASK-VERIFY-MIDSTEP", SamePath((*told)[b], want), [&] {
      return Finding{"request " + std::to_string(b), Show(want.outcomes.front()), Show((*told)[b])};
    });
  }
}

Domain Boundaries(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {0, 1}},      {&Case::place, {1, 0, 2, 3}},
                 {&Case::drafts, {2, 1, 3, 5}}, {&Case::vocab, {16, 4, 64}},
                 {&Case::rows, {4, 9}},         {&Case::order, MethodsOf(context)}};
  domain.max_elements = 1 << 13;
  domain.quick = 10;
  domain.full = 150;
  return domain;
}

}  // namespace

void AddVerifyMaskProperties(std::vector<Property>& all) {
  constexpr Technique kExact = Technique::kExact;
  all.push_back(VerifyProperty("verify_masked_rows", Verifiers(),
                               {{"MASK-VERIFY-ROW", Technique::kEdge}}, ForbiddenDrafts,
                               RowsAreObeyed));
  all.push_back({"verify_masked_rest",
                 Verifiers(ReadsLaws),
                 {{"MASK-VERIFY-DONTCARE", Technique::kMetamorphic}},
                 RestRows,
                 RestIsNotRead});
  all.push_back(VerifyProperty("verify_own_masks", Verifiers(), {{"MASK-VERIFY-RAGGED", kExact}},
                               OwnMaskBatches, OwnMasks));
  all.push_back(VerifyProperty("verify_masks_begin", Verifiers(), {{"MASK-VERIFY-MIDSTEP", kExact}},
                               Boundaries, MasksBegin));
}

}  // namespace assay
