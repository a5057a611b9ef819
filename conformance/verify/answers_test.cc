// What a subject says of a request, read in each form; counts and rows that cannot be.

#include "conformance/verify/answers.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

// A call's outputs of one operation, two requests of three rows over 16 tokens.
class Reading {
 public:
  explicit Reading(std::string_view operation, Profile profile = FindProfile("strict")) {
    context_.subject = &kSubject;
    context_.operation = &FindOperation(operation);
    context_.profile = profile;
    property_.name = "reading";
    for (int b = 0; b < 2; ++b) {
      VerifyRequest request;
      request.candidates = {0, 0, 0};
      request.target_ids = {4, 5, 6};
      batch.requests.push_back(request);
    }
    batch.vocab = 16;
  }

  void Put(std::string_view name, DType dtype, const Ids& values, int64_t columns = 0) {
    const auto count = std::ssize(values);
    Tensor tensor = columns > 0 ? Tensor::Matrix(dtype, count / columns, columns)
                                : Tensor::Vector(dtype, count);
    for (int64_t i = 0; i < count; ++i)
      tensor.SetBits(columns > 0 ? i / columns : 0, columns > 0 ? i % columns : i,
                     static_cast<uint32_t>(values[static_cast<size_t>(i)]));
    out.insert_or_assign(name, tensor);
  }
  std::vector<Told> Answers() const { return ReadAnswers(batch, out, Trial(property_, context_)); }
  Tensors Specified() const { return assay::Specified(out, Trial(property_, context_)); }

  VerifyBatch batch;
  Tensors out;

 private:
  static constexpr assay_subject kSubject = {};
  Context context_;
  Property property_ = {};
};

Reading Predicts(const Ids& index, const Ids& counts) {
  Reading reading("verify_chain_greedy");
  reading.Put("predicts", DType::kI32, {4, 5, -7, 8, -7, -7});
  reading.Put("accept_index", DType::kI32, index, 3);
  reading.Put("accept_count", DType::kI32, counts);
  return reading;
}

TEST(ReadAnswers, Predicts) {
  const auto told = Predicts({0, 1, -1, 3, -1, -1}, {1, 0}).Answers();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].accepted, 1);
  EXPECT_EQ(told[0].emitted, (Ids{4, 5}));
  EXPECT_EQ(told[0].rows, (Ids{0, 1}));
  EXPECT_EQ(told[1].emitted, Ids{8});
  EXPECT_EQ(told[1].rows, Ids{0});
  for (const auto& request : told) EXPECT_EQ(request.malformed, "");
}

TEST(ReadAnswers, CountsOutOfRangeAreMalformed) {
  const auto told = Predicts({0, 1, 2, 3, 4, 5}, {3, -1}).Answers();
  EXPECT_EQ(told[0].malformed, "3 accepted drafts of 2");
  EXPECT_EQ(told[1].malformed, "-1 accepted drafts of 2");
  EXPECT_TRUE(told[0].emitted.empty());
}

TEST(ReadAnswers, RowsOfOtherRequestsAreMalformed) {
  const auto told = Predicts({0, 3, -1, 0, -1, -1}, {1, 0}).Answers();
  EXPECT_EQ(told[0].malformed, "accept_index entry 1 is 3");
  EXPECT_EQ(told[1].malformed, "accept_index entry 0 is 0");
}

TEST(ReadAnswers, EmittedAndMetric) {
  Profile added = FindProfile("strict");
  added.counter_mode = CounterMode::kAdded;
  Reading reading("chain_speculative_sampling", added);
  reading.batch.requests[0].counter = 7;
  reading.batch.requests[1].counter = 14;
  reading.Put("emitted", DType::kI32, {3, 9, -1, 2, -1, -1}, 3);
  reading.Put("accept_count", DType::kI32, {8, 14});
  reading.Put("accept_metric", DType::kI32, {9, 15});
  reading.Put("status", DType::kU8, {0, 1});
  const auto told = reading.Answers();
  EXPECT_EQ(told[0].emitted, (Ids{3, 9}));
  EXPECT_EQ(told[0].accepted, 1);
  EXPECT_EQ(told[0].metric, 2);
  EXPECT_EQ(told[1].emitted, Ids{2});
  EXPECT_EQ(told[1].rows, Ids{0});
  EXPECT_EQ(told[1].metric, 1);
  EXPECT_EQ(told[1].status, 1);
}

TEST(ReadAnswers, Match) {
  Reading reading("verify_match");
  reading.batch.requests[1].candidates = {0};
  reading.batch.requests[1].target_ids = {6};
  reading.Put("emitted", DType::kI32, {4, -1, -1, -7, -7, -7}, 3);
  reading.Put("accept_count", DType::kI32, {1, -5});  // one row: as the caller left it
  reading.Put("accept_mask", DType::kU8, {1, 1, 0, 1});
  reading.Put("last_row", DType::kI32, {1, 3});
  auto told = reading.Answers();
  EXPECT_EQ(told[0].emitted, (Ids{4, 5}));
  EXPECT_EQ(told[0].rows, (Ids{0, 1}));
  EXPECT_EQ(told[1].accepted, 0);
  EXPECT_EQ(told[1].emitted, Ids{6});
  reading.Put("accept_mask", DType::kU8, {1, 1, 1, 1});
  EXPECT_EQ(reading.Answers()[0].malformed, "accept_mask of row 2");
  reading.Put("last_row", DType::kI32, {3, 3});
  told = reading.Answers();
  EXPECT_EQ(told[0].malformed, "last_row is 3");
}

TEST(Specified, IsWhatTheContractSays) {
  const Tensors predicts = Predicts({0, 1, -1, 3, -1, -1}, {1, 0}).Specified();
  const Ids want = {4, 5, 0, 8, 0, 0};
  for (int64_t row = 0; row < 6; ++row)
    EXPECT_EQ(predicts.at("predicts").GetInt(row), want[static_cast<size_t>(row)]);
  Profile open = FindProfile("strict");
  open.emitted_tail = EmittedTail::kUnspecified;
  for (const Profile& profile : {FindProfile("strict"), open}) {
    Reading reading("rejection_sample", profile);
    reading.Put("emitted", DType::kI32, {3, 9, 11, 2, 12, 13}, 3);
    reading.Put("accept_count", DType::kI32, {1, 0});
    const Tensor emitted = reading.Specified().at("emitted");
    EXPECT_EQ(emitted.GetInt(0, 1), 9);
    EXPECT_EQ(emitted.GetInt(0, 2), profile.emitted_tail == open.emitted_tail ? 0 : 11);
    EXPECT_EQ(emitted.GetInt(1, 1), profile.emitted_tail == open.emitted_tail ? 0 : 12);
  }
}

}  // namespace
}  // namespace assay
