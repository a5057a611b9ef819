// Verification where a mask allows nothing: at the position that a request ends at, and beside it.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/masked.h"

namespace assay {
namespace {

// Masks of one id a row, drafts that follow them, and of every other request one row without a
// token: no coin decides.
VerifyBatch EmptiedBatch(const Case& at, const Trial& t) {
  VerifyBatch batch = EmptyBatch(at, t);
  batch.injected = GivesCoins(t);
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    VerifyRequest& request = batch.requests[b];
    CaseRandom random(at, static_cast<int64_t>(b), 115);
    std::vector<Allowed> masks;
    for (int64_t row = 0; row < request.rows(); ++row)
      masks.push_back(MaskOf(MaskKind::kOneId, at.vocab, random));
    PutLaws(masks, at.vocab, random, request);
    PutChain(request);
    PutDraftRows(masks, at.vocab, true, request);
    PutCoins(random, request);
    const auto row = static_cast<size_t>(random.Below(request.rows()));
    if (b % 2 == 0) std::ranges::fill(request.target[row], 0.0);
  }
  return batch;
}

// Other clauses say how many drafts are accepted.
void NothingIsReported(const Case& at, Trial& t) {
  const VerifyBatch batch = EmptiedBatch(at, t);
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); b += 2) {
    const VerifyOutcome want = Expected(batch, b, true, t).outcomes.front();
    if ((*told)[b].accepted != want.accepted) continue;
    t.Require("MASK-SAMPLE-EMPTY", Agrees((*told)[b], want, t), [&] {
      return Finding{"request " + std::to_string(b) + ", which ends where no token is allowed",
                     Show(want), Show((*told)[b])};
    });
  }
}

Domain EmptiedBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::rows, {5, 1, 2, 9, 33}},
                 {&Case::drafts, {3, 1, 2, 5}},
                 {&Case::vocab, {16, 1, 8, 64, 1025}}};
  domain.max_elements = 1 << 13;
  domain.quick = 10;
  domain.full = 150;
  return domain;
}

}  // namespace

void AddVerifyMaskedEmptyProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_masked_empty", Verifiers(ReadsLaws),
                               {{"MASK-SAMPLE-EMPTY", Technique::kExact}}, EmptiedBatches,
                               NothingIsReported));
}

}  // namespace assay
