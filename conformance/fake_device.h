#ifndef ASSAY_CONFORMANCE_FAKE_DEVICE_H_
#define ASSAY_CONFORMANCE_FAKE_DEVICE_H_

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "conformance/arena_device.h"

namespace assay {

// For tests: a device whose memory is another allocation of this process, and which counts. What is
// launched on a stream runs when that is next waited for or copied by; where all are waited for
// they take turns, a piece of work each.
class FakeDriver : public DeviceDriver {
 public:
  struct Log {
    int allocated = 0, freed = 0, mapped = 0, unmapped = 0;
    int in = 0, late = 0, out = 0, waits = 0, loads = 0, replays = 0;
    bool captures = true;  // false: a capture fails
    size_t map_bytes = 0;
    std::string fails;  // what Synchronise throws; empty: nothing
  };
  static constexpr size_t kGranule = size_t{1} << 21;

  explicit FakeDriver(Log* log) : log_(log) {}

  DLDevice id() const override { return {kDLCUDA, 3}; }
  DeviceInfo info() const override { return {"fake", "1.0", "2.0", "3.0"}; }
  void Select() override {}

  void Choose(int stream) override { chosen_ = static_cast<size_t>(stream); }
  void* stream() const override { return const_cast<Stream*>(&streams_[chosen_]); }
  void Await(int stream) override { Finish(streams_[static_cast<size_t>(stream)]); }
  void Occupy() override { ++log_->loads; }
  void OccupyDefault() override { ++log_->loads; }
  void BeginCapture() override {
    captured_.clear();
    capturing_ = true;
  }
  bool EndCapture() override {
    capturing_ = false;
    return log_->captures;
  }
  void LaunchCaptured() override {
    ++log_->replays;
    for (const auto& work : captured_) streams_[chosen_].queue.push_back(work);
  }

  // What a subject does on the stream that it was given.
  static void Launch(void* stream, std::function<void()> work) {
    auto& at = *static_cast<Stream*>(stream);
    if (at.driver->capturing_)
      at.driver->captured_.push_back(std::move(work));
    else
      at.queue.push_back(std::move(work));
  }

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
    Finish(streams_[chosen_]);
    std::memcpy(device, host, bytes);
  }
  void CopyInLate(uint8_t* device, const uint8_t* host, size_t bytes) override {
    ++log_->late;
    CopyIn(device, host, bytes);
  }
  void CopyOut(uint8_t* host, const uint8_t* device, size_t bytes) override {
    ++log_->out;
    Finish(streams_[chosen_]);
    std::memcpy(host, device, bytes);
  }
  void CopyWithin(uint8_t* to, const uint8_t* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void Fill(uint8_t* device, uint8_t pattern, size_t bytes) override {
    std::memset(device, pattern, bytes);
  }
  double Seconds(const std::function<void()>& work) override {
    work();
    Synchronise();
    return 0;
  }
  void Synchronise() override {
    ++log_->waits;
    FinishAll();
    if (!log_->fails.empty()) throw DeviceError(log_->fails);
  }

 private:
  struct Stream {
    FakeDriver* driver;
    std::deque<std::function<void()>> queue = {};
  };

  // Returns whether there was any.
  static bool Step(Stream& stream) {
    if (stream.queue.empty()) return false;
    const auto work = std::move(stream.queue.front());
    stream.queue.pop_front();
    work();
    return true;
  }
  static void Finish(Stream& stream) {
    while (Step(stream)) continue;
  }
  void FinishAll() {
    for (bool any = true; any;) {
      any = false;
      for (Stream& stream : streams_) any |= Step(stream);
    }
  }

  static constexpr std::align_val_t kAlignment{256};
  Log* log_;
  std::array<Stream, 4> streams_ = {Stream{this}, Stream{this}, Stream{this}, Stream{this}};
  size_t chosen_ = 0;
  bool capturing_ = false;
  std::vector<std::function<void()>> captured_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_FAKE_DEVICE_H_
