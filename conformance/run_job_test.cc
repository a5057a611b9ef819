#include "conformance/run_job.h"

#include <gtest/gtest.h>

#include "conformance/expand.h"
#include "conformance/trial.h"
#include "reference/error.h"
#include "reference/profile.h"

namespace assay {
namespace {

// Copies; below, one that is wrong on rows of at least 5 tokens.
int32_t Copy(const assay_call*, const assay_filter_args* a) {
  for (int64_t r = 0; r < a->input->shape[0]; ++r) {
    for (int64_t c = 0; c < a->input->shape[1]; ++c)
      static_cast<float*>(a->output->data)[r * a->output->strides[0] + c] =
          static_cast<const float*>(a->input->data)[r * a->input->strides[0] + c];
    static_cast<uint8_t*>(a->status->data)[r] = 0;
  }
  return ASSAY_OK;
}
int32_t WrongFromFive(const assay_call* call, const assay_filter_args* a) {
  Copy(call, a);
  if (a->input->shape[1] >= 5) static_cast<float*>(a->output->data)[4] = 9;
  return ASSAY_OK;
}
int32_t PastTheEnd(const assay_call* call, const assay_filter_args* a) {
  Copy(call, a);
  static_cast<float*>(a->output->data)[a->output->shape[0] * a->output->strides[0]] = 0;
  return ASSAY_OK;
}
int32_t LastUnwritten(const assay_call* call, const assay_filter_args* a) {
  const uint8_t kept = static_cast<uint8_t*>(a->status->data)[a->status->shape[0] - 1];
  Copy(call, a);
  static_cast<uint8_t*>(a->status->data)[a->status->shape[0] - 1] = kept;
  return ASSAY_OK;
}
int32_t SpoilsInput(const assay_call* call, const assay_filter_args* a) {
  Copy(call, a);
  static_cast<float*>(a->input->data)[0] += 1;
  return ASSAY_OK;
}

void CopiesCheck(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r)
    t.Require("COPIES", out->at("output").SameRow(r, in.tensors.at("input"), r), [] {
      return Finding{"row", "a copy", "something else"};
    });
}

Property Copies() {
  Property property{"copies",
                    {"top_k_renorm_probs"},
                    {{"COPIES", Technique::kExact}},
                    [](const Context&) {
                      Domain domain;
                      domain.axes = {{&Case::vocab, {1, 2, 100}}, {&Case::rows, {1, 3}}};
                      return domain;
                    },
                    CopiesCheck};
  for (const Claim& claim : HarnessClaims()) property.claims.push_back(claim);
  return property;
}

Context ContextOf(int32_t (*function)(const assay_call*, const assay_filter_args*)) {
  static assay_subject subject;
  subject = {};
  subject.status_form = ASSAY_STATUS_CODES;
  subject.ops.top_k_renorm_probs = function;
  Context context;
  context.subject = &subject;
  context.operation = &FindOperation("top_k_renorm_probs");
  return context;
}
JobResult RunOn(int32_t (*function)(const assay_call*, const assay_filter_args*)) {
  return RunJob(Copies(), ContextOf(function), 1);
}

std::vector<std::string> Refused(const JobResult& result) {
  std::vector<std::string> ids;
  for (const Counterexample& found : result.counterexamples) ids.push_back(found.requirement);
  return ids;
}

TEST(RunJob, PassesAGoodFunction) {
  const JobResult result = RunOn(Copy);
  EXPECT_TRUE(result.counterexamples.empty());
  EXPECT_GT(result.evidence[0].checks, 60);
}

TEST(RunJob, ShrinksToTheSmallestCase) {
  const JobResult result = RunOn(WrongFromFive);
  ASSERT_EQ(Refused(result), std::vector<std::string>{"COPIES"});
  EXPECT_EQ(Show(result.counterexamples[0].at), "rows=1 vocab=5");
  EXPECT_NE(result.counterexamples[0].input.find("input ["), std::string::npos);
}

// Sizes shrink to any; a check may have no input there.
TEST(RunJob, ShrinksNoFurtherThanThereIsInput) {
  Property property = Copies();
  property.domain = [](const Context&) {
    Domain domain;
    domain.axes = {{&Case::vocab, {7, 100}}, {&Case::rows, {1, 3}}};
    return domain;
  };
  property.check = [](const Case& at, Trial& t) {
    if (at.vocab < 7) throw InputError("illegal");
    CopiesCheck(at, t);
  };
  const JobResult result = RunJob(property, ContextOf(WrongFromFive), 1);
  ASSERT_EQ(Refused(result), std::vector<std::string>{"COPIES"});
  EXPECT_EQ(Show(result.counterexamples[0].at), "rows=1 vocab=7");
}

TEST(RunJob, TellsOfEachCall) {
  int calls = 0, cases = 0;
  Context context = ContextOf(Copy);
  context.on_call = [&] { ++calls; };
  const JobResult result = RunJob(Copies(), context, 1, [&](const Case&) { ++cases; });
  EXPECT_EQ(calls, result.cases);
  EXPECT_EQ(cases, result.cases);
}

TEST(RunJob, SeesWhatEveryCallMustKeep) {
  EXPECT_EQ(Refused(RunOn(PastTheEnd)), std::vector<std::string>{"BUF-GUARD-WRITE"});
  EXPECT_EQ(Refused(RunOn(LastUnwritten)), std::vector<std::string>{"BUF-OUTPUT-ALL"});
  EXPECT_EQ(Refused(RunOn(SpoilsInput)), std::vector<std::string>{"BUF-INPUT-CONST"});
}

TEST(RunJob, IsAFunctionOfItsArguments) {
  const JobResult a = RunOn(WrongFromFive), b = RunOn(WrongFromFive);
  EXPECT_EQ(a.cases, b.cases);
  EXPECT_EQ(Show(a.counterexamples[0].at), Show(b.counterexamples[0].at));
  EXPECT_EQ(a.evidence[0].failures, b.evidence[0].failures);
}

TEST(RunJob, ReplayNeedsTheCaseAlone) {
  const JobResult first = RunOn(WrongFromFive);
  static assay_subject subject;
  subject = {};
  subject.status_form = ASSAY_STATUS_CODES;
  subject.ops.top_k_renorm_probs = WrongFromFive;
  Context context;
  context.subject = &subject;
  context.operation = &FindOperation("top_k_renorm_probs");
  const JobResult again = RunCase(Copies(), context, first.counterexamples[0].at);
  ASSERT_EQ(again.counterexamples.size(), 1u);
  EXPECT_EQ(again.counterexamples[0].got, first.counterexamples[0].got);
}

}  // namespace
}  // namespace assay
