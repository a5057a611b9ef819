// Drafts that are none, and drafts that are no tokens.

#include <limits>

#include "conformance/properties/all.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/probes.h"

namespace assay {
namespace {

// A request whose draft at `row` is `id`; behind it come such drafts too, or good ones.
VerifyRequest RequestWith(const Case& at, int32_t id, int64_t row, bool to_the_end, int64_t salt) {
  VerifyRequest request = SureRequest(at.vocab, at.drafts, salt);
  const size_t last = to_the_end ? request.candidates.size() - 1 : static_cast<size_t>(row) + 1;
  for (size_t i = static_cast<size_t>(row) + 1; i <= last; ++i) request.candidates[i] = id;
  return request;
}

Probes ProbesOf(const Case& at, const Trial& t) {
  Probes probes(at, t);
  const bool block = FindField(t.operation(), "method") && t.Has(ASSAY_BLOCK_RULE);
  if (at.special >= 2 && block) probes.batch.method = RejectionMethod::kBlock;
  return probes;
}

// The row behind draft -1 is one-hot at the last id; or holds two tokens of which the draft row
// would take some away.
void NoDrafts(const Case& at, Trial& t) {
  Probes probes = ProbesOf(at, t);
  const int64_t last = at.vocab - 1;
  const auto add = [&](int64_t row, bool lone, double u) {
    const int64_t salt = std::ssize(probes.batch.requests);
    VerifyRequest request = RequestWith(at, -1, row, salt % 2 == 0, salt);
    const auto r = static_cast<size_t>(row);
    if (lone || last == 0) {
      request.target[r] = RowOf(at.vocab, {{last, 1}});
    } else {
      request.target[r] = RowOf(at.vocab, {{0, 0.5}, {last, 0.5}});
      request.draft[r] = RowOf(at.vocab, {{0, 0.25}, {last, 0.75}});
    }
    request.final_coin = u;
    probes.Add(std::move(request), "VERIFY-DRAFT-MINUS1", Judged::kAll);
  };
  for (int64_t row = 0; row < at.drafts; ++row)
    for (const double u : {0.0, 0.25, 0.75, 1 - 0x1p-24}) {
      add(row, true, u);
      add(row, false, u);
    }
  RequireProbes(probes, true, t);
}

void BadDrafts(const Case& at, Trial& t) {
  Probes probes = ProbesOf(at, t);
  const auto vocab = static_cast<int32_t>(at.vocab);
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  for (int64_t row = 0; row < at.drafts; ++row)
    for (const int32_t id : {vocab, vocab + 1, 1 << 30, -2, kLowest}) {
      const int64_t salt = std::ssize(probes.batch.requests);
      probes.Add(RequestWith(at, id, row, salt % 2 == 0, salt), "VERIFY-DRAFT-RANGE", Judged::kAll);
    }
  RequireProbes(probes, true, t);
}

// special: 1 and 3 without draft rows, 2 and 3 by the block rule, where there is one.
Domain DraftRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4, 1, 2, 33, 130}},
                 {&Case::drafts, {3, 1, 2}},
                 {&Case::special, {0, 1, 2, 3}}};
  domain.quick = 6;
  domain.full = 100;
  return domain;
}

std::string NoDraftIllegal(const Context& context) {
  const bool illegal = context.profile.no_draft == NoDraft::kIllegal;
  return illegal ? "draft -1 is illegal in the profile" : NoCoins(context);
}
std::string BadDraftIllegal(const Context& context) {
  const bool illegal = context.profile.bad_draft == BadDraft::kIllegal;
  return illegal ? "drafts out of range are illegal in the profile" : NoCoins(context);
}

}  // namespace

void AddVerifyDraftProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_no_draft", Verifiers(ReadsLaws),
                               {{"VERIFY-DRAFT-MINUS1", Technique::kEdge}}, DraftRows, NoDrafts,
                               NoDraftIllegal));
  all.push_back(VerifyProperty("verify_bad_draft", Verifiers(ReadsLaws),
                               {{"VERIFY-DRAFT-RANGE", Technique::kBounds}}, DraftRows, BadDrafts,
                               BadDraftIllegal));
}

}  // namespace assay
