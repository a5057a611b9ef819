#include "conformance/device.h"

#include <algorithm>
#include <map>
#include <memory>

#include "conformance/arena_device.h"

namespace assay {
namespace {

bool SameSizes(const DeviceCall& a, const DeviceCall& b) {
  const auto same_zone = [](const TensorMemory::Zone& x, const TensorMemory::Zone& y) {
    return x.begin == y.begin && x.end == y.end;
  };
  return std::ranges::equal(a.places, b.places, [&](const Placement& x, const Placement& y) {
    return std::ranges::equal(x.memory->zones(), y.memory->zones(), same_zone);
  });
}

void SwapBytes(const DeviceCall& a, const DeviceCall& b) {
  for (size_t i = 0; i < a.places.size(); ++i) {
    uint8_t *one = a.places[i].memory->data(), *other = b.places[i].memory->data();
    for (const TensorMemory::Zone& zone : a.places[i].memory->zones())
      std::swap_ranges(one + zone.begin, one + zone.end, other + zone.begin);
  }
}

class Host : public Device {
 public:
  DLDevice id() const override { return {kDLCPU, 0}; }
  DeviceInfo info() const override { return {}; }
  int32_t Run(std::span<Placement> places, const DeviceWork& work) override {
    for (Placement& place : places) place.at = place.memory->data();
    return work(nullptr);
  }
  void RunAll(Mode mode, std::span<DeviceCall> calls) override {
    if (mode != Mode::kInTurn) throw std::logic_error("the host has no streams");
    for (DeviceCall& call : calls) {
      DeviceCall& first = calls.front();
      if (&call == &first || !SameSizes(call, first)) {
        call.status = Run(call.places, call.work);
        continue;
      }
      SwapBytes(first, call);
      for (size_t i = 0; i < call.places.size(); ++i)
        call.places[i].at = first.places[i].memory->data();
      call.status = call.work(nullptr);
      SwapBytes(first, call);
    }
  }
};

}  // namespace

Device& HostDevice() {
  static Host host;
  return host;
}

Device& OpenDevice(DLDevice id) {
  if (IsHost(id)) return HostDevice();
  if (id.device_type != kDLCUDA) throw NoDeviceError("a program that drives the CPU and CUDA only");
  // Never destroyed: at the end of a process the CUDA runtime may be gone before it is.
  static auto& opened = *new std::map<int32_t, std::unique_ptr<Device>>;
  std::unique_ptr<Device>& device = opened[id.device_id];
  if (!device) device = std::make_unique<ArenaDevice>(OpenCuda(id.device_id));
  return *device;
}

std::string Show(DLDevice id) {
  const std::string number = ":" + std::to_string(id.device_id);
  switch (id.device_type) {
    case kDLCPU: return "cpu";
    case kDLCUDA: return "cuda" + number;
    case kDLROCM: return "rocm" + number;
    default: return "device type " + std::to_string(id.device_type) + number;
  }
}

}  // namespace assay
