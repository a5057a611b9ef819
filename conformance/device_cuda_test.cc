// On a machine with a device: the same, by the CUDA runtime. The subject is a copy or a fill.
#include <gtest/gtest.h>

#include <numeric>

#include "conformance/arena_device.h"
#include "conformance/tensor.h"

namespace assay {
namespace {

std::unique_ptr<DeviceDriver> CudaOrNull() {
  try {
    return OpenCuda(0);
  } catch (const NoDeviceError&) {
    return nullptr;
  }
}

TEST(Cuda, BytesArriveAndReturn) {
  std::unique_ptr<DeviceDriver> owned = CudaOrNull();
  if (!owned) GTEST_SKIP() << "no device";
  DeviceDriver& cuda = *owned;
  ArenaDevice device(std::move(owned));
  EXPECT_FALSE(device.info().name.empty());
  EXPECT_NE(device.info().capability.find('.'), std::string::npos);
  Tensor in = Tensor::Matrix(DType::kF32, 3, 100, {5, 1}), out = in;
  for (int64_t c = 0; c < 100; ++c) in.Set(2, c, static_cast<double>(c));
  const Tensor was = in;
  const size_t bytes = in.memory().zones().back().end;
  std::vector<uint8_t> seen(bytes);
  Placement places[] = {{&in.memory()}, {&out.memory()}};
  device.Run(places, [&](void* stream) {
    EXPECT_EQ(stream, cuda.stream());
    cuda.CopyOut(seen.data(), places[0].at, bytes);
    cuda.Synchronise();
    cuda.CopyIn(places[1].at, seen.data(), bytes);
    return 0;
  });
  EXPECT_TRUE(in.SameBytes(was));
  EXPECT_TRUE(out.SameBytes(was));
}

TEST(Cuda, FarRowsAreMapped) {
  std::unique_ptr<DeviceDriver> owned = CudaOrNull();
  if (!owned) GTEST_SKIP() << "no device";
  DeviceDriver& cuda = *owned;
  ArenaDevice device(std::move(owned));
  Tensor far = Tensor::Matrix(DType::kF32, 3, 5, {int64_t{1} << 31, 1});
  far.Set(0, 0, 0.5);
  const Tensor was = far;
  for (int turn = 0; turn < 3; ++turn) {
    Placement places[] = {{&far.memory()}};
    device.Run(places, [&](void*) {
      Tensor::View view;
      far.MakeView(&view, device.id(), places[0].at);
      const auto last = 2 * view.tensor.strides[0] + 4;
      cuda.Fill(reinterpret_cast<uint8_t*>(static_cast<float*>(view.tensor.data) + last), 0, 4);
      return 0;
    });
    EXPECT_EQ(far.Get(0, 0), 0.5);
    EXPECT_EQ(far.Get(2, 4), 0);
    EXPECT_TRUE(far.SameFrame(was));
    far = was;
  }
}

TEST(Cuda, EveryModeRunsEveryCall) {
  std::unique_ptr<DeviceDriver> owned = CudaOrNull();
  if (!owned) GTEST_SKIP() << "no device";
  DeviceDriver& cuda = *owned;
  ArenaDevice device(std::move(owned));
  for (const Mode mode : {Mode::kInTurn, Mode::kBusy, Mode::kGraph, Mode::kTogether}) {
    Tensor tensors[] = {Tensor::Vector(DType::kU8, 9), Tensor::Vector(DType::kU8, 9)};
    std::vector<DeviceCall> calls(2);
    for (size_t i = 0; i < 2; ++i) {
      tensors[i].SetInt(0, static_cast<int64_t>(i + 1));
      calls[i].places = {{&tensors[i].memory()}};
      calls[i].work = [&, i](void*) {
        cuda.Fill(calls[i].places[0].at + 4096 + 5, 7, 1);
        return 0;
      };
    }
    device.RunAll(mode, calls);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(calls[i].status, 0);
      EXPECT_EQ(tensors[i].GetInt(0), static_cast<int64_t>(i + 1)) << static_cast<int>(mode);
      EXPECT_EQ(tensors[i].GetInt(5), 7) << static_cast<int>(mode);
    }
  }
}

TEST(Cuda, WhatCannotBeCapturedLeavesTheDeviceUsable) {
  std::unique_ptr<DeviceDriver> owned = CudaOrNull();
  if (!owned) GTEST_SKIP() << "no device";
  DeviceDriver& cuda = *owned;
  ArenaDevice device(std::move(owned));
  Tensor tensor = Tensor::Vector(DType::kU8, 9);
  DeviceCall call;
  call.places = {{&tensor.memory()}};
  call.work = [&](void*) {
    try {
      cuda.Synchronise();
    } catch (const DeviceError&) {
    }
    return 0;
  };
  device.RunAll(Mode::kGraph, {&call, 1});
  EXPECT_EQ(call.status, 3);  // ASSAY_DEVICE_ERROR
  device.RunAll(Mode::kInTurn, {&call, 1});
  EXPECT_EQ(call.status, 0);
}

TEST(Cuda, AnErrorHasANameAndAText) {
  std::unique_ptr<DeviceDriver> cuda = CudaOrNull();
  if (!cuda) GTEST_SKIP() << "no device";
  try {
    cuda->Allocate(size_t{1} << 60);
    ADD_FAILURE() << "allocated";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("cudaErrorMemoryAllocation: out of memory"))
        << error.what();
  }
}

}  // namespace
}  // namespace assay
