// The joint law of what a verifier emits on model W, from its answers to all cells of its coins:
// no draw, no statistics.

#include <cmath>

#include "conformance/properties/all.h"
#include "conformance/show.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/coin_cells.h"
#include "conformance/verify/model_requests.h"
#include "conformance/verify/rules.h"
#include "reference/model_w.h"

namespace assay {
namespace {

constexpr double kExact = 1e-9;  // sums of products of a few fractions

// A request and the probability that its drafts are drawn.
struct Drafted {
  VerifyRequest request;
  double weight;
};
std::vector<Drafted> AllRequests(ModelUse use, const Operation& operation) {
  if (ReadsLinks(operation)) return {{ModelTreeRequest(use), 1}};
  const Model& model = ModelOf(use);
  std::vector<Drafted> all;
  for (int32_t a = 0; a < kModelTokens; ++a)
    for (int32_t b = 0; b < kModelTokens; ++b) {
      const std::vector<int32_t> drafts = {a, b}, first = {a};
      const double weight =
          model.draft({})[static_cast<size_t>(a)] * model.draft(first)[static_cast<size_t>(b)];
      all.push_back({ModelRequest(drafts, use), weight});
    }
  return all;
}

// The rule of one request.
Rule RuleOf(const VerifyBatch& one, const Trial& t) {
  return VerifierRule(t.operation().name, one, 0, {}, t.profile());
}

// Adds the subject's answers to all choices of a request's coins; false after a failure.
bool AddAnswers(const Drafted& drafted, VerifyBatch batch, Trial& t, JointLaw& law) {
  batch.requests = {drafted.request};
  const auto choices =
      ChoicesOf(CellsOf(RuleOf(batch, t), static_cast<size_t>(drafted.request.rows())));
  const auto step = static_cast<size_t>(RequestsACall(drafted.request.rows(), t.context()));
  for (size_t begin = 0; begin < choices.size(); begin += step) {
    const auto part = std::span(choices).subspan(begin, std::min(step, choices.size() - begin));
    batch.requests.assign(part.size(), drafted.request);
    for (size_t i = 0; i < part.size(); ++i) {
      batch.requests[i].coins = part[i].tests;
      batch.requests[i].final_coin = part[i].last;
    }
    const auto told = Verify(batch, t);
    if (!told) return false;
    for (size_t i = 0; i < part.size(); ++i)
      law[{(*told)[i].emitted, (*told)[i].accepted, 0}] += drafted.weight * part[i].weight;
  }
  return true;
}

std::string_view ClauseOf(ModelUse use, const Operation& operation) {
  if (use == ModelUse::kMasked) return "MASK-VERIFY-LOSSLESS";
  if (ReadsLinks(operation)) return "VERIFY-TREE-LAW";
  if (use == ModelUse::kOneHot) return "VERIFY-LAW-ONEHOT";
  return use == ModelUse::kBlock ? "VERIFY-BLOCK-LAW" : "VERIFY-LAW-JOINT";
}

// The tokens whose probability is furthest off.
Finding Furthest(const TokenLaw& want, const TokenLaw& got) {
  const auto mass = [](const TokenLaw& law, const std::vector<int32_t>& tokens) {
    const auto found = law.find(tokens);
    return found == law.end() ? 0 : found->second;
  };
  const std::vector<int32_t>* worst = &want.begin()->first;
  for (const TokenLaw* law : {&want, &got})
    for (const auto& [tokens, _] : *law)
      if (std::fabs(mass(want, tokens) - mass(got, tokens)) >
          std::fabs(mass(want, *worst) - mass(got, *worst)))
        worst = &tokens;
  return {"tokens " + ShowIds(*worst), "probability " + Show(mass(want, *worst)),
          Show(mass(got, *worst)) + ", the laws " + Show(TotalVariation(want, got)) + " apart"};
}

void HasTheJointLaw(const Case& at, Trial& t) {
  const auto use = static_cast<ModelUse>(at.special);
  const VerifyBatch batch = ModelBatch(use, t.operation());
  const Model& model = ModelOf(use);
  const int32_t length = model.drafts + 1;
  const bool lossy = use == ModelUse::kAccumulated || use == ModelUse::kSingle;
  JointLaw told, ruled;
  for (const Drafted& drafted : AllRequests(use, t.operation())) {
    if (!AddAnswers(drafted, batch, t, told)) return;
    if (!lossy) continue;
    VerifyBatch one = batch;
    one.requests = {drafted.request};
    for (const auto& [emission, mass] : EnumerateLaw(RuleOf(one, t)))
      ruled[emission] += drafted.weight * mass;
  }
  const TokenLaw got = Completed(told, model, length);
  const TokenLaw want = lossy ? Completed(ruled, model, length) : TargetLaw(model, length);
  t.Require(ClauseOf(use, t.operation()), TotalVariation(want, got) < kExact,
            [&] { return Furthest(want, got); });
}

Domain Uses(const Context& context) {
  Domain domain;
  std::vector<int64_t> uses = ModelUses(context);
  uses.push_back(static_cast<int64_t>(ModelUse::kMasked));
  domain.axes = {{&Case::special, std::move(uses)}};
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddVerifyLawProperties(std::vector<Property>& all) {
  constexpr Technique kLaw = Technique::kLaw;
  all.push_back(VerifyProperty("verify_joint_law", Verifiers(ReadsLaws),
                               {{"VERIFY-LAW-JOINT", kLaw},
                                {"VERIFY-LAW-ONEHOT", kLaw},
                                {"VERIFY-TREE-LAW", kLaw},
                                {"VERIFY-BLOCK-LAW", kLaw},
                                {"MASK-VERIFY-LOSSLESS", kLaw}},
                               Uses, HasTheJointLaw, NoCoins));
}

}  // namespace assay
