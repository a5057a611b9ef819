// The CUDA runtime behind DeviceDriver. The runtime is linked statically and looks for the driver
// when it is first called; nothing here needs one before that.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "conformance/arena_device.h"
#include "conformance/device_cuda_check.h"
#include "conformance/device_cuda_late.h"

namespace assay {
namespace {

std::string Version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// What was found instead of the device, or nothing.
std::string Missing(int id) {
  int driver = 0, runtime = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no CUDA driver";
  cudaRuntimeGetVersion(&runtime);
  const std::string found = "a driver for CUDA " + Version(driver);
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return found + ", too old for this program's runtime " + Version(runtime);
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return found + " and no device";
  if (error != cudaSuccess) return found + ", but " + Describe(error);
  if (id < 0 || id >= count)
    return "cuda:0" + (count > 1 ? " to cuda:" + std::to_string(count - 1) : "") + " only";
  return "";
}

// Address ranges of a device of which only parts are memory.
class Ranges {
 public:
  using Zone = DeviceDriver::Zone;

  explicit Ranges(int id) {
    kind_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind_.location = {CU_MEM_LOCATION_TYPE_DEVICE, {id}};
    const auto query =
        FindDriver<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
    Check(query(&granule_, &kind_, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "granularity of memory");
  }

  size_t granule() const { return granule_; }

  uint8_t* Map(size_t bytes, const std::vector<Zone>& parts) const {
    CUdeviceptr range = 0;
    Check(reserve_(&range, bytes, 0, 0, 0), "reserving " + std::to_string(bytes) + " bytes");
    for (const Zone& part : parts) Back(range + part.begin, part.end - part.begin);
    return reinterpret_cast<uint8_t*>(range);
  }

  void Unmap(uint8_t* range, size_t bytes, const std::vector<Zone>& parts) const {
    const auto start = reinterpret_cast<CUdeviceptr>(range);
    for (const Zone& part : parts)
      Check(unmap_(start + part.begin, part.end - part.begin), "unmapping memory");
    Check(free_(start, bytes), "freeing an address range");
  }

 private:
  void Back(CUdeviceptr at, size_t bytes) const {
    CUmemGenericAllocationHandle memory = 0;
    Check(create_(&memory, bytes, &kind_, 0), "allocating " + std::to_string(bytes) + " bytes");
    const CUresult mapped = map_(at, bytes, 0, memory, 0);
    Check(release_(memory), "releasing a handle");  // the memory stays as long as it is mapped
    Check(mapped, "mapping memory");
    CUmemAccessDesc access = {};
    access.location = kind_.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    Check(set_access_(at, bytes, &access, 1), "opening memory");
  }

  decltype(cuMemAddressReserve)* reserve_ =
      FindDriver<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(cuMemAddressFree)* free_ = FindDriver<decltype(cuMemAddressFree)>("cuMemAddressFree");
  decltype(cuMemCreate)* create_ = FindDriver<decltype(cuMemCreate)>("cuMemCreate");
  decltype(cuMemRelease)* release_ = FindDriver<decltype(cuMemRelease)>("cuMemRelease");
  decltype(cuMemMap)* map_ = FindDriver<decltype(cuMemMap)>("cuMemMap");
  decltype(cuMemUnmap)* unmap_ = FindDriver<decltype(cuMemUnmap)>("cuMemUnmap");
  decltype(cuMemSetAccess)* set_access_ = FindDriver<decltype(cuMemSetAccess)>("cuMemSetAccess");
  CUmemAllocationProp kind_ = {};
  size_t granule_ = 0;
};

class CudaDriver : public DeviceDriver {
 public:
  explicit CudaDriver(int id) : id_(id) {
    Select();
    Choose(0);
  }

  DLDevice id() const override { return {kDLCUDA, id_}; }
  void Select() override { Check(cudaSetDevice(id_), "choosing device " + std::to_string(id_)); }

  void Choose(int stream) override {
    while (streams_.size() <= static_cast<size_t>(stream)) {
      // Not in step with the default stream: a subject that uses that one instead is seen.
      Check(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking),
            "creating a stream");
    }
    stream_ = streams_[static_cast<size_t>(stream)];
  }
  void* stream() const override { return stream_; }
  void Await(int stream) override {
    cudaEvent_t event = nullptr;
    Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
    Check(cudaEventRecord(event, streams_.at(static_cast<size_t>(stream))), "recording an event");
    Check(cudaStreamWaitEvent(stream_, event, 0), "waiting for an event");
    Check(cudaEventDestroy(event), "destroying an event");  // it goes once nobody waits for it
  }
  void Occupy() override { Load(stream_); }
  void OccupyDefault() override { Load(nullptr); }

  // Global: also what another thread may not do while a call is captured is refused.
  void BeginCapture() override {
    if (captured_ != nullptr) Check(cudaGraphExecDestroy(captured_), "destroying a graph");
    captured_ = nullptr;
    Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "capturing a stream");
  }
  bool EndCapture() override {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    cudaGetLastError();
    const bool whole = error == cudaSuccess && graph != nullptr;
    if (!whole && !IsOfCapture(error)) Check(error, "ending a capture");
    if (!whole) return false;
    Check(cudaGraphInstantiate(&captured_, graph, 0), "making a graph");
    Check(cudaGraphDestroy(graph), "destroying a graph");
    return true;
  }
  void LaunchCaptured() override { Check(cudaGraphLaunch(captured_, stream_), "a graph"); }

