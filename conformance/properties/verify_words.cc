// Verifiers that draw their own coins: the same outcomes as the reference with the words of the
// stream.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"

namespace assay {
namespace {

constexpr int64_t kBlock = 1;  // Case::special: by the block rule

VerifyBatch DrawnBatch(const Case& at, const Trial& t) {
  VerifyBatch batch = RandomBatch(at, t);
  batch.injected = false;
  if (at.special == kBlock) batch.method = RejectionMethod::kBlock;
  return batch;
}

void SameWords(const Case& at, Trial& t) { RequireOutcomes(DrawnBatch(at, t), false, t); }

// By the words that the profile promises, whether or not the subject seems to read them.
void PromisedWords(const Case& at, Trial& t) {
  t.set_model(FindRngModel("midpoint32"));
  const VerifyBatch batch = DrawnBatch(at, t);
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const AdmissibleOutcomes expected = Expected(batch, b, false, t);
    const bool agrees = std::ranges::any_of(
        expected.outcomes, [&](const VerifyOutcome& o) { return Agrees((*told)[b], o, t); });
    t.Require("DET-PHILOX-LAYOUT", agrees || !expected.decided, [&] {
      return Finding{"request " + std::to_string(b) + " seed " +
                         std::to_string(batch.requests[b].seed) + " offset " +
                         std::to_string(batch.requests[b].offset),
                     Show(expected.outcomes.front()), Show((*told)[b])};
    });
  }
}

Domain DrawnBatches(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family, {family::kNormal, family::kDyadic, family::kTies, family::kZipf}},
                 {&Case::vocab, {8, 1, 3, 33, 1025}},
                 {&Case::rows, {9, 1, 33}},
                 {&Case::offset, {0, 1, 5, 7}},
                 {&Case::drafts, {3, 0, 1, 5}}};
  if (Has(*context.operation, "method") && (context.subject->flags & ASSAY_BLOCK_RULE))
    domain.axes.push_back({&Case::special, {0, kBlock}});
  domain.max_elements = 1 << 15;
  domain.quick = 20;
  domain.full = 600;
  return domain;
}

std::string NoPromise(const Context& context) {
  return context.profile.stream == Stream::kMidpoint32 ? "" : "the profile promises no stream";
}

}  // namespace

void AddVerifyWordProperties(std::vector<Property>& all) {
  constexpr Technique kCoupling = Technique::kCoupling;
  all.push_back(VerifyProperty("verify_same_words", Verifiers(DrawsFromStream),
                               {{"VERIFY-ACCEPT-RULE", kCoupling},
                                {"VERIFY-RESIDUAL-LAW", kCoupling},
                                {"VERIFY-BONUS-LAW", kCoupling}},
                               DrawnBatches, SameWords, NoModel));
  all.push_back(VerifyProperty("verify_philox_words", Verifiers(DrawsFromStream),
                               {{"DET-PHILOX-LAYOUT", Technique::kExact}}, DrawnBatches,
                               PromisedWords, NoPromise));
}

}  // namespace assay
