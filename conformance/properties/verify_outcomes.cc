// Verifiers against the reference, request by request: which drafts are accepted, and the token
// that follows them.

#include "conformance/properties/all.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"

namespace assay {
namespace {

// ---- Random batches. ---------------------------------------------------------------------------

void SameOutcomes(const Case& at, Trial& t) { RequireOutcomes(RandomBatch(at, t), false, t); }

Domain RandomBatches(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family,
                  {family::kDyadic, family::kTies, family::kOneHot, family::kNormal,
                   family::kPeaked, family::kZipf}},
                 {&Case::vocab, {8, 1, 2, 3, 33, 1025, 4097}, {32000, 131072}},
                 {&Case::rows, {3, 1, 2, 9, 33}},
                 {&Case::drafts, {3, 0, 1, 2, 5, 16}}};
  if (!ReadsLaws(*context.operation)) domain.axes.erase(domain.axes.begin());
  domain.max_elements = 1 << 16;
  domain.quick = 40;
  domain.full = 1000;
  return domain;
}

}  // namespace

void AddVerifyOutcomeProperties(std::vector<Property>& all) {
  constexpr auto ids = [](const Operation& o) { return !ReadsLaws(o); };
  all.push_back(VerifyProperty("verify_same_ids", Verifiers(ids),
                               {{"VERIFY-GREEDY-RULE", Technique::kExact},
                                {"VERIFY-MATCH-RULE", Technique::kExact},
                                {"VERIFY-TREE-GREEDY", Technique::kExact}},
                               RandomBatches, SameOutcomes));
  all.push_back(VerifyProperty("verify_same_outcomes", Verifiers(ReadsLaws),
                               {{"VERIFY-ACCEPT-RULE", Technique::kCoupling},
                                {"VERIFY-TREE-WALK", Technique::kCoupling},
                                {"VERIFY-RESIDUAL-LAW", Technique::kCoupling},
                                {"VERIFY-BONUS-LAW", Technique::kCoupling}},
                               RandomBatches, SameOutcomes));
}

}  // namespace assay
