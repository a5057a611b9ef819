#include "conformance/device_cuda_late.h"

#include "conformance/device_cuda_check.h"

namespace assay {
namespace {

constexpr unsigned kBlocks = 8, kThreads = 256;  // few: the next kernel has room beside them
constexpr int kNaps = 20;                        // of a microsecond, or two

// In the driver's own language, so that this file needs no CUDA compiler.
constexpr char kSource[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry late_copy(.param .u64 to, .param .u64 from, .param .u64 bytes, .param .u32 naps) {
  .reg .pred %more;
  .reg .b32 %naps, %block, %size, %thread, %grid, %word<4>;
  .reg .b64 %to, %from, %bytes, %at, %step, %place;
  griddepcontrol.launch_dependents;
  ld.param.u32 %naps, [naps];
nap:
  nanosleep.u32 1000;
  sub.u32 %naps, %naps, 1;
  setp.ne.u32 %more, %naps, 0;
  @%more bra nap;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %bytes, [bytes];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %grid, %nctaid.x;
  mad.lo.u32 %thread, %block, %size, %thread;
  mul.wide.u32 %at, %thread, 16;
  mul.lo.u32 %grid, %grid, %size;
  mul.wide.u32 %step, %grid, 16;
copy:
  setp.lt.u64 %more, %at, %bytes;
  @!%more bra done;
  add.u64 %place, %from, %at;
  ld.global.v4.u32 {%word0, %word1, %word2, %word3}, [%place];
  add.u64 %place, %to, %at;
  st.global.v4.u32 [%place], {%word0, %word1, %word2, %word3};
  add.u64 %at, %at, %step;
  bra copy;
done:
  ret;
}
)";

}  // namespace

LateCopy::LateCopy() {
  CUmodule module = nullptr;  // lives as long as the process
  Check(FindDriver<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, kSource),
        "compiling a copy that is late");
  Check(FindDriver<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&kernel_, module,
                                                                         "late_copy"),
        "finding a copy that is late");
}

void LateCopy::operator()(uint8_t* to, const uint8_t* from, size_t bytes,
                          cudaStream_t stream) const {
  static const auto launch = FindDriver<decltype(cuLaunchKernel)>("cuLaunchKernel");
  int naps = kNaps;
  void* args[] = {&to, &from, &bytes, &naps};
  Check(launch(kernel_, kBlocks, 1, 1, kThreads, 1, 1, 0, stream, args, nullptr),
        "a copy that is late");
}

}  // namespace assay
