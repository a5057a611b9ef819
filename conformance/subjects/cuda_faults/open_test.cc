// Every fault and variant on a device has its code, and offers what its row says. No device is
// needed for that.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "conformance/faults.h"
#include "conformance/library.h"
#include "conformance/operations.h"
#include "reference/error.h"

namespace assay {
namespace {

const assay_subject* Open(const std::string& spelled, std::string_view profile) {
  const SubjectRef ref = ResolveSubject(spelled);
  void* library = dlopen(ref.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  const auto open = reinterpret_cast<assay_open_fn>(dlsym(library, "assay_open"));
  return open(ASSAY_ABI, ref.name.empty() ? nullptr : ref.name.c_str(),
              std::string(profile).c_str());
}

bool IsBuilt(const std::string& spelled) {
  try {
    ResolveSubject(spelled);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

size_t Offered(const assay_subject& subject) {
  return static_cast<size_t>(
      std::ranges::count_if(Operations(), [&](const auto& o) { return o.offered(subject.ops); }));
}

TEST(CudaFaults, EachRowHasItsCode) {
  if (!IsBuilt("fault:cuda-waits")) GTEST_SKIP() << "built without CUDA";
  const assay_subject* cuda = Open("cuda", "strict");
  for (const Fault& fault : Faults()) {
    if (!fault.on_device) continue;
    const bool wrapper = fault.operation == "all";
    for (const Operation& operation : Operations()) {
      if (!wrapper && operation.name != fault.operation) continue;
      if (!operation.offered(cuda->ops)) continue;
      std::string spelled = "fault:" + std::string(fault.id);
      if (wrapper) spelled += "/" + std::string(operation.name);
      const assay_subject* subject = Open(spelled + "?dose=0", fault.profile);
      ASSERT_TRUE(subject) << spelled;
      EXPECT_EQ(subject->device.device_type, kDLCUDA);
      EXPECT_EQ(Offered(*subject), 1u) << spelled;
      EXPECT_TRUE(operation.offered(subject->ops)) << spelled;
    }
  }
}

TEST(CudaVariants, EachRowHasItsCode) {
  if (!IsBuilt("variant:cuda-split")) GTEST_SKIP() << "built without CUDA";
  for (const Variant& variant : Variants()) {
    if (!variant.on_device) continue;
    const assay_subject* subject = Open("variant:" + std::string(variant.id), variant.profile);
    ASSERT_TRUE(subject) << variant.id;
    EXPECT_EQ(subject->device.device_type, kDLCUDA);
    EXPECT_EQ(subject->profile, variant.profile);
    EXPECT_GE(Offered(*subject), 1u) << variant.id;
  }
}

}  // namespace
}  // namespace assay
