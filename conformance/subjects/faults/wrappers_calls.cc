// Defects in which calls any operation takes.

#include "conformance/subjects/faults/wrappers.h"

namespace assay::faults {
namespace {

struct EmptyBatchFails {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    if (Rows(args) == 0 && Dose() > 0) return ASSAY_DEVICE_ERROR;  // "invalid configuration"
    return good(call, &args);
  }
};
struct EmptyBatchWrites {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    const DLTensor& result = *PartsOf(args).result;
    if (Rows(args) == 0 && Dose() > 0) std::memset(result.data, 0, Bytes(result));
    return code;
  }
};
struct RefusesGoodCall {
  template <class Args>
  static int64_t Width(const Args& args) {
    return Columns(*PartsOf(args).values);
  }
  static int64_t Width(const assay_gather_args& a) { return a.n; }
  static int64_t Width(const assay_process_args& a) { return a.logits->shape[1]; }
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int64_t columns = Width(args);
    const bool odd = columns % 4 != 0 && Rows(args) > 1 && Rows(args) < 1000;
    if (odd && Plain(args) && Dose() > 0) return ASSAY_INVALID_ARGUMENT;
    return good(call, &args);
  }
};

}  // namespace

void AddWrapperCallFaults(std::vector<Fault>& all) {
  const WrapperRows add{all};
  add("empty-batch-fails", "B069", "a call without rows is an error", Install<EmptyBatchFails>,
      {{"BUF-BATCH-ZERO", kBounds}, {"CALL-OK", kBounds}});
  add("empty-batch-writes", "B069", "a call without rows writes an entry",
      Install<EmptyBatchWrites>, {{"BUF-BATCH-ZERO", kBounds}, {"BUF-GUARD-WRITE", kBounds}});
  add("refuses-odd-widths", "B065", "a batch of rows whose width is no multiple of 4 is refused",
      Install<RefusesGoodCall>, {{"CALL-OK", kBounds}});
}

}  // namespace assay::faults
