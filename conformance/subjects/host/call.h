#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_

#include <cstdint>

#include "conformance/subject.h"
#include "conformance/subjects/host/host.h"
#include "reference/error.h"

// Checks of what a call passes. Everything here throws InputError, which Guard turns into
// ASSAY_INVALID_ARGUMENT with its message; an operation checks all before it writes anything.
namespace assay::host {

enum class Dtype : uint8_t { kF32, kF16, kBf16, kF64, kI32, kI64, kU8, kValue };  // kValue: a float

// A rank 1 or 2 tensor, with strides in elements.
struct Matrix {
  unsigned char* data = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;
  Dtype dtype = Dtype::kF32;

  template <typename T>
  T* Row(int64_t row) const {
    return reinterpret_cast<T*>(data) + row * stride;
  }
};

// Rank 2 of the dtype (kValue: f32, f16 or bf16), columns contiguous, at least one column, on the
// host.
Matrix CheckMatrix(const DLTensor* tensor, const char* name, Dtype dtype);

// `data` null: absent. Element r is data[r * step]; step 0 is one value for all rows.
template <typename T>
struct Vector {
  const T* data = nullptr;
  int64_t step = 1;
  T operator[](int64_t row) const { return data[row * step]; }
  explicit operator bool() const { return data != nullptr; }
};

enum class Presence : uint8_t { kRequired, kOptional };
enum class Rank : uint8_t { kVector, kVectorOrScalar };
// Rank 1 with `rows` elements (rows < 0: any number), or rank 0 where allowed. Returns its first
// element and its step; the address is not null for a present tensor, even an empty one.
struct Elements {
  unsigned char* data = nullptr;
  int64_t count = 0, step = 1;
};
Elements CheckVector(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows,
                     Presence presence, Rank rank = Rank::kVector);

template <typename T>
Vector<T> As(const Elements& elements) {
  return {.data = reinterpret_cast<const T*>(elements.data), .step = elements.step};
}

// At least one row of `vocab` fp32 values, padded to whole chunks, is in the workspace.
int64_t WorkspaceBytes(int64_t rows, int64_t vocab);
float* CheckWorkspace(const assay_call& call, int64_t rows, int64_t vocab);

void CheckCall(const assay_call* call, const void* args, uint32_t size, uint32_t expected);
void Refuse(const assay_call* call, const char* reason);  // writes call->message

// Runs `body(config)` once call and args are known to be whole.
template <typename Args, typename Body>
int32_t Guard(const assay_call* call, const Args* args, Body body) {
  try {
    CheckCall(call, args, args == nullptr ? 0 : args->size, sizeof(Args));
    body(*static_cast<const Config*>(call->self));
    return ASSAY_OK;
  } catch (const InputError& error) {
    Refuse(call, error.what());
    return ASSAY_INVALID_ARGUMENT;
  } catch (const std::exception& error) {
    Refuse(call, error.what());
    return ASSAY_INTERNAL;
  }
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_
