#include "conformance/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>

namespace assay {
namespace {

Domain ThreeAxes() {
  Domain domain;
  domain.axes = {
      {&Case::family, {0, 1, 2}}, {&Case::vocab, {2, 1, 33, 4096}}, {&Case::rows, {1, 7}}};
  domain.max_elements = 4096;
  return domain;
}

Context Plain(const assay_subject& subject) {
  Context context;
  context.subject = &subject;
  return context;
}

TEST(Draw, SweepCoversEveryPair) {
  assay_subject subject = {};
  std::set<std::pair<int64_t, int64_t>> seen;
  for (const Case& at : Sweep(ThreeAxes(), Plain(subject))) seen.insert({at.family, at.vocab});
  EXPECT_EQ(seen.size(), 12u);
}

TEST(Draw, SweepIsMuchSmallerThanTheProduct) {
  assay_subject subject = {};
  Domain domain;
  for (auto field : {&Case::family, &Case::top_k, &Case::top_p, &Case::place, &Case::special})
    domain.axes.push_back({field, {0, 1, 2, 3, 4, 5, 6, 7}});
  const size_t cases = Sweep(domain, Plain(subject)).size();
  EXPECT_GE(cases, 64u);
  EXPECT_LE(cases, 220u);
}

TEST(Draw, TierDeepSweepsTheProduct) {
  assay_subject subject = {};
  Context context = Plain(subject);
  context.tier = Tier::kDeep;
  Domain domain = ThreeAxes();
  domain.max_elements = 1 << 20;
  const auto combinations = [&] {
    std::set<std::array<int64_t, 3>> seen;
    for (const Case& at : Sweep(domain, context)) seen.insert({at.family, at.vocab, at.rows});
    return seen.size();
  };
  EXPECT_EQ(combinations(), 24u);
  context.tier = Tier::kFull;
  EXPECT_LT(combinations(), 24u);
}

TEST(Draw, TierDeepSpreadsItsCasesOverAProductThatIsTooLarge) {
  assay_subject subject = {};
  Context context = Plain(subject);
  Domain domain;
  for (auto field : {&Case::family, &Case::top_k, &Case::top_p, &Case::place, &Case::special})
    domain.axes.push_back({field, {0, 1, 2, 3, 4, 5, 6, 7}});
  domain.full = 100;
  const size_t full = Sweep(domain, context).size();
  context.tier = Tier::kDeep;
  const std::vector<Case> cases = Sweep(domain, context);
  EXPECT_EQ(cases.size(), full + 1000);
  std::set<std::array<int64_t, 5>> seen;
  std::set<std::array<int64_t, 3>> triples;
  for (const Case& at : std::span(cases).subspan(full)) {
    seen.insert({at.family, at.top_k, at.top_p, at.place, at.special});
    triples.insert({at.family, at.place, at.special});
  }
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_GT(triples.size(), 400u);  // of 512; 1,000 at random would meet about 440
}

TEST(Draw, FitsTheSubject) {
  assay_subject subject = {};
  subject.max_vocab = 100;
  const Domain domain = ThreeAxes();
  Case at;
  at.vocab = 4096;
  at.rows = 0;
  at.pad = 3;
  at.scalar = 1;
  const Case fitted = Fit(at, domain, Plain(subject));
  EXPECT_EQ(fitted.vocab, 100);
  EXPECT_EQ(fitted.rows, 1);
  EXPECT_EQ(fitted.pad, 0);
  EXPECT_EQ(fitted.scalar, 0);
  at.rows = 1000;
  EXPECT_EQ(Fit(at, domain, Plain(subject)).rows, 40);  // 4096 / 100
}

TEST(Draw, RandomCasesDependOnTheSeedAlone) {
  assay_subject subject = {};
  rc::Random a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 20; ++i) {
    const Case x = DrawCase(ThreeAxes(), Plain(subject), a);
    EXPECT_EQ(Show(x), Show(DrawCase(ThreeAxes(), Plain(subject), b)));
    differs |= Show(x) != Show(DrawCase(ThreeAxes(), Plain(subject), c));
  }
  EXPECT_TRUE(differs);
}

TEST(Draw, SimplerCasesMoveOneFieldTowardsPlain) {
  Case at;
  at.vocab = 9;
  at.seed = 5;
  auto simpler = Simpler(at);
  int count = 0;
  while (const auto next = simpler.next()) {
    ++count;
    EXPECT_TRUE((next->vocab < 9) != (next->seed < 5));
  }
  EXPECT_GT(count, 4);
}

}  // namespace
}  // namespace assay
