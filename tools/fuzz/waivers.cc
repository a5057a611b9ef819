// A file of waivers, and the days that they name.
#include "conformance/waivers.h"

#include <vector>

#include "tools/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay;
  fuzz::IfRead([&] { return WaiversFromJson(fuzz::Text(data, size), "input"); },
               [](const std::vector<Waiver>& waivers) {
                 for (const Waiver& waiver : waivers) {
                   Covers(waiver, {"DIST-CDF-TAIL", "softmax", "f32"});
                   fuzz::Demand(DaysLeft(waiver, waiver.until) == 0, "none left on the last day");
                   fuzz::Demand(!Spelled(waiver).empty(), "a name");
                 }
               });
  return 0;
}
