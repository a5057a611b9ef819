#ifndef ASSAY_REFERENCE_VERIFY_TESTING_H_
#define ASSAY_REFERENCE_VERIFY_TESTING_H_

// What the tests of chain rules share.

#include <vector>

#include "reference/verify_rejection.h"

namespace assay {

using Ids = std::vector<int32_t>;
using Row = std::vector<double>;

inline const Profile kStrict = FindProfile("strict");

// A request with its coins: accept coins by row, the final one last.
struct Given {
  std::vector<Row> target, draft = {};
  Ids drafts = {};
  Row coins = {};
  Profile profile = kStrict;
  RatioRule rule = {};
  Thresholds thresholds = {};

  ChainRequest Request() const {
    return {.target = Rows(target.begin(), target.end()),
            .draft = Rows(draft.begin(), draft.end()),
            .drafts = drafts};
  }
  Randomness Coins() const {
    return {.uniform =
                [this](Coin coin, int64_t) {
                  return coin.use == CoinUse::kFinal ? coins.back()
                                                     : coins[static_cast<size_t>(coin.row)];
                },
            .noise = {}};
  }
  VerifyOutcome Ratio() const {
    return OutcomeOf(
        [&](Decisions& decide) { return VerifyChainRatio(Request(), rule, profile, decide); },
        Coins(), profile);
  }
  VerifyOutcome Sample(const RejectionRule& rejection) const {
    return OutcomeOf(
        [&](Decisions& decide) { return RejectionSample(Request(), rejection, profile, decide); },
        Coins(), profile);
  }
  VerifyOutcome TargetOnly() const {
    return OutcomeOf(
        [&](Decisions& decide) {
          return VerifyChainTargetOnly(Request(), thresholds, profile, decide);
        },
        Coins(), profile);
  }
};

// p = 1/4, q = 1/2 of draft 0, then a bonus row.
inline Given OneDraft() {
  return {.target = {{0.25, 0.5, 0.25, 0}, {0, 0, 0, 1}},
          .draft = {{0.5, 0.25, 0.125, 0.125}},
          .drafts = {0},
          .coins = {0.25, 0.5}};
}

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_TESTING_H_
