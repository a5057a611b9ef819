// The first byte chooses what the rest is read as: a case, a result of a job (a line of a journal),
// what workers and their parent say to each other. What was read is written and read again.
#include <array>
#include <string>

#include "conformance/case.h"
#include "conformance/job.h"
#include "conformance/worker_protocol.h"
#include "tools/fuzz/fuzz.h"

namespace assay::fuzz {
namespace {

template <auto kRead, auto kWrite>
void ThereAndBack(std::string_view text) {
  IfRead([&] { return kRead(text); },
         [](const auto& read) {
           const std::string once = kWrite(read);
           Demand(kWrite(kRead(once)) == once, "the same line again");
         });
}

constexpr std::array kReaders = {
    ThereAndBack<&CaseFromJson, &CaseToJson>, ThereAndBack<&JobResultFromJson, &JobResultToJson>,
    ThereAndBack<&RequestFromJson, &RequestToJson>, ThereAndBack<&HelloFromJson, &HelloToJson>};

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay::fuzz;
  if (size > 0) kReaders[data[0] % kReaders.size()](Text(data + 1, size - 1));
  return 0;
}
