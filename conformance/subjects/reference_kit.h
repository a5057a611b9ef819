#ifndef ASSAY_CONFORMANCE_SUBJECTS_REFERENCE_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_REFERENCE_KIT_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/subject.h"
#include "reference/error.h"
#include "reference/philox.h"
#include "reference/profile.h"

// What the operations of the subject `reference` share: tensors as numbers, errors as codes.
namespace assay::reference {

// Elements in double; half-precision formats by their definition.
inline double FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? std::nan("") : sign * HUGE_VAL;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

inline const char* At(const DLTensor& tensor, int64_t row, int64_t column = 0) {
  const int64_t element = row * tensor.strides[0] + column;
  return static_cast<const char*>(tensor.data) + element * tensor.dtype.bits / 8;
}
template <class T>
T Read(const DLTensor& tensor, int64_t row) {
  return *reinterpret_cast<const T*>(tensor.ndim == 0 ? static_cast<const char*>(tensor.data)
                                                      : At(tensor, row));
}
template <class T>
void Write(const DLTensor& tensor, int64_t row, T value) {
  *reinterpret_cast<T*>(const_cast<char*>(At(tensor, row))) = value;
}

inline std::vector<double> ReadRow(const DLTensor& tensor, int64_t row) {
  std::vector<double> values(static_cast<size_t>(tensor.shape[1]));
  for (size_t c = 0; c < values.size(); ++c) {
    const char* at = At(tensor, row, static_cast<int64_t>(c));
    if (tensor.dtype.bits == 32) {
      values[c] = static_cast<double>(*reinterpret_cast<const float*>(at));
    } else {
      const auto bits = *reinterpret_cast<const uint16_t*>(at);
      values[c] = tensor.dtype.code == kDLBfloat
                      ? static_cast<double>(std::bit_cast<float>(uint32_t{bits} << 16))
                      : FromHalf(bits);
    }
  }
  return values;
}

// Rounds once to fp32 and once to a 16-bit dtype, both to nearest even.
inline void WriteValue(const DLTensor& tensor, int64_t row, int64_t column, double value) {
  char* at = const_cast<char*>(At(tensor, row, column));
  const auto narrow = static_cast<float>(value);
  if (tensor.dtype.bits == 32) {
    *reinterpret_cast<float*>(at) = narrow;
  } else if (tensor.dtype.code != kDLBfloat) {
    *reinterpret_cast<_Float16*>(at) = static_cast<_Float16>(narrow);
  } else {
    const auto bits = std::bit_cast<uint32_t>(narrow);
    const uint32_t rounding = std::isfinite(narrow) ? 0x7FFF + (bits >> 16 & 1) : 0;
    *reinterpret_cast<uint16_t*>(at) = static_cast<uint16_t>((bits + rounding) >> 16);
  }
}

template <class Args, class Body>
int32_t Guard(const assay_call* call, const Args* args, Body body) {
  try {
    body(*args, *static_cast<const Profile*>(call->self));
    return ASSAY_OK;
  } catch (const std::exception& error) {
    if (call->message) {
      const std::string text = std::string(error.what()).substr(0, call->message_bytes - 1);
      std::copy(text.c_str(), text.c_str() + text.size() + 1, call->message);
    }
    return dynamic_cast<const InputError*>(&error) ? ASSAY_INVALID_ARGUMENT : ASSAY_INTERNAL;
  }
}

// Operations on logits.
int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args);
int32_t Argmax(const assay_call* call, const assay_sample_args* args);
int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args);
int32_t GatherTokenLogprobs(const assay_call* call, const assay_logprob_args* args);
int32_t TopNLogprobs(const assay_call* call, const assay_logprob_args* args);

// Operations on slots.
int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args);
int32_t ApplyLogitsProcessors(const assay_call* call, const assay_process_args* args);

// Grammar matchers.
int32_t MatchTokens(const assay_call* call, const assay_match_args* args);

void OfferVerifiers(assay_operations& ops);

// The stream that the subject draws from: what it names, or another one where it names none.
const RngModel& ModelOf(const Profile& profile);

inline constexpr double kLog2Error = 0x1p-60;  // of a race in double

}  // namespace assay::reference

#endif  // ASSAY_CONFORMANCE_SUBJECTS_REFERENCE_KIT_H_
