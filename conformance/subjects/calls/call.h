#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_CALL_H_

#include <cstdint>
#include <exception>

#include "conformance/subject.h"
#include "reference/error.h"

// Checks of what a call passes: presence, shapes, dtypes, layout; nothing of the tensors' data is
// read. All throw InputError, which Guarded turns into ASSAY_INVALID_ARGUMENT with its message; an
// operation checks all before it writes anything.
namespace assay::calls {

// Where the tensors of this library's subjects lie; 0-dimensional ones are always on the host. Each
// library defines it once.
extern const DLDeviceType kTensorsOn;

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

// Rank 2 of the dtype (kValue: f32, f16 or bf16), columns contiguous, at least one column.
Matrix CheckMatrix(const DLTensor* tensor, const char* name, Dtype dtype);
// Likewise, of this shape.
Matrix CheckMatrix(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows,
                   int64_t columns);

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

// At least `needed` bytes.
void* CheckWorkspace(const assay_call& call, int64_t needed);

// `order` is one of ASSAY_ORDER_*; whether it is ASSAY_ORDER_JOINT.
bool CheckJoint(uint32_t order);

void CheckCall(const assay_call* call, const void* args, uint32_t size, uint32_t expected);
void Refuse(const assay_call* call, const char* reason);  // writes call->message

// Runs `body()`, which returns the call's code, once call and args are known to be whole.
template <typename Args, typename Body>
int32_t Guarded(const assay_call* call, const Args* args, Body body) {
  try {
    CheckCall(call, args, args == nullptr ? 0 : args->size, sizeof(Args));
    return body();
  } catch (const InputError& error) {
    Refuse(call, error.what());
    return ASSAY_INVALID_ARGUMENT;
  } catch (const std::exception& error) {
    Refuse(call, error.what());
    return ASSAY_INTERNAL;
  }
}

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_CALL_H_
