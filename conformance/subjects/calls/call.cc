#include "conformance/subjects/calls/call.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace assay::calls {
namespace {

// Stands for the address of an empty tensor, so that present and absent differ. Never accessed.
alignas(8) constexpr unsigned char kEmptyTensor[8] = {};

[[noreturn]] void Fail(const char* name, const std::string& what) {
  throw InputError(std::string(name) + ": " + what);
}

bool Matches(DLDataType found, Dtype wanted) {
  const auto is = [&](int code, int bits) { return found.code == code && found.bits == bits; };
  switch (wanted) {
    case Dtype::kF32: return is(kDLFloat, 32);
    case Dtype::kF16: return is(kDLFloat, 16);
    case Dtype::kBf16: return is(kDLBfloat, 16);
    case Dtype::kF64: return is(kDLFloat, 64);
    case Dtype::kI32: return is(kDLInt, 32);
    case Dtype::kI64: return is(kDLInt, 64);
    case Dtype::kU8: return is(kDLUInt, 8);
    case Dtype::kValue: break;
  }
  return false;
}

Dtype CheckDtype(const DLTensor& tensor, const char* name, Dtype wanted) {
  if (tensor.dtype.lanes == 1) {
    if (wanted != Dtype::kValue && Matches(tensor.dtype, wanted)) return wanted;
    if (wanted == Dtype::kValue) {
      for (const Dtype value : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
        if (Matches(tensor.dtype, value)) return value;
      }
    }
  }
  Fail(name, "dtype code " + std::to_string(tensor.dtype.code) + " with " +
                 std::to_string(tensor.dtype.bits) + " bits is not taken here");
}

void CheckLayout(const DLTensor& tensor, const char* name) {
  int64_t elements = 1;
  if (tensor.ndim > 0 && (tensor.shape == nullptr || tensor.strides == nullptr)) {
    Fail(name, "shape and strides must be given");
  }
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] < 0) Fail(name, "negative extent");
    elements = tensor.shape[axis] == 0 ? 0 : elements;
  }
  if (tensor.device.device_type != (tensor.ndim == 0 ? kDLCPU : kTensorsOn)) {
    Fail(name, "on device type " + std::to_string(tensor.device.device_type) + ", not taken here");
  }
  if (tensor.byte_offset != 0) Fail(name, "byte_offset must be 0");
  if (elements != 0 && tensor.data == nullptr) Fail(name, "no data");
}

unsigned char* Data(const DLTensor& tensor) {
  if (tensor.data == nullptr) return const_cast<unsigned char*>(kEmptyTensor);
  return static_cast<unsigned char*>(tensor.data);
}

}  // namespace

Matrix CheckMatrix(const DLTensor* tensor, const char* name, Dtype dtype) {
  if (tensor == nullptr) Fail(name, "missing");
  if (tensor->ndim != 2) Fail(name, "rank " + std::to_string(tensor->ndim) + ", expected 2");
  CheckLayout(*tensor, name);
  Matrix matrix{.data = Data(*tensor),
                .rows = tensor->shape[0],
                .columns = tensor->shape[1],
                .stride = tensor->strides[0],
                .dtype = CheckDtype(*tensor, name, dtype)};
  if (matrix.columns < 1) Fail(name, "no columns");
  if (matrix.columns > INT32_MAX) Fail(name, "more columns than an i32 id can name");
  if (matrix.columns > 1 && tensor->strides[1] != 1) Fail(name, "the last stride must be 1");
  if (matrix.rows > 1 && matrix.stride < matrix.columns) Fail(name, "rows overlap");
  return matrix;
}

Matrix CheckMatrix(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows,
                   int64_t columns) {
  const Matrix matrix = CheckMatrix(tensor, name, dtype);
  if (matrix.rows == rows && matrix.columns == columns) return matrix;
  Fail(name, std::to_string(matrix.rows) + " by " + std::to_string(matrix.columns) + ", expected " +
                 std::to_string(rows) + " by " + std::to_string(columns));
}

Elements CheckVector(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows,
                     Presence presence, Rank rank) {
  if (tensor == nullptr) {
    if (presence == Presence::kRequired) Fail(name, "missing");
    return {};
  }
  const bool scalar = tensor->ndim == 0 && rank == Rank::kVectorOrScalar;
  if (!scalar && tensor->ndim != 1) {
    Fail(name, "rank " + std::to_string(tensor->ndim) + " is not taken here");
  }
  CheckLayout(*tensor, name);
  CheckDtype(*tensor, name, dtype);
  if (scalar) return {.data = Data(*tensor), .count = 1, .step = 0};
  const int64_t count = tensor->shape[0];
  if (rows >= 0 && count != rows) {
    Fail(name, std::to_string(count) + " elements, expected " + std::to_string(rows));
  }
  if (count > 1 && tensor->strides[0] != 1) Fail(name, "the last stride must be 1");
  return {.data = Data(*tensor), .count = count, .step = 1};
}

void* CheckWorkspace(const assay_call& call, int64_t needed) {
  if (needed == 0) return nullptr;
  if (call.workspace == nullptr || call.workspace_bytes < static_cast<uint64_t>(needed)) {
    throw InputError("workspace: " + std::to_string(call.workspace_bytes) + " bytes, needs " +
                     std::to_string(needed));
  }
  return call.workspace;
}

bool CheckJoint(uint32_t order) {
  if (order != ASSAY_ORDER_TOP_K_FIRST && order != ASSAY_ORDER_JOINT) {
    throw InputError("filter_order: unknown value " + std::to_string(order));
  }
  return order == ASSAY_ORDER_JOINT;
}

void CheckCall(const assay_call* call, const void* args, uint32_t size, uint32_t expected) {
  if (call == nullptr) throw InputError("call: missing");
  if (call->size < sizeof(assay_call)) throw InputError("call.size: too small");
  if (args == nullptr) throw InputError("args: missing");
  if (size < expected) {
    throw InputError("args.size: " + std::to_string(size) + ", expected " +
                     std::to_string(expected));
  }
}

void Refuse(const assay_call* call, const char* reason) {
  if (call == nullptr || call->size < sizeof(assay_call)) return;
  if (call->message == nullptr || call->message_bytes == 0) return;
  const size_t length = std::min<size_t>(std::strlen(reason), call->message_bytes - 1);
  std::memcpy(call->message, reason, length);
  call->message[length] = '\0';
}

}  // namespace assay::calls
