// What the modes show of a subject, on a device that is none.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/fake_device.h"
#include "conformance/plan.h"
#include "conformance/run_job.h"
#include "conformance/subject_info.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"

namespace assay {
namespace {

// top_k_renorm_probs that copies, in two launches by way of a scratch; and ways to do that wrong.
enum class How : uint8_t {
  kGood,
  kSharedScratch,
  kFrozenInput,
  kFirstStream,
  kStaleWorkspace,
  kCounted
};

struct Copier {
  How how = How::kGood;
  void* first_stream = nullptr;
  int launches = 0;  // since the host set them to 0
  std::vector<float> shared = std::vector<float>(1 << 18);
};

void CopyRows(const float* from, int64_t apart, float* to, int64_t to_apart, int64_t rows,
              int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    std::memcpy(to + r * to_apart, from + r * apart, static_cast<size_t>(cols) * sizeof(float));
}

int32_t Copy(const assay_call* call, const assay_filter_args* a) {
  auto& self = *static_cast<Copier*>(const_cast<void*>(call->self));
  const int64_t rows = a->input->shape[0], cols = a->input->shape[1];
  const int64_t apart = a->input->strides[0], to_apart = a->output->strides[0];
  float* const own = static_cast<float*>(call->workspace) + 1;
  float* const scratch =
      self.how == How::kSharedScratch || self.how == How::kFrozenInput ? self.shared.data() : own;
  const auto* const from = static_cast<const float*>(a->input->data);
  auto* const to = static_cast<float*>(a->output->data);
  auto* const status = static_cast<uint8_t*>(a->status->data);
  if (!self.first_stream) self.first_stream = call->stream;
  void* const stream = self.how == How::kFirstStream ? self.first_stream : call->stream;
  const auto read = [=] { CopyRows(from, apart, scratch, cols, rows, cols); };
  if (self.how == How::kFrozenInput)
    read();  // on the host: a graph keeps what is there when it is captured
  else
    FakeDriver::Launch(stream, read);
  // A counter that is never set back.
  const bool counts = self.how == How::kStaleWorkspace;
  self.launches = 0;  // on the host: a graph does not
  FakeDriver::Launch(stream, [=, &self] {
    const bool stale =
        (counts && own[-1] == 1) || (self.how == How::kCounted && ++self.launches > 1);
    CopyRows(scratch, cols, to, to_apart, rows, cols);
    std::memset(status, stale ? 1 : 0, static_cast<size_t>(rows));
    own[-1] = 1;
  });
  return ASSAY_OK;
}

struct Bench {
  FakeDriver::Log log;
  ArenaDevice device{std::make_unique<FakeDriver>(&log)};
  Copier copier;
  assay_subject subject = {};
  Context context;
  Property property;

  explicit Bench(How how) : copier{how} {
    subject.device = device.id();
    subject.status_form = ASSAY_STATUS_CODES;
    subject.self = &copier;
    subject.workspace_bytes = [](int64_t rows, int64_t vocab) { return 4 + 4 * rows * vocab; };
    subject.ops.top_k_renorm_probs = Copy;
    context.subject = &subject;
    context.device = &device;
    context.operation = &FindOperation("top_k_renorm_probs");
    context.profile = FindProfile("strict");
    property.claims = HarnessClaims();
  }

