#ifndef ASSAY_CONFORMANCE_ARENA_DEVICE_H_
#define ASSAY_CONFORMANCE_ARENA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conformance/device.h"

namespace assay {

// What a device with memory of its own can do: the CUDA runtime, or a test's stand-in. All throw
// DeviceError.
class DeviceDriver {
 public:
  using Zone = TensorMemory::Zone;

  virtual ~DeviceDriver() = default;
  virtual DLDevice id() const = 0;
  virtual DeviceInfo info() const = 0;
  virtual void Select() = 0;  // makes the device this thread's

  // Streams are numbered from 0; none is the default one or in step with it. All below is done in
  // the order of the one that was chosen last, 0 at first.
  virtual void Choose(int stream) = 0;
  virtual void* stream() const = 0;    // the chosen one
  virtual void Await(int stream) = 0;  // what that one has been given so far
  virtual void Occupy() = 0;           // work that outlasts most calls
  virtual void OccupyDefault() = 0;    // likewise, on the default stream
  virtual void BeginCapture() = 0;
  virtual bool EndCapture() = 0;      // false: it holds what cannot be captured
  virtual void LaunchCaptured() = 0;  // what was captured last

  // 256-aligned. Staging is host memory that the device copies from and to.
  virtual uint8_t* Allocate(size_t bytes) = 0;
  virtual void Free(uint8_t* device) = 0;
  virtual uint8_t* AllocateStaging(size_t bytes) = 0;
  virtual void FreeStaging(uint8_t* host) = 0;

  // An address range of the device of which only `parts`, bounded by multiples of granule(), are
  // memory.
  virtual size_t granule() const = 0;
  virtual uint8_t* Map(size_t bytes, const std::vector<Zone>& parts) = 0;
  virtual void Unmap(uint8_t* range, size_t bytes, const std::vector<Zone>& parts) = 0;

  virtual void CopyIn(uint8_t* device, const uint8_t* host, size_t bytes) = 0;
  // The same, late: by a kernel that lets the next one start before it writes (programmatic
  // launch), where the device has that. `bytes` is a multiple of 16, as are the addresses.
  virtual void CopyInLate(uint8_t* device, const uint8_t* host, size_t bytes) = 0;
  virtual void CopyOut(uint8_t* host, const uint8_t* device, size_t bytes) = 0;
  virtual void CopyWithin(uint8_t* to, const uint8_t* from, size_t bytes) = 0;
  virtual void Fill(uint8_t* device, uint8_t pattern, size_t bytes) = 0;
  // Seconds that the device takes for what `work` gives the chosen stream.
  virtual double Seconds(const std::function<void()>& work) = 0;
  virtual void Synchronise() = 0;  // all of the device: also work on streams that are not ours
};

// The granules that zones, ascending, touch: neighbours joined.
std::vector<TensorMemory::Zone> Granules(const std::vector<TensorMemory::Zone>& zones,
                                         size_t granule);

// All tensors of a call lie side by side in one piece of device memory and travel in one copy each
// way; it grows, and lives as long as this. A tensor of several far zones lies in an address range
// of its own, for the call. What belongs to no tensor of the call holds 0xFF.
class ArenaDevice : public Device {
 public:
  explicit ArenaDevice(std::unique_ptr<DeviceDriver> driver) : driver_(std::move(driver)) {}
  ~ArenaDevice() override;
  ArenaDevice(const ArenaDevice&) = delete;
  ArenaDevice& operator=(const ArenaDevice&) = delete;

  DLDevice id() const override { return driver_->id(); }
  DeviceInfo info() const override { return driver_->info(); }
  int32_t Run(std::span<Placement> places, const DeviceWork& work) override;
  void RunAll(Mode mode, std::span<DeviceCall> calls) override;

 private:
  class FarRange;
  using Copy = void (DeviceDriver::*)(uint8_t* device, const uint8_t* host, size_t bytes);

  int32_t RunBy(Copy copy, std::span<Placement> places, const DeviceWork& work);
  void Grow(size_t bytes);
  size_t PlaceSideBySide(std::span<Placement> near);  // returns their bytes
  void Upload(std::span<const Placement> near, size_t bytes, Copy copy = &DeviceDriver::CopyIn);
  void Unpack(std::span<const Placement> near);
  void RunGraph(std::span<DeviceCall> calls);
  void RunTogether(std::span<DeviceCall> calls);

  std::unique_ptr<DeviceDriver> driver_;
  uint8_t *arena_ = nullptr, *staging_ = nullptr;
  size_t capacity_ = 0;
  size_t soiled_ = 0;  // bytes of the arena that may hold anything
};

// Throws NoDeviceError.
std::unique_ptr<DeviceDriver> OpenCuda(int id);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ARENA_DEVICE_H_
