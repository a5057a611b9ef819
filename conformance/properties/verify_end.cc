// What lies past the end of a request's answer.

#include <algorithm>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

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
  Domain domain;
  domain.axes = AnyAxes(context, {9, 1, 33}, {5, 1, 2, 33, 1025});
  if (!ReadsLaws(*context.operation)) domain.axes.erase(domain.axes.begin());
  for (Axis& axis : domain.axes)
    if (axis.field == &Case::drafts) axis.values = {5, 1, 2, 16};
  domain.max_elements = 1 << 12;
  domain.axes.push_back({&Case::special, {0, 1}});
  domain.quick = 30;
  domain.full = 200;
  return domain;
}

}  // namespace

void AddVerifyEndProperties(std::vector<Property>& all) {
  all.push_back({"past_the_end",
                 Verifiers(),
                 {{"VERIFY-ACCEPT-STOP", Technique::kMetamorphic}},
                 EndedBatches,
                 PastTheEnd});
}

}  // namespace assay