  // The requirements that a property refuses.
  std::string Refused(std::string_view name) {
    const JobResult result = RunJob(*FindProperty(name), context, 1);
    std::string ids;
    for (const Counterexample& found : result.counterexamples) ids += found.requirement + " ";
    return result.cases > 0 ? ids : "no case";
  }
};

Inputs Row(double value) {
  Inputs in;
  in.rows = 1;
  Tensor input = Tensor::Matrix(DType::kF32, 1, 50);
  for (int64_t c = 0; c < 50; ++c) input.Set(0, c, value + static_cast<double>(c));
  in.tensors.emplace("input", input);
  in.tensors.emplace("top_k", Tensor::Vector(DType::kI32, 1));
  return in;
}

// Whether each call gives its own row.
bool AllRight(Bench& bench, Mode mode) {
  Trial trial(bench.property, bench.context);
  const Inputs inputs[] = {Row(1), Row(100), Row(10000)};
  const auto out = trial.CallAll(mode, inputs);
  if (!out) return ADD_FAILURE() << trial.failures().front().requirement, false;
  bool right = true;
  for (size_t i = 0; i < 3; ++i)
    right &= (*out)[i].at("output").SameRow(0, inputs[i].tensors.at("input"), 0);
  return right;
}

TEST(DeviceModes, InTurnAllIsWell) {
  for (const How how : {How::kGood, How::kSharedScratch, How::kFrozenInput}) {
    Bench bench(how);
    EXPECT_TRUE(AllRight(bench, Mode::kInTurn));
    EXPECT_EQ(bench.log.loads, 0);
  }
}

TEST(DeviceModes, BusyIsAnotherStreamBesideTwoLoads) {
  Bench bench(How::kGood);
  EXPECT_TRUE(AllRight(bench, Mode::kBusy));
  EXPECT_EQ(bench.log.late, 0);
  EXPECT_EQ(bench.log.loads, 6);
}

TEST(DeviceModes, BehindIsAnotherStreamBehindALoadAndLateInputs) {
  Bench bench(How::kGood);
  EXPECT_TRUE(AllRight(bench, Mode::kBehind));
  EXPECT_EQ(bench.log.late, 3);
  EXPECT_EQ(bench.log.loads, 3 * 4);
}

TEST(DeviceModes, AGraphSeesFreshBytesOrIsRefused) {
  Bench good(How::kGood), frozen(How::kFrozenInput);
  EXPECT_TRUE(AllRight(good, Mode::kGraph));
  EXPECT_EQ(good.log.replays, 3);
  EXPECT_FALSE(AllRight(frozen, Mode::kGraph));
}

TEST(DeviceModes, WhatCannotBeCapturedIsAFailedCall) {
  Bench bench(How::kGood);
  bench.log.captures = false;
  Trial trial(bench.property, bench.context);
  const Inputs inputs[] = {Row(1), Row(2)};
  EXPECT_FALSE(trial.CallAll(Mode::kGraph, inputs));
  ASSERT_EQ(trial.failures().size(), 1u);
  EXPECT_EQ(trial.failures()[0].requirement, "CALL-OK");
}

TEST(DeviceModes, TogetherASharedScratchIsSeen) {
  Bench good(How::kGood), shared(How::kSharedScratch);
  EXPECT_TRUE(AllRight(good, Mode::kTogether));
  EXPECT_FALSE(AllRight(shared, Mode::kTogether));
}

TEST(DeviceModes, WhatCannotBeCapturedIsNotInOrder) {
  Bench bench(How::kGood);
  bench.log.captures = false;
  EXPECT_EQ(bench.Refused("graph_replays"), "CALL-OK BUF-STREAM-ORDER ");
}

TEST(DeviceModes, PropertiesRefuseWhatModesShow) {
  EXPECT_EQ(Bench(How::kGood).Refused("beside_other_work"), "");
  EXPECT_EQ(Bench(How::kGood).Refused("workspace_history"), "");
  EXPECT_EQ(Bench(How::kFirstStream).Refused("beside_other_work"), "BUF-OUTPUT-ALL ");
  EXPECT_EQ(Bench(How::kStaleWorkspace).Refused("workspace_history"), "BUF-WORKSPACE-ANY ");
  for (const char* name : {"graph_replays", "calls_at_once", "behind_other_work"})
    EXPECT_EQ(Bench(How::kGood).Refused(name), "") << name;
  EXPECT_EQ(Bench(How::kFrozenInput).Refused("graph_replays"), "DET-GRAPH-EAGER ");
  EXPECT_EQ(Bench(How::kCounted).Refused("graph_replays"), "DET-GRAPH-EAGER DET-GRAPH-STATE ");
  EXPECT_EQ(Bench(How::kSharedScratch).Refused("calls_at_once"), "DET-STREAMS-TWO ");
  EXPECT_EQ(Bench(How::kFirstStream).Refused("behind_other_work"),
            "BUF-OUTPUT-ALL BUF-STREAM-ORDER ");
}

TEST(DeviceModes, TheHostHasOneModeOnly) {
  Tensor tensor = Tensor::Vector(DType::kU8, 1);
  DeviceCall call;
  call.places = {{&tensor.memory()}};
  call.work = [](void*) { return 3; };
  HostDevice().RunAll(Mode::kInTurn, {&call, 1});
  EXPECT_EQ(call.status, 3);
  EXPECT_THROW(HostDevice().RunAll(Mode::kGraph, {&call, 1}), std::logic_error);
}

TEST(DeviceModes, PropertiesOfADeviceAreNotPlannedForTheHost) {
  Bench bench(How::kGood);
  bench.subject.dtypes = ASSAY_F32;
  const auto planned = [&](DLDeviceType type) {
    bench.subject.device = {type, 0};
    const Plan plan = MakePlan(Shadow(Describe(bench.subject)), FindProfile("strict"), {});
    return std::ranges::count(plan.jobs, "beside_other_work",
                              [](const PlannedJob& job) { return job.key.property; });
  };
  EXPECT_EQ(planned(kDLCPU), 0);
  EXPECT_EQ(planned(kDLCUDA), 1);
}

TEST(DeviceModes, AWorkspaceIsKeptOnDemand) {
  Bench bench(How::kGood);
  Trial trial(bench.property, bench.context);
  static float seen;
  bench.subject.ops.top_k_renorm_probs = [](const assay_call* call, const assay_filter_args* a) {
    seen = *static_cast<float*>(call->workspace);
    return Copy(call, a);
  };
  Inputs in = Row(0);
  EXPECT_TRUE(trial.Call(in));
  EXPECT_NE(seen, 1);
  in.keep_workspace = true;
  EXPECT_TRUE(trial.Call(in));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace assay
