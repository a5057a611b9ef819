#include <gtest/gtest.h>

#include <string>

#include "reference/error.h"
#include "reference/profile.h"
#include "reference/verify_layout.h"
#include "reference/verify_testing.h"
#include "reference/verify_tree.h"

namespace assay {
namespace {

// What a profile makes of inputs that tell every choice apart: outcomes, or the error.
struct Trace {
  std::vector<VerifyOutcome> outcomes;
  std::vector<std::string> errors;
  Written tail;
  int32_t counter = 0;
  friend bool operator==(const Trace&, const Trace&) = default;
};

VerifyOutcome Siblings00(const Profile& profile) {
  static constexpr int32_t kIds[] = {9, 0, 0}, kNext[] = {1, -1, -1}, kSibling[] = {-1, 2, -1};
  const Row row = {0.25, 0.75};
  const Tree tree{.candidates = kIds, .next_token = kNext, .next_sibling = kSibling, .width = 2};
  const Randomness coins{.uniform = [](Coin, int64_t) { return 0.375; }, .noise = {}};
  return OutcomeOf(
      [&](Decisions& decide) {
        return VerifyTreeTargetOnly(tree, {row, row, row}, {}, {}, profile, decide);
      },
      coins, profile);
}

Trace TraceOf(const Profile& profile) {
  Trace trace;
  const auto run = [&](auto rule) {
    try {
      trace.outcomes.push_back(rule());
    } catch (const InputError& error) {
      trace.errors.push_back(error.what());
    }
  };
  const auto chain = [&](auto change) {
    Given at = OneDraft();
    at.profile = profile;
    change(at);
    run([&] { return at.Ratio(); });
    run([&] { return at.TargetOnly(); });
  };
  chain([](Given& at) { at.coins[0] = 0.5; });   // u q = p
  chain([](Given& at) { at.coins[0] = 0.25; });  // coin = p
  chain([](Given& at) { at.draft[0][0] = 0; });
  chain([](Given& at) {
    at.drafts[0] = -1;
    at.coins[1] = 0.125;
  });
  chain([](Given& at) { at.drafts[0] = 4; });
  chain([](Given& at) {
    at.target[0] = at.draft[0] = {0, 1, 0, 0};
    at.drafts[0] = 1;
    at.coins[0] = 1;
  });
  chain([](Given& at) {  // rejected, then a metric coin of the same value that is not
    at.target[0][0] = 0.25;
    at.coins[0] = 0.75;
  });
  const Given metric = OneDraft();
  const Randomness words{.uniform = [](Coin, int64_t drawn) { return drawn == 0 ? 0.75 : 0.25; },
                         .noise = {}};
  run([&] {
    return OutcomeOf(
        [&](Decisions& decide) { return VerifyChainRatio(metric.Request(), {}, profile, decide); },
        words, profile);
  });
  run([&] { return Siblings00(profile); });
  trace.tail = EmittedRow({.emitted = {1}, .rows = {0}}, 3, profile);
  trace.counter = CounterAfter(7, 3, profile);
  return trace;
}

TEST(Profile, EveryChoiceMatters) {
  const Trace strict = TraceOf(kStrict);
  const auto differs = [&](auto member, auto value, const char* name) {
    Profile profile = kStrict;
    profile.*member = value;
    EXPECT_FALSE(TraceOf(profile) == strict) << name << " " << static_cast<int>(value);
  };
  using P = Profile;
  differs(&P::ratio_edge, AcceptEdge::kReach, "ratio_edge");
  differs(&P::target_only_edge, AcceptEdge::kReach, "target_only_edge");
  differs(&P::draft_zero, DraftZero::kReject, "draft_zero");
  differs(&P::no_draft, NoDraft::kReject, "no_draft");
  differs(&P::no_draft, NoDraft::kIllegal, "no_draft");
  differs(&P::bad_draft, BadDraft::kIllegal, "bad_draft");
  differs(&P::residual_empty, ResidualEmpty::kReport, "residual_empty");
  differs(&P::residual_empty, ResidualEmpty::kTokenZero, "residual_empty");
  differs(&P::residual_empty, ResidualEmpty::kUnspecified, "residual_empty");
  differs(&P::target_only_draft, TargetOnlyDraft::kTakenAway, "target_only_draft");
  differs(&P::siblings, Siblings::kIllegal, "siblings");
  differs(&P::siblings, Siblings::kTwice, "siblings");
  differs(&P::accept_metric, AcceptMetric::kSecondChance, "accept_metric");
  differs(&P::counter_mode, CounterMode::kAdded, "counter_mode");
  differs(&P::emitted_tail, EmittedTail::kUnspecified, "emitted_tail");
}

}  // namespace
}  // namespace assay
