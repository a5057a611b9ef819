// Calls that meet each other, or other work of the device.
#include <stdexcept>

#include "conformance/arena_device.h"
#include "conformance/subject.h"

namespace assay {
namespace {

constexpr int kUsual = 0, kOther = 1, kLoad = 2;
constexpr int kAhead = 4;  // loads ahead of a call: a millisecond, which work elsewhere has

void DemandNear(std::span<const DeviceCall> calls) {
  for (const DeviceCall& call : calls)
    for (const Placement& place : call.places)
      if (place.memory->zones().size() > 1)
        throw std::logic_error("a tensor of far zones in a graph, or beside another call");
}

// What work on the device is done by while this lives.
class Chosen {
 public:
  Chosen(DeviceDriver& driver, int stream) : driver_(driver) { driver_.Choose(stream); }
  ~Chosen() { driver_.Choose(kUsual); }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;

 private:
  DeviceDriver& driver_;
};

// Captures the work. ASSAY_OK: the driver has it.
int32_t Capture(DeviceDriver& driver, const DeviceWork& work) {
  driver.BeginCapture();
  int32_t status = ASSAY_OK;
  try {
    status = work(driver.stream());
  } catch (...) {
    driver.EndCapture();
    throw;
  }
  driver.Select();
  const bool whole = driver.EndCapture();
  return status == ASSAY_OK && !whole ? ASSAY_DEVICE_ERROR : status;
}

}  // namespace

void ArenaDevice::RunAll(Mode mode, std::span<DeviceCall> calls) {
  if (calls.empty()) return;
  driver_->Select();
  if (mode == Mode::kGraph) return RunGraph(calls);
  if (mode == Mode::kTogether) return RunTogether(calls);
  for (DeviceCall& call : calls) {
    if (mode == Mode::kBusy) {
      driver_->OccupyDefault();
      const Chosen load(*driver_, kLoad);
      driver_->Occupy();
    }
    const Chosen stream(*driver_, mode == Mode::kInTurn ? kUsual : kOther);
    for (int i = 0; mode == Mode::kBehind && i < kAhead; ++i) driver_->Occupy();
    call.status = RunBy(mode == Mode::kBehind ? &DeviceDriver::CopyInLate : &DeviceDriver::CopyIn,
                        call.places, call.work);
  }
}

void ArenaDevice::RunGraph(std::span<DeviceCall> calls) {
  DemandNear(calls);
  DeviceCall& first = calls.front();
  const size_t bytes = PlaceSideBySide(first.places);
  Upload(first.places, bytes);
  driver_->Synchronise();
  const int32_t status = Capture(*driver_, first.work);
  if (status != ASSAY_OK) driver_->Synchronise();  // what it did elsewhere, it did at once
  for (DeviceCall& call : calls) {
    call.status = status;
    if (status != ASSAY_OK) continue;
    for (size_t i = 0; i < call.places.size(); ++i) call.places[i].at = first.places[i].at;
    Upload(call.places, bytes);
    driver_->LaunchCaptured();
    driver_->CopyOut(staging_, arena_, bytes);
    driver_->Synchronise();
    Unpack(call.places);
  }
}

void ArenaDevice::RunTogether(std::span<DeviceCall> calls) {
  DemandNear(calls);
  std::vector<Placement> all;
  for (const DeviceCall& call : calls)
    all.insert(all.end(), call.places.begin(), call.places.end());
  const size_t bytes = PlaceSideBySide(all);
  Upload(all, bytes);
  driver_->Occupy();  // so that all have been called before one begins
  auto place = all.begin();
  int stream = kUsual;
  for (DeviceCall& call : calls) {
    for (Placement& mine : call.places) mine.at = (place++)->at;
    const Chosen own(*driver_, ++stream);
    driver_->Await(kUsual);
    call.status = call.work(driver_->stream());
    driver_->Select();
  }
  driver_->Synchronise();
  driver_->CopyOut(staging_, arena_, bytes);
  driver_->Synchronise();
  Unpack(all);
}

}  // namespace assay
