#ifndef ASSAY_REFERENCE_MODEL_W_TESTING_H_
#define ASSAY_REFERENCE_MODEL_W_TESTING_H_

// What the tests of model W share: its rows by prefix, and defects with their distance.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/model_w.h"
#include "reference/verify.h"

namespace assay {

using Row = std::vector<double>;
using Ids = std::vector<int32_t>;

inline const Model kModel = ModelW();
inline const Profile kStrict = FindProfile("strict");

inline Row TargetAfter(std::span<const int32_t> prefix) { return kModel.target(prefix); }
inline Row DraftAfter(std::span<const int32_t> prefix) { return kModel.draft(prefix); }
inline std::span<const int32_t> First(const Ids& ids, size_t count) {
  return std::span(ids).first(count);
}

inline Row Left(const Row& target, const Row& draft, double scale = 1) {
  return ResidualOf({.target = target, .draft = draft, .scale = scale}, kStrict).value;
}
inline int32_t DrawFrom(const Row& row, Coin coin, Decisions& decide) {
  return decide.Token(ReadWeights(row, kStrict), coin);
}
inline Coin AcceptCoin(size_t row) { return {CoinUse::kAccept, static_cast<int32_t>(row)}; }
inline Coin FinalCoin(size_t row) { return {CoinUse::kFinal, static_cast<int32_t>(row)}; }

template <typename Defects>
Rule With(VerifyOutcome (*rule)(Defects, Decisions&), Defects defect) {
  return [=](Decisions& decide) { return rule(defect, decide); };
}

struct KnownDefect {
  std::string_view name;
  Rule rule;
  double published;  // distance of the triple of tokens, in part from 2e7 simulated steps
  double exact;      // found apart, in rational arithmetic
  bool in_first;     // whether the first token alone shows it
};

inline void ExpectDistances(std::span<const KnownDefect> defects) {
  for (const KnownDefect& defect : defects) {
    const JointLaw law = EnumerateLaw(defect.rule);
    EXPECT_NEAR(Loss(law, kModel), defect.exact, kLawError) << defect.name;
    EXPECT_NEAR(defect.exact, defect.published, 0.001) << defect.name;
    const double first = TotalVariation(Completed(law, kModel, 1), TargetLaw(kModel, 1));
    EXPECT_EQ(first > kLawError, defect.in_first) << defect.name << ": " << first;
  }
}

// Whether two rules emit the same, whatever they count.
inline void ExpectSameTokens(const JointLaw& a, const JointLaw& b) {
  const auto tokens = [](const JointLaw& law) {
    TokenLaw sum;
    for (const auto& [emission, mass] : law) sum[emission.tokens] += mass;
    return sum;
  };
  EXPECT_LT(TotalVariation(tokens(a), tokens(b)), 1e-15);
}

}  // namespace assay

#endif  // ASSAY_REFERENCE_MODEL_W_TESTING_H_
