#include "conformance/device.h"

#include <gtest/gtest.h>

#include <array>

#include "conformance/fake_device.h"
#include "conformance/run_job.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"

namespace assay {
namespace {

using Zone = TensorMemory::Zone;

TEST(Device, TheHostMovesNothing) {
  Tensor tensor = Tensor::Vector(DType::kF32, 5);
  Placement places[] = {{&tensor.memory()}};
  const int32_t status = HostDevice().Run(places, [&](void* stream) {
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(places[0].at, tensor.memory().data());
    return 7;
  });
  EXPECT_EQ(status, 7);
  EXPECT_EQ(&OpenDevice({kDLCPU, 0}), &HostDevice());
}

TEST(Device, CallsOfEqualSizesMeetInOnePlace) {
  FakeDriver::Log log;
  ArenaDevice arena(std::make_unique<FakeDriver>(&log));
  for (Device* device : {&HostDevice(), static_cast<Device*>(&arena)}) {
    std::array<Tensor, 3> tensors = {Tensor::Vector(DType::kU8, 5), Tensor::Vector(DType::kU8, 5),
                                     Tensor::Vector(DType::kU8, 6)};
    std::array<DeviceCall, 3> calls;
    std::vector<const uint8_t*> seen;
    for (size_t i = 0; i < calls.size(); ++i) {
      tensors[i].FillData(static_cast<uint8_t>(i + 1));
      calls[i].places = {{&tensors[i].memory()}};
      calls[i].work = [&, i](void*) {
        Tensor::View view;
        tensors[i].MakeView(&view, device->id(), calls[i].places[0].at);
        auto* data = static_cast<uint8_t*>(view.tensor.data);
        seen.push_back(data);
        EXPECT_EQ(data[0], i + 1);
        data[0] = static_cast<uint8_t>(10 * i);
        return 0;
      };
    }
    device->RunAll(Mode::kInTurn, calls);
    EXPECT_EQ(seen[0], seen[1]);
    for (size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(tensors[i].Bits(0, 0), 10 * i);
  }
}

TEST(Device, WhatCannotBeDrivenIsNamed) {
  EXPECT_THROW(OpenDevice({kDLROCM, 0}), NoDeviceError);
  EXPECT_THROW(OpenDevice({kDLCUDA, 1 << 20}), NoDeviceError);
}

TEST(Device, GranulesAreJoined) {
  const std::vector<Zone> got = Granules({{0, 10}, {15, 20}, {31, 45}, {100, 110}}, 10);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].end, 20u);
  EXPECT_EQ(got[1].begin, 30u);
  EXPECT_EQ(got[1].end, 50u);
  EXPECT_EQ(got[2].begin, 100u);
  EXPECT_EQ(got[2].end, 110u);
}

// A device of its own, and what it was asked to do.
struct Fake {
  FakeDriver::Log log;
  ArenaDevice device{std::make_unique<FakeDriver>(&log)};
};

TEST(Device, AllTensorsTravelInOneCopyAndKeepTheirPlaceInAlignment) {
  Fake fake;
  Tensor a = Tensor::Matrix(DType::kF32, 3, 5, {2, 1}), b = Tensor::Vector(DType::kU8, 7, {0, 3});
  a.FillData(1);
  b.FillData(2);
  const Tensor was_a = a, was_b = b;
  Placement places[] = {{&a.memory()}, {&b.memory()}};
  fake.device.Run(places, [&](void* stream) {
    EXPECT_NE(stream, nullptr);
    const Tensor* tensors[] = {&a, &b};
    for (int i = 0; i < 2; ++i) {
      TensorMemory& memory = tensors[i]->layout().misalign == 1 ? a.memory() : b.memory();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(places[i].at) % 256, 0u);
      EXPECT_NE(places[i].at, memory.data());
      EXPECT_EQ(std::memcmp(places[i].at, memory.data(), memory.zones().back().end), 0);
    }
    Tensor::View view;
    a.MakeView(&view, fake.device.id(), places[0].at);
    EXPECT_EQ(view.tensor.device.device_type, kDLCUDA);
    EXPECT_EQ(view.tensor.device.device_id, 3);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.tensor.data) % 256, 4u);
    static_cast<float*>(view.tensor.data)[8] = 0.5f;
    return 0;
  });
  EXPECT_EQ(a.Get(1, 1), 0.5);
  EXPECT_TRUE(a.SameFrame(was_a));
  EXPECT_FALSE(a.SameBytes(was_a));
  EXPECT_TRUE(b.SameBytes(was_b));
  EXPECT_EQ(fake.log.in, 1);
  EXPECT_EQ(fake.log.out, 1);
  EXPECT_EQ(fake.log.waits, 1);
}

