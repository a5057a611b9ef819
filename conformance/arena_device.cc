#include "conformance/arena_device.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

namespace assay {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kSmallest = size_t{1} << 20;
constexpr size_t kReach = size_t{1} << 16;  // by which a stray write may miss the last guard
constexpr uint8_t kNobody = 0xFF;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

bool IsFar(const TensorMemory& memory) { return memory.zones().size() > 1; }

size_t SizeOf(const TensorMemory& memory) {
  return memory.zones().empty() ? 0 : memory.zones().back().end;
}

}  // namespace

std::vector<TensorMemory::Zone> Granules(const std::vector<TensorMemory::Zone>& zones,
                                         size_t granule) {
  std::vector<TensorMemory::Zone> parts;
  for (const TensorMemory::Zone& zone : zones) {
    const size_t begin = zone.begin / granule * granule, end = RoundUp(zone.end, granule);
    if (!parts.empty() && begin <= parts.back().end)
      parts.back().end = std::max(parts.back().end, end);
    else
      parts.push_back({begin, end});
  }
  return parts;
}

// The device's side of one tensor with far zones.
class ArenaDevice::FarRange {
 public:
  FarRange(DeviceDriver& driver, TensorMemory& memory)
      : driver_(&driver),
        memory_(&memory),
        parts_(Granules(memory.zones(), driver.granule())),
        bytes_(RoundUp(SizeOf(memory), driver.granule())),
        range_(driver.Map(bytes_, parts_)) {}
  FarRange(FarRange&& other) noexcept
      : driver_(other.driver_),
        memory_(other.memory_),
        parts_(std::move(other.parts_)),
        bytes_(other.bytes_),
        range_(std::exchange(other.range_, nullptr)) {}
  FarRange& operator=(FarRange&&) = delete;
  ~FarRange() {
    if (range_ == nullptr) return;
    try {
      driver_->Unmap(range_, bytes_, parts_);
    } catch (const DeviceError&) {
      // The next call meets it; the error that ends this one says more.
    }
  }

  uint8_t* at() const { return range_; }

  void CopyIn() const {
    for (const DeviceDriver::Zone& part : parts_)
      driver_->Fill(range_ + part.begin, kNobody, part.end - part.begin);
    for (const DeviceDriver::Zone& zone : memory_->zones())
      driver_->CopyIn(range_ + zone.begin, memory_->data() + zone.begin, zone.end - zone.begin);
  }
  void CopyOut() const {
    for (const DeviceDriver::Zone& zone : memory_->zones())
      driver_->CopyOut(memory_->data() + zone.begin, range_ + zone.begin, zone.end - zone.begin);
  }

 private:
  DeviceDriver* driver_;
  TensorMemory* memory_;
  std::vector<DeviceDriver::Zone> parts_;
  size_t bytes_;
  uint8_t* range_;
};

ArenaDevice::~ArenaDevice() {
  if (capacity_ == 0) return;
  driver_->Free(arena_);
  driver_->FreeStaging(staging_);
}

void ArenaDevice::Grow(size_t bytes) {
  if (bytes <= capacity_) return;
  if (const size_t had = std::exchange(capacity_, 0); had > 0) {
    driver_->Free(arena_);
    driver_->FreeStaging(staging_);
  }
  const size_t capacity = std::bit_ceil(std::max(bytes, kSmallest));
  arena_ = driver_->Allocate(capacity);
  staging_ = driver_->AllocateStaging(capacity);
  capacity_ = soiled_ = capacity;
}

void ArenaDevice::Upload(std::span<const Placement> near, size_t bytes, Copy copy) {
  for (const Placement& place : near) {
    uint8_t* const to = staging_ + (place.at - arena_);
    const size_t size = SizeOf(*place.memory);
    std::memcpy(to, place.memory->data(), size);
    std::memset(to + size, kNobody, RoundUp(size, kAlignment) - size);
  }
  if (soiled_ > bytes) driver_->Fill(arena_ + bytes, kNobody, soiled_ - bytes);
  (driver_.get()->*copy)(arena_, staging_, bytes);  // last: what comes late is just before the work
  soiled_ = std::min(bytes + kReach, capacity_);
}

void ArenaDevice::Unpack(std::span<const Placement> near) {
  for (const Placement& place : near)
    std::memcpy(place.memory->data(), staging_ + (place.at - arena_), SizeOf(*place.memory));
}

size_t ArenaDevice::PlaceSideBySide(std::span<Placement> near) {
  size_t bytes = 0;
  for (const Placement& place : near) bytes += RoundUp(SizeOf(*place.memory), kAlignment);
  Grow(bytes);
  uint8_t* next = arena_;
  for (Placement& place : near) {
    place.at = next;
    next += RoundUp(SizeOf(*place.memory), kAlignment);
  }
  return bytes;
}

int32_t ArenaDevice::Run(std::span<Placement> places, const DeviceWork& work) {
  return RunBy(&DeviceDriver::CopyIn, places, work);
}

int32_t ArenaDevice::RunBy(Copy copy, std::span<Placement> places, const DeviceWork& work) {
  driver_->Select();
  std::vector<Placement> near;
  std::ranges::copy_if(places, std::back_inserter(near),
                       [](const Placement& place) { return !IsFar(*place.memory); });
  const size_t bytes = PlaceSideBySide(near);
  std::vector<FarRange> far;
  auto next = near.begin();
  for (Placement& place : places)
    place.at = IsFar(*place.memory) ? far.emplace_back(*driver_, *place.memory).at() : (next++)->at;
  for (const FarRange& range : far) range.CopyIn();
  Upload(near, bytes, copy);
  const int32_t status = work(driver_->stream());
  driver_->Select();  // the subject may have chosen another
  driver_->CopyOut(staging_, arena_, bytes);
  for (const FarRange& range : far) range.CopyOut();
  driver_->Synchronise();
  Unpack(near);
  return status;
}

}  // namespace assay
