#ifndef ASSAY_CONFORMANCE_SUBJECTS_PEERS_TVM_FUNCTION_H_
#define ASSAY_CONFORMANCE_SUBJECTS_PEERS_TVM_FUNCTION_H_

#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "conformance/subject.h"

// Functions of libraries that are built for TVM-FFI, called through its C interface alone. Such a
// library finds TVM-FFI's symbols in the process: it is opened after TVM-FFI's own, opened with
// RTLD_GLOBAL.
namespace assay::tvm {

// What a call returns, ASSAY_*, and why.
struct Refusal : std::runtime_error {
  Refusal(int32_t as, const std::string& why) : std::runtime_error(why), code(as) {}
  int32_t code;
};

// `folder`/`file`, or elsewhere, as the loader looks for the bare name (LD_LIBRARY_PATH).
inline void* Open(const std::string& folder, const std::string& file, int scope) {
  std::string reasons;
  for (const std::string& path : {folder + "/" + file, file}) {
    if (void* opened = dlopen(path.c_str(), RTLD_NOW | scope)) return opened;
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw Refusal(ASSAY_UNSUPPORTED, reasons);
}

template <typename Function>
Function Find(void* library, const std::string& name) {
  if (void* found = dlsym(library, name.c_str())) return reinterpret_cast<Function>(found);
  throw Refusal(ASSAY_UNSUPPORTED, dlerror());
}

// A contiguous tensor of device 0. The DLTensor points into it.
struct View {
  View(const void* data, DLDataType dtype, std::initializer_list<int64_t> extents) {
    for (const int64_t extent : extents) shape[tensor.ndim++] = extent;
    int64_t elements = 1;
    for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
      strides[axis] = elements;
      elements *= shape[axis];
    }
    tensor.data = const_cast<void*>(data);
    tensor.device = {kDLCUDA, 0};
    tensor.dtype = dtype;
    tensor.shape = shape;
    tensor.strides = strides;
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  int64_t shape[3] = {}, strides[3] = {};
  DLTensor tensor = {};
};

// An argument, by its type; a null pointer to a View is None.
struct Value : TVMFFIAny {
  Value(int64_t value) : TVMFFIAny{} { type_index = kTVMFFIInt, v_int64 = value; }
  Value(bool value) : TVMFFIAny{} { type_index = kTVMFFIBool, v_int64 = value; }
  Value(double value) : TVMFFIAny{} { type_index = kTVMFFIFloat, v_float64 = value; }
  Value(const View& view) : Value(&view) {}
  Value(const View* view) : TVMFFIAny{} {
    if (view == nullptr) return;
    type_index = kTVMFFIDLTensorPtr;
    v_ptr = const_cast<DLTensor*>(&view->tensor);
  }
};

// TVM-FFI itself, opened.
class Runtime {
 public:
  explicit Runtime(const std::string& folder)
      : library_(Open(folder, "libtvm_ffi.so", RTLD_GLOBAL)),
        set_stream_(Find<decltype(set_stream_)>(library_, "TVMFFIEnvSetStream")),
        take_error_(Find<decltype(take_error_)>(library_, "TVMFFIErrorMoveFromRaised")),
        release_(Find<decltype(release_)>(library_, "TVMFFIObjectDecRef")) {}

  // Where what this thread calls after it is launched.
  void SetStream(void* stream) const {
    if (set_stream_(kDLCUDA, 0, stream, nullptr) != 0) throw Raised("TVMFFIEnvSetStream");
  }

  // What a function that gives an integer gives.
  int64_t Call(TVMFFISafeCallType function, std::initializer_list<Value> values) const {
    const TVMFFIAny* arguments = values.begin();
    TVMFFIAny result = {};
    if (function(nullptr, arguments, static_cast<int32_t>(values.size()), &result) != 0)
      throw Raised("a call");
    return result.v_int64;
  }

 private:
  Refusal Raised(const char* what) const {
    TVMFFIObjectHandle error = nullptr;
    take_error_(&error);
    if (error == nullptr) return {ASSAY_DEVICE_ERROR, std::string(what) + " failed"};
    const auto* cell = reinterpret_cast<const TVMFFIErrorCell*>(static_cast<const char*>(error) +
                                                                sizeof(TVMFFIObject));
    const Refusal refusal(ASSAY_DEVICE_ERROR, std::string(cell->message.data, cell->message.size));
    release_(error);
    return refusal;
  }

  void* library_;
  decltype(&TVMFFIEnvSetStream) set_stream_;
  decltype(&TVMFFIErrorMoveFromRaised) take_error_;
  decltype(&TVMFFIObjectDecRef) release_;
};

static_assert(sizeof(Value) == sizeof(TVMFFIAny), "values are passed as an array");

}  // namespace assay::tvm

#endif  // ASSAY_CONFORMANCE_SUBJECTS_PEERS_TVM_FUNCTION_H_