TEST(Device, AWriteIntoAGuardOrANeighbourIsSeen) {
  for (const int64_t off : {-1, 5, 2048}) {
    Fake fake;
    Tensor a = Tensor::Vector(DType::kF32, 5), b = Tensor::Vector(DType::kF32, 5);
    const Tensor was_a = a, was_b = b;
    Placement places[] = {{&a.memory()}, {&b.memory()}};
    fake.device.Run(places, [&](void*) {
      Tensor::View view;
      a.MakeView(&view, fake.device.id(), places[0].at);
      static_cast<float*>(view.tensor.data)[off] = 0;
      return 0;
    });
    EXPECT_EQ(a.SameFrame(was_a), off == 2048) << off;  // past 4 KiB and more: the next one's
    EXPECT_EQ(b.SameFrame(was_b), off != 2048) << off;
  }
}

TEST(Device, NothingIsLeftOfAnEarlierCall) {
  Fake fake;
  Tensor large = Tensor::Vector(DType::kU8, 100000), small = Tensor::Vector(DType::kU8, 10);
  large.FillData(0x11);
  Placement first[] = {{&large.memory()}}, second[] = {{&small.memory()}};
  fake.device.Run(first, [&](void*) {
    std::memset(first[0].at, 0x22, 120000);
    return 0;
  });
  const size_t end = small.memory().zones().back().end;
  fake.device.Run(second, [&](void*) {
    for (size_t i = end; i < (size_t{1} << 20); ++i)
      if (second[0].at[i] != 0xFF) return ADD_FAILURE() << "byte " << i, 1;
    return 0;
  });
  EXPECT_EQ(fake.log.allocated, 2);  // the arena and its staging, once
}

TEST(Device, TheArenaGrows) {
  FakeDriver::Log log;
  {
    ArenaDevice device(std::make_unique<FakeDriver>(&log));
    for (const int64_t size : {10, 3 << 20, 10, 5 << 20}) {
      Tensor tensor = Tensor::Vector(DType::kU8, size);
      Placement places[] = {{&tensor.memory()}};
      device.Run(places, [&](void*) {
        std::memset(places[0].at + 4096, 9, static_cast<size_t>(size));
        return 0;
      });
      EXPECT_EQ(tensor.GetInt(size - 1), 9);
    }
    EXPECT_EQ(log.allocated, 6);
  }
  EXPECT_EQ(log.freed, 6);
}

TEST(Device, FarRowsCostTheirGranules) {
  Fake fake;
  const int64_t apart = int64_t{1} << 31;
  Tensor far = Tensor::Matrix(DType::kF32, 3, 5, {apart, 1}), near = Tensor::Vector(DType::kF32, 5);
  far.Set(2, 4, 0.25);
  const Tensor was = far;
  for (const int64_t column : {4, 5}) {  // an element, a guard
    Placement places[] = {{&far.memory()}, {&near.memory()}};
    fake.device.Run(places, [&](void*) {
      Tensor::View view;
      far.MakeView(&view, fake.device.id(), places[0].at);
      float* const row = static_cast<float*>(view.tensor.data) + 2 * view.tensor.strides[0];
      EXPECT_EQ(row[4], 0.25f);
      row[column] = 0.5f;
      return 0;
    });
    EXPECT_EQ(far.SameFrame(was), column == 4);
    EXPECT_EQ(far.Get(2, 4), column == 4 ? 0.5 : 0.25);
    far = was;
  }
  EXPECT_EQ(fake.log.mapped, 2);
  EXPECT_EQ(fake.log.unmapped, 2);
  EXPECT_LE(fake.log.map_bytes, 2 * 6 * FakeDriver::kGranule);
}

TEST(Device, AThrowingCallLeavesTheDeviceUsable) {
  Fake fake;
  Tensor far = Tensor::Matrix(DType::kF32, 2, 5, {1 << 24, 0});
  Placement places[] = {{&far.memory()}};
  EXPECT_THROW(fake.device.Run(places, [](void*) -> int32_t { throw 1; }), int);
  EXPECT_EQ(fake.log.unmapped, 1);
  EXPECT_EQ(fake.device.Run(places, [](void*) { return 5; }), 5);
}

// The whole harness over a device: a subject that copies, and may err on purpose.
enum class Err : uint8_t { kNone, kGuard, kInput, kOutput, kStatus };
struct Copier {
  Err err = Err::kNone;
  int calls = 0, elsewhere = 0;
};

bool IsPlacedWrong(const DLTensor* t) {
  return t && (t->ndim == 0 ? t->device.device_type != kDLCPU
                            : t->device.device_type != kDLCUDA || t->device.device_id != 3);
}

