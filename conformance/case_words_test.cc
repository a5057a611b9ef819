#include "conformance/case_words.h"

#include <gtest/gtest.h>

#include "conformance/expand.h"

namespace assay {
namespace {

TEST(CaseWords, CodesBecomeWhatTheyStandFor) {
  Case at;
  at.family = family::kTies;
  at.vocab = 64;
  at.top_k = -3;
  at.top_p = 1;
  at.place = 1;
  at.order = ASSAY_ORDER_JOINT;
  at.special = 7;
  const std::string text = InWords(at);
  for (const char* part :
       {"family=ties rows=1 vocab=64 top_k=65 top_p=", " order=joint place=63 ", " special=7"})
    EXPECT_NE(text.find(part), text.npos) << text;
  EXPECT_EQ(text.find("top_p=1 "), text.npos) << text;
}

TEST(CaseWords, UnknownCodesStayNumbers) {
  Case at;
  at.family = 999;
  at.place = -5;
  EXPECT_EQ(InWords(at), "family=999 rows=1 vocab=1 place=-5");
  EXPECT_EQ(InWords(Case()), "rows=1 vocab=1");
}

}  // namespace
}  // namespace assay
