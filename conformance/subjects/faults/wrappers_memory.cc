// Defects in any operation's use of memory.

#include <array>
#include <vector>

#include "conformance/subjects/faults/wrappers.h"

namespace assay::faults {
namespace {

// The last row's vector of four goes past its end.
struct WritePastRow {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    const DLTensor& result = *PartsOf(args).result;
    const int64_t rows = code == ASSAY_OK ? Rows(args) : 0;
    for (int64_t i = 0; rows > 0 && i < Dose(); ++i) {
      unsigned char* past = result.ndim == 2 ? Element(result, rows - 1, Columns(result) + i)
                                             : Element(result, rows + i, 0);
      std::memset(past, 0, Bytes(result));
    }
    return code;
  }
};

struct WorkspaceOverrun {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    auto* end = static_cast<unsigned char*>(call->workspace) + call->workspace_bytes;
    for (int i = 0; call->workspace && i < Dose(); ++i) end[i] = 0;
    return code;
  }
};

// Scratch is kept in the input.
struct InputSpoiled {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    const DLTensor& values = *PartsOf(args).values;
    if (Rows(args) > 0 && values.shape[0] > 0)
      *Element(values, 0, 0) = static_cast<unsigned char>(*Element(values, 0, 0) ^ Dose());
    return code;
  }
};

// The last row's status is left as it was found.
struct StatusUnwritten {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const DLTensor* status = ReportOf(args);
    const bool any = status && status->shape[0] > 0;
    unsigned char* last = any ? Element(*status, status->shape[0] - 1, 0) : nullptr;
    const unsigned char before = any ? *last : static_cast<unsigned char>(0);
    const int32_t code = good(call, &args);
    if (any && Dose() > 0) *last = before;
    return code;
  }
};

// The tail of the last row's vector load counts if it looks like a large number.
struct ReadPastRow {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    const DLTensor& values = *PartsOf(args).values;
    const int64_t rows = values.shape[0];
    if (rows == 0 || Rows(args) == 0) return code;
    const unsigned char top = Element(values, rows - 1, Columns(values))[Bytes(values) - 1];
    if (top >= 0x70 && top < 0x7F) SpoilRow(args, Rows(args) - 1, Dose());
    return code;
  }
};

// Rows are taken to follow each other without a gap.
struct StrideIgnored {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    Args packed = args;
    DLTensor values = *PartsOf(args).values;
    std::array<int64_t, 2> strides = {values.strides[0], values.strides[1]};
    if (Dose() > 0) strides[0] = values.shape[1];
    values.strides = strides.data();
    ValuesOf(packed) = &values;
    return good(call, &packed);
  }
};

// Entry `at` of a list of i32, of those past its end one of the next eight.
int32_t EntryOrPast(const DLTensor& list, int64_t at) {
  const int64_t end = list.shape[0];
  return static_cast<const int32_t*>(list.data)[at < end ? at : end + (at - end) % 8];
}

// The index is read as far apart as rows of the outputs, less their width.
template <>
int32_t StrideIgnored::Run(Function<assay_gather_args> good, const assay_call* call,
                           const assay_gather_args& args) {
  const int64_t step = 1 + Dose() * (args.seed->strides[0] - args.n);
  std::vector<int32_t> index;
  for (int64_t r = 0; r < args.index->shape[0]; ++r)
    index.push_back(EntryOrPast(*args.index, r * step));
  DLTensor read = *args.index;
  read.data = index.data();
  assay_gather_args other = args;
  other.index = &read;
  return good(call, &other);
}

// Row offsets of 32 bits: a row that begins past 2^31 elements is another one.
struct Offset32 {
  static bool IsFar(const DLTensor& rows, int64_t r) {
    return rows.ndim == 2 && r < rows.shape[0] && r * rows.strides[0] > INT32_MAX;
  }
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const DLTensor& values = *PartsOf(args).values;
    const DLTensor& result = *PartsOf(args).result;
    const int32_t code = good(call, &args);
    for (int64_t r = 0; code == ASSAY_OK && Dose() > 0 && r < Rows(args); ++r)
      if (IsFar(values, r) || IsFar(result, r)) SpoilRow(args, r, Dose());
    return code;
  }
};