  DeviceInfo info() const override {
    cudaDeviceProp device = {};
    int driver = 0, runtime = 0;
    Check(cudaGetDeviceProperties(&device, id_), "properties of device " + std::to_string(id_));
    Check(cudaDriverGetVersion(&driver), "version of the driver");
    Check(cudaRuntimeGetVersion(&runtime), "version of the runtime");
    return {device.name, std::to_string(device.major) + "." + std::to_string(device.minor),
            Version(driver), Version(runtime)};
  }

  uint8_t* Allocate(size_t bytes) override {
    void* memory = nullptr;
    Check(cudaMalloc(&memory, bytes), "allocating " + std::to_string(bytes) + " bytes");
    return static_cast<uint8_t*>(memory);
  }
  void Free(uint8_t* device) override { Check(cudaFree(device), "freeing memory"); }
  uint8_t* AllocateStaging(size_t bytes) override {
    void* memory = nullptr;
    Check(cudaMallocHost(&memory, bytes), "pinning " + std::to_string(bytes) + " bytes");
    return static_cast<uint8_t*>(memory);
  }
  void FreeStaging(uint8_t* host) override { Check(cudaFreeHost(host), "freeing pinned memory"); }

  size_t granule() const override { return ranges().granule(); }
  uint8_t* Map(size_t bytes, const std::vector<Zone>& parts) override {
    return ranges().Map(bytes, parts);
  }
  void Unmap(uint8_t* range, size_t bytes, const std::vector<Zone>& parts) override {
    ranges().Unmap(range, bytes, parts);
  }

  void CopyIn(uint8_t* device, const uint8_t* host, size_t bytes) override {
    Check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_),
          "copying to the device");
  }
  void CopyInLate(uint8_t* device, const uint8_t* host, size_t bytes) override {
    int major = 0;
    Check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id_), "capability");
    if (major < 9) return CopyIn(device, host, bytes);
    if (!late_) late_.emplace();
    (*late_)(device, host, bytes, stream_);
  }
  void CopyOut(uint8_t* host, const uint8_t* device, size_t bytes) override {
    Check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_),
          "copying from the device");
  }
  void CopyWithin(uint8_t* to, const uint8_t* from, size_t bytes) override {
    Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_),
          "copying on the device");
  }
  void Fill(uint8_t* device, uint8_t pattern, size_t bytes) override {
    Check(cudaMemsetAsync(device, pattern, bytes, stream_), "filling memory");
  }
  double Seconds(const std::function<void()>& work) override {
    cudaEvent_t begin = nullptr, end = nullptr;
    Check(cudaEventCreate(&begin), "creating an event");
    Check(cudaEventCreate(&end), "creating an event");
    Check(cudaEventRecord(begin, stream_), "recording an event");
    work();
    Check(cudaEventRecord(end, stream_), "recording an event");
    Synchronise();
    float milliseconds = 0;
    Check(cudaEventElapsedTime(&milliseconds, begin, end), "reading events");
    Check(cudaEventDestroy(begin), "destroying an event");
    Check(cudaEventDestroy(end), "destroying an event");
    return 1e-3 * static_cast<double>(milliseconds);
  }
  void Synchronise() override {
    Check(cudaDeviceSynchronize(), "waiting for the call");
    Check(cudaGetLastError(), "after the call");
  }

 private:
  // Made when it is first needed: a device may lack it.
  const Ranges& ranges() const {
    if (!ranges_) ranges_ = std::make_unique<Ranges>(id_);
    return *ranges_;
  }

  static bool IsOfCapture(cudaError_t error) {
    return error == cudaSuccess || (error >= cudaErrorStreamCaptureUnsupported &&
                                    error <= cudaErrorStreamCaptureWrongThread);
  }

  void Load(cudaStream_t stream) {
    constexpr size_t kBytes = size_t{1} << 26;
    constexpr int kTimes = 16;  // some tenths of a millisecond: longer than most calls take
    if (load_ == nullptr) load_ = Allocate(kBytes);
    for (int i = 0; i < kTimes; ++i) Check(cudaMemsetAsync(load_, i, kBytes, stream), "other work");
  }

  int id_;
  std::vector<cudaStream_t> streams_;
  cudaStream_t stream_ = nullptr;  // one of them
  cudaGraphExec_t captured_ = nullptr;
  uint8_t* load_ = nullptr;  // of work that nobody looks at; it lives as long as the process
  mutable std::unique_ptr<Ranges> ranges_;
  std::optional<LateCopy> late_;
};

}  // namespace

std::unique_ptr<DeviceDriver> OpenCuda(int id) {
  if (const std::string found = Missing(id); !found.empty()) throw NoDeviceError(found);
  try {
    return std::make_unique<CudaDriver>(id);
  } catch (const DeviceError& error) {
    throw NoDeviceError(std::string("a device that cannot be used, ") + error.what());
  }
}

}  // namespace assay
