#include "conformance/rules.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::vector<int64_t> Entries(const Inputs& in, std::string_view name, int64_t row = 0) {
  const Tensor& tensor = in.tensors.at(name);
  std::vector<int64_t> out;
  for (int64_t c = 0; c < tensor.cols(); ++c) out.push_back(tensor.GetInt(row, c));
  return out;
}
using Entries64 = std::vector<int64_t>;

TEST(PutRules, ListsAreRuns) {
  const Rules slots[] = {
      {.prompt = {4}, .output = {5, 6}, .bias_ids = {2}, .bias = {0.5}, .bad_words = {{1}, {2, 3}}},
      {.stop = {7, 8}, .min_tokens = 3},
      {.output = {9}, .bad_words = {{0}}}};
  Inputs in;
  PutRules(slots, {{-1, 77}, 2}, &in);
  EXPECT_EQ(Entries(in, "history", 0), (Entries64{4, 5, 6, -1, 77}));
  EXPECT_EQ(Entries(in, "history", 1), (Entries64{-1, 77, -1, 77, -1}));
  EXPECT_EQ(Entries(in, "prompt_len"), (Entries64{1, 0, 0}));
  EXPECT_EQ(Entries(in, "total_len"), (Entries64{3, 0, 1}));
  EXPECT_EQ(Entries(in, "bias_begin"), (Entries64{0, 1, 1, 1}));
  EXPECT_EQ(Entries(in, "stop_ids"), (Entries64{7, 8}));
  EXPECT_EQ(Entries(in, "stop_begin"), (Entries64{0, 0, 2, 2}));
  EXPECT_EQ(Entries(in, "allowed_begin"), (Entries64{0, 0, 0, 0}));
  EXPECT_EQ(Entries(in, "bad_words"), (Entries64{1, 2, 3, 0}));
  EXPECT_EQ(Entries(in, "bad_words_begin"), (Entries64{0, 1, 3, 4}));
  EXPECT_EQ(Entries(in, "bad_words_slot"), (Entries64{0, 2, 2, 3}));
}

TEST(TypicalRules, AreValid) {
  for (const int64_t vocab : {1, 5, 100})
    for (const int64_t history : {0, 1, 12}) {
      Case at;
      at.rows = 9;
      at.vocab = vocab;
      at.history = history;
      for (const Rules& rules : TypicalRules(at)) {
        EXPECT_EQ(std::ssize(rules.prompt) + std::ssize(rules.output), history);
        const std::vector<double> row(static_cast<size_t>(vocab), 1);
        EXPECT_EQ(Process(row, rules, FindProfile("strict")).status, RowStatus::kOk);
      }
    }
}

}  // namespace
}  // namespace assay
