// Defects that any operation may have between its calls.

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/subjects/faults/wrappers.h"

namespace assay::faults {
namespace {

constexpr int kWarmUp = 8;  // calls

// The rows that a mask is in: those that are read, or the mask itself.
template <class Args>
const DLTensor*& MaskedOf(Args& args) {
  return ValuesOf(args);
}
const DLTensor*& MaskedOf(assay_logprob_args& args) { return args.bitmask; }

// The rows that are looked at: the first, or those of the first request.
template <class Args>
int64_t LookedAt(const Args&) {
  return 1;
}
int64_t LookedAt(const assay_verify_args& args) {
  return !args.row_offsets || args.row_offsets->shape[0] < 2
             ? 0
             : static_cast<const int32_t*>(args.row_offsets->data)[1];
}

// Rows of a tensor as they are now, one behind the other.
std::vector<unsigned char> Packed(const DLTensor& tensor, int64_t rows) {
  const size_t bytes = static_cast<size_t>(Columns(tensor)) * Bytes(tensor);
  std::vector<unsigned char> packed;
  packed.reserve(static_cast<size_t>(rows) * bytes);
  for (int64_t r = 0; r < rows; ++r) {
    const unsigned char* row = Element(tensor, r, 0);
    packed.insert(packed.end(), row, row + bytes);
  }
  return packed;
}

// How often calls have come from one place with the same first rows, and all rows as they were
// then.
struct Place {
  const void* data = nullptr;
  std::vector<int64_t> shape = {};  // and that of the result
  std::vector<unsigned char> first = {}, rows = {};
  int calls = 0;

  void Count(const DLTensor& tensor, const DLTensor& result, int64_t looked_at) {
    std::vector<int64_t> now(tensor.shape, tensor.shape + tensor.ndim);
    now.insert(now.end(), result.shape, result.shape + result.ndim);
    std::vector<unsigned char> top =
        Packed(tensor, std::clamp<int64_t>(looked_at, 1, tensor.shape[0]));
    const bool same = data == tensor.data && shape == now && first == top;
    calls = same ? calls + 1 : 1;
    if (!same) *this = {tensor.data, std::move(now), std::move(top), {}, 1};
    if (calls == kWarmUp) rows = Packed(tensor, tensor.shape[0]);
  }
};

// A warm-up long enough, and buffers are static unless their first rows change.
struct RowsKept {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    static Place place;
    Args kept = args;
    const DLTensor*& masked = MaskedOf(kept);
    if (!masked || masked->ndim == 0 || masked->shape[0] == 0 || Dose() == 0)
      return good(call, &args);
    place.Count(*masked, *PartsOf(args).result, LookedAt(args));
    DLTensor made = *masked;
    std::array<int64_t, 2> strides = {Columns(made), 1};
    if (place.calls > kWarmUp) {
      made.data = place.rows.data();
      if (made.ndim == 2) made.strides = strides.data();
    }
    masked = &made;
    return good(call, &kept);
  }
};

}  // namespace

void AddWrapperStepFaults(std::vector<Fault>& all) {
  const WrapperRows add{all};
  add("rows-kept-by-address", "B114",
      "after eight calls from one address with the same first rows the others are what they were",
      Install<RowsKept>, {{"MASK-BUFFER-FRESH", kMetamorphic}});
}

}  // namespace assay::faults