// Verifiers of ids read candidates likewise.
template <>
int32_t StrideIgnored::Run(Function<assay_verify_args> good, const assay_call* call,
                           const assay_verify_args& args) {
  assay_verify_args other = args;
  DLTensor read = args.target ? *args.target : *args.candidates;
  if (args.target) {
    const std::array<int64_t, 2> strides = {Dose() > 0 ? read.shape[1] : read.strides[0], 1};
    read.strides = const_cast<int64_t*>(strides.data());
    other.target = &read;
    return good(call, &other);
  }
  const DLTensor& list = *PartsOf(args).result;
  const int64_t step = 1 + Dose() * (list.strides[0] - list.shape[1]);
  std::vector<int32_t> ids;
  for (int64_t r = 0; r < read.shape[0]; ++r)
    ids.push_back(EntryOrPast(*args.candidates, r * step));
  read.data = ids.data();
  other.candidates = &read;
  return good(call, &other);
}

// Vector loads drop the low bits of the base address.
struct AlignedLoads {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    Args shifted = args;
    DLTensor values = *PartsOf(args).values;
    const auto address = reinterpret_cast<uintptr_t>(values.data);
    const uintptr_t low = Dose() > 0 ? 15 : 0;
    values.data = static_cast<unsigned char*>(values.data) - (address & low);
    ValuesOf(shifted) = &values;
    return good(call, &shifted);
  }
};

// A zero counter in the workspace says that the last row is another block's work.
struct WorkspaceCounter {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const auto* counter = static_cast<const unsigned char*>(call->workspace);
    const bool done = counter && *counter == 0;
    const int32_t code = good(call, &args);
    if (done && Rows(args) > 0) SpoilRow(args, Rows(args) - 1, Dose());
    return code;
  }
};

}  // namespace

void AddWrapperMemoryFaults(std::vector<Fault>& all) {
  const WrapperRows add{all};
  add("write-past-row", "B076", "writes one entry past the end of the last row",
      Install<WritePastRow>, {{"BUF-GUARD-WRITE", kBounds}});
  add("workspace-overrun", "B037", "writes a byte past the declared workspace",
      Install<WorkspaceOverrun>, {{"BUF-GUARD-WRITE", kBounds}});
  add("input-spoiled", "B141", "changes an input and does not restore it", Install<InputSpoiled>,
      {{"BUF-INPUT-CONST", kBounds}});
  add("status-unwritten", "B091", "leaves the last row's status as it was",
      Install<StatusUnwritten>, {{"BUF-OUTPUT-ALL", kBounds}});
  add("read-past-row", "B067", "a large number past the last row's end changes the result",
      Install<ReadPastRow>, {{"BUF-GUARD-READ", kMetamorphic}});
  add("stride-ignored", "B074", "takes the row stride for the width", Install<StrideIgnored>,
      {{"BUF-STRIDE-ROWS", kMetamorphic},
       {"BUF-GUARD-READ", kMetamorphic},
       {"BUF-SIZE-2G", kMetamorphic}});
  add("offset-32-bit", "B070", "a row that begins past 2^31 elements comes out otherwise",
      Install<Offset32>, {{"BUF-SIZE-2G", kMetamorphic}});
  add("aligned-loads", "B064", "reads from the 16-byte boundary below the base",
      Install<AlignedLoads>, {{"BUF-ALIGN-BASE", kMetamorphic}});
  add("workspace-counter", "B085", "takes a zero found in the workspace for its own count",
      Install<WorkspaceCounter>, {{"BUF-WORKSPACE-ANY", kMetamorphic}});
}

}  // namespace assay::faults
