#include "conformance/case.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "reference/error.h"

namespace assay {
namespace {

TEST(Case, JsonRoundTrips) {
  EXPECT_TRUE(rc::check([] {
    Case at;
    for (const CaseField& field : CaseFields()) at.*field.value = *rc::gen::arbitrary<int32_t>();
    at.rows = std::abs(at.rows) + 1;
    at.vocab = std::abs(at.vocab) + 1;
    const Case back = CaseFromJson(CaseToJson(at));
    for (const CaseField& field : CaseFields()) RC_ASSERT((back.*field.value) == (at.*field.value));
  }));
}

TEST(Case, SaysWhatIsWrong) {
  const auto message = [](const char* json) -> std::string {
    try {
      CaseFromJson(json);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message("{").find("not JSON"), std::string::npos);
  EXPECT_NE(message("[1]").find("expected an object"), std::string::npos);
  EXPECT_NE(message(R"({"vocabulary":3})").find("unknown field 'vocabulary'"), std::string::npos);
  EXPECT_NE(message(R"({"vocab":"3"})").find("expected an integer"), std::string::npos);
  EXPECT_NE(message(R"({"vocab":0})").find("vocab >= 1"), std::string::npos);
}

TEST(Case, ShowsOnlyWhatIsNotPlain) {
  Case at;
  at.vocab = 3;
  at.top_k = -2;
  EXPECT_EQ(Show(at), "rows=1 vocab=3 top_k=-2");
}

}  // namespace
}  // namespace assay
