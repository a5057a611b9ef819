#ifndef ASSAY_CONFORMANCE_FAKE_DEVICE_H_
#define ASSAY_CONFORMANCE_FAKE_DEVICE_H_

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "conformance/arena_device.h"

namespace assay {

// For tests: a device whose memory is another allocation of this process, and which counts.
class FakeDriver : public DeviceDriver {
 public:
  struct Log {
    int allocated = 0, freed = 0, mapped = 0, unmapped = 0;
    int in = 0, out = 0, waits = 0;
    size_t map_bytes = 0;
    std::string fails;  // what Synchronise throws; empty: nothing
  };
  static constexpr size_t kGranule = size_t{1} << 21;

  explicit FakeDriver(Log* log) : log_(log) {}

  DLDevice id() const override { return {kDLCUDA, 3}; }
  DeviceInfo info() const override { return {"fake", "1.0", "2.0", "3.0"}; }
  void* stream() const override { return const_cast<FakeDriver*>(this); }
  void Select() override {}

  // What a new allocation holds is of nobody, and not what a tensor is filled with.
  uint8_t* Allocate(size_t bytes) override {
    ++log_->allocated;
    auto* memory = static_cast<uint8_t*>(::operator new(bytes, kAlignment));
    std::memset(memory, 0x5A, bytes);
    return memory;
  }
  void Free(uint8_t* device) override {
    ++log_->freed;
    ::operator delete(device, kAlignment);
  }
  uint8_t* AllocateStaging(size_t bytes) override { return Allocate(bytes); }
  void FreeStaging(uint8_t* host) override { Free(host); }

  size_t granule() const override { return kGranule; }
  // Touching what is not part of it is a segmentation fault.
  uint8_t* Map(size_t bytes, const std::vector<Zone>& parts) override {
    ++log_->mapped;
    void* range =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw DeviceError("out of address space");
    auto* start = static_cast<uint8_t*>(range);
    for (const Zone& part : parts) {
      log_->map_bytes += part.end - part.begin;
      mprotect(start + part.begin, part.end - part.begin, PROT_READ | PROT_WRITE);
    }
    return start;
  }
  void Unmap(uint8_t* range, size_t bytes, const std::vector<Zone>&) override {
    ++log_->unmapped;
    munmap(range, bytes);
  }

  void CopyIn(uint8_t* device, const uint8_t* host, size_t bytes) override {
    ++log_->in;
    std::memcpy(device, host, bytes);
  }
  void CopyOut(uint8_t* host, const uint8_t* device, size_t bytes) override {
    ++log_->out;
    std::memcpy(host, device, bytes);
  }
  void Fill(uint8_t* device, uint8_t pattern, size_t bytes) override {
    std::memset(device, pattern, bytes);
  }
  void Synchronise() override {
    ++log_->waits;
    if (!log_->fails.empty()) throw DeviceError(log_->fails);
  }

 private:
  static constexpr std::align_val_t kAlignment{256};
  Log* log_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_FAKE_DEVICE_H_