int32_t Copy(const assay_call* call, const assay_filter_args* a) {
  auto& self = *static_cast<Copier*>(const_cast<void*>(call->self));
  ++self.calls;
  self.elsewhere += IsPlacedWrong(a->input) || IsPlacedWrong(a->top_k) ||
                    IsPlacedWrong(a->output) || IsPlacedWrong(a->status) || !call->stream;
  std::memset(call->workspace, self.calls, call->workspace_bytes);
  for (int64_t r = 0; r < a->input->shape[0]; ++r) {
    std::memcpy(static_cast<float*>(a->output->data) + r * a->output->strides[0],
                static_cast<const float*>(a->input->data) + r * a->input->strides[0],
                static_cast<size_t>(a->input->shape[1]) * sizeof(float));
    static_cast<uint8_t*>(a->status->data)[r] = 0;
  }
  if (self.err == Err::kGuard) static_cast<float*>(a->output->data)[-1] = 0;
  if (self.err == Err::kInput) static_cast<float*>(a->input->data)[0] += 1;
  if (self.err == Err::kOutput) static_cast<uint8_t*>(a->status->data)[0] = 0x7F;
  if (self.err != Err::kStatus) return ASSAY_OK;
  std::strcpy(call->message, "no kernel image");
  return ASSAY_DEVICE_ERROR;
}

void CopiesCheck(const Case& at, Trial& t) {
  Inputs in;
  in.rows = at.rows;
  in.out_layout = {3, 1};
  Tensor input = Tensor::Matrix(DType::kF32, at.rows, at.vocab, {1, 2});
  for (int64_t r = 0; r < at.rows; ++r) input.Set(r, 0, static_cast<double>(r + at.vocab));
  in.tensors.emplace("input", input);
  Tensor top_k = at.rows == 1 ? Tensor::Scalar(DType::kI32) : Tensor::Vector(DType::kI32, at.rows);
  in.tensors.emplace("top_k", top_k);
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r)
    t.Require("COPIES", out->at("output").SameRow(r, input, r), [] {
      return Finding{"row", "a copy", "something else"};
    });
}

JobResult RunOn(Device& device, Copier* copier) {
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
  assay_subject subject = {};
  subject.device = device.id();
  subject.status_form = ASSAY_STATUS_CODES;
  subject.self = copier;
  subject.workspace_bytes = [](int64_t rows, int64_t vocab) { return rows * vocab; };
  subject.ops.top_k_renorm_probs = Copy;
  Context context;
  context.subject = &subject;
  context.device = &device;
  context.operation = &FindOperation("top_k_renorm_probs");
  return RunJob(property, context, 1);
}

std::string Refused(Err err) {
  Fake fake;
  Copier copier{err};
  std::string ids;
  for (const Counterexample& found : RunOn(fake.device, &copier).counterexamples)
    ids += found.requirement + " ";
  return ids;
}

TEST(Device, AJobRunsThere) {
  Fake fake;
  Copier copier;
  EXPECT_TRUE(RunOn(fake.device, &copier).counterexamples.empty());
  EXPECT_EQ(copier.elsewhere, 0);
  EXPECT_GT(copier.calls, 60);
  EXPECT_EQ(fake.log.waits, copier.calls);
  EXPECT_EQ(fake.log.allocated, 2);
}

TEST(Device, WhatEveryCallMustKeepIsSeenThere) {
  EXPECT_EQ(Refused(Err::kGuard), "BUF-GUARD-WRITE ");
  EXPECT_EQ(Refused(Err::kInput), "BUF-INPUT-CONST ");
  EXPECT_EQ(Refused(Err::kOutput), "BUF-OUTPUT-ALL ");
}

// Nothing between a call and the worker's last words may keep a DeviceError: worker_child.cc sends
// what ends a job, and worker_test.cc has what the parent makes of it.
TEST(Device, AnErrorEndsTheJob) {
  Fake fake;
  Copier copier;
  fake.log.fails = "cudaErrorIllegalAddress: an illegal memory access was encountered";
  try {
    RunOn(fake.device, &copier);
    ADD_FAILURE() << "went on";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.what(), fake.log.fails);
  }
  EXPECT_EQ(copier.calls, 1);
}

TEST(Device, AStatusOfTheSubjectEndsTheJob) {
  Fake fake;
  Copier copier{Err::kStatus};
  try {
    RunOn(fake.device, &copier);
    ADD_FAILURE() << "went on";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "the subject returned ASSAY_DEVICE_ERROR: no kernel image");
  }
}

}  // namespace
}  // namespace assay
