// Defects in any operation's rows: what a row's result depends on besides the row.

#include "conformance/subjects/faults/wrappers.h"

#include <array>
#include <vector>

#include "conformance/subjects/faults/fingerprint.h"

namespace assay::faults {

void AddWrapperMemoryFaults(std::vector<Fault>& all);
void AddWrapperCallFaults(std::vector<Fault>& all);
void AddWrapperStepFaults(std::vector<Fault>& all);

namespace {

template <class Args>
bool Sound(const Args& args, int64_t row) {
  const DLTensor* status = PartsOf(args).status;
  return row < Rows(args) && (!status || *Element(*status, row, 0) == ASSAY_ROW_OK);
}

// A row whose input is broken. A sound request may leave no token, too.
template <class Args>
bool Broken(const Args& args, int64_t row) {
  return !Sound(args, row);
}
bool Broken(const assay_verify_args& args, int64_t row) {
  return !Sound(args, row) && *Element(*args.status, row, 0) != ASSAY_ROW_EMPTY;
}

// A race that shows from the twelfth of equal calls on.
struct RaceInRepeats {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    static uint64_t last = 0;
    static int same = 0;
    const uint64_t now = Fingerprint(call, args);
    same = now == last ? same + 1 : 1;
    last = now;
    const int32_t code = good(call, &args);
    if (same > 11 && Sound(args, 0)) SpoilRow(args, 0, Dose());
    return code;
  }
};

// Spoils rows of large batches where `Which` holds of them.
template <class Which>
struct SpoilsRows {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    for (int64_t r = 0; LargeBatch(args) && r < Rows(args); ++r)
      if (Which::Holds(args, r)) SpoilRow(args, r, Dose());
    return code;
  }
};

struct EveryRow {
  template <class Args>
  static bool Holds(const Args&, int64_t) {
    return true;
  }
};
struct LastOfWarp {
  template <class Args>
  static bool Holds(const Args&, int64_t row) {
    return row % 32 == 31;
  }
};
// A bit of the neighbour's first entry.
struct NeighbourSays {
  template <class Args>
  static const DLTensor& Rows(const Args& args) {
    return *PartsOf(args).values;
  }
  static const DLTensor& Rows(const assay_gather_args& a) { return *a.seed; }
  static const DLTensor& Rows(const assay_process_args& a) { return *a.logits; }
  template <class Args>
  static bool Holds(const Args& args, int64_t row) {
    const DLTensor& values = Rows(args);
    if (row == 0 || row >= values.shape[0]) return false;
    const unsigned char* entry = Element(values, row - 1, 0);
    return (entry[Bytes(values) - 1] ^ entry[Bytes(values) - 2]) % 4 == 1;
  }
};

// Of a request: its neighbour's root.
template <>
bool NeighbourSays::Holds(const assay_verify_args& args, int64_t row) {
  if (row == 0) return false;
  const auto* offsets = static_cast<const int32_t*>(args.row_offsets->data);
  return static_cast<const int32_t*>(args.candidates->data)[offsets[row - 1]] % 4 == 1;
}

// Of a matcher: its neighbour's first token.
template <>
bool NeighbourSays::Holds(const assay_match_args& args, int64_t row) {
  return row > 0 && *Element(*args.arg, row - 1, 0) % 4 == 1;
}

// Large batches read what belongs to a row from row 0: parameters, seed, mask row.
struct RowZeroForAll {
  // All entries of a vector, or all rows of a matrix, are the first.
  static const DLTensor* First(const DLTensor* tensor, DLTensor* made, std::vector<char>* data) {
    if (!tensor || tensor->ndim == 0 || Dose() == 0) return tensor;
    const auto rows = static_cast<size_t>(tensor->shape[0]);
    const size_t bytes = Bytes(*tensor) * static_cast<size_t>(Columns(*tensor));
    const size_t apart =
        tensor->ndim == 1 ? bytes : Bytes(*tensor) * static_cast<size_t>(tensor->strides[0]);
    data->assign(apart * rows + bytes, 0);
    for (size_t r = 0; r < rows; ++r) std::memcpy(data->data() + r * apart, tensor->data, bytes);
    *made = *tensor;
    made->data = data->data();
    return made;
  }
  static void Replace(assay_filter_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.temperature = First(a.temperature, &made[0], &data[0]);
    a.top_k = First(a.top_k, &made[1], &data[1]);
    a.top_p = First(a.top_p, &made[2], &data[2]);
    a.min_p = First(a.min_p, &made[3], &data[3]);
  }
  static void Replace(assay_sample_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    if (!a.seed) a.input = First(a.input, &made[0], &data[0]);  // argmax: nothing else is a row's
    a.seed = First(a.seed, &made[0], &data[0]);
    a.top_k = First(a.top_k, &made[1], &data[1]);
    a.top_p = First(a.top_p, &made[2], &data[2]);
    a.min_p = First(a.min_p, &made[3], &data[3]);
    a.param_rows = First(a.param_rows, &made[4], &data[4]);
  }
  static void Replace(assay_logprob_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.tokens = First(a.tokens, &made[0], &data[0]);
    a.bitmask = First(a.bitmask, &made[1], &data[1]);
    a.temperature = First(a.temperature, &made[2], &data[2]);
    a.top_k = First(a.top_k, &made[3], &data[3]);
    a.top_p = First(a.top_p, &made[4], &data[4]);
  }
  static void Replace(assay_mask_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.bitmask = First(a.bitmask, &made[0], &data[0]);
  }
  static void Replace(assay_gather_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.index = First(a.index, &made[0], &data[0]);
  }
  static void Replace(assay_process_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.index = First(a.index, &made[0], &data[0]);
  }
  static void Replace(assay_match_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.start = First(a.start, &made[0], &data[0]);
  }
  static void Replace(assay_verify_args& a, std::array<DLTensor, 5>& made,
                      std::array<std::vector<char>, 5>& data) {
    a.final_coins = First(a.final_coins, &made[0], &data[0]);
    a.seed = First(a.seed, &made[1], &data[1]);
    a.temperature = First(a.temperature, &made[2], &data[2]);
    a.target_ids = First(a.target_ids, &made[3], &data[3]);
  }
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    if (!LargeBatch(args)) return good(call, &args);
    Args same = args;
    std::array<DLTensor, 5> made;
    std::array<std::vector<char>, 5> data;
    Replace(same, made, data);
    return good(call, &same);
  }
};

// A grid of at most 65,535 blocks: the rows past it get the result of row 0.
struct GridLimit {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    for (int64_t r = 65535; r < Rows(args); ++r) SpoilRow(args, r, Dose());
    return code;
  }
};
struct GridDrops {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const DLTensor* status = ReportOf(args);
    std::vector<unsigned char> before;
    for (int64_t r = 65535; status && r < Rows(args); ++r)
      before.push_back(*Element(*status, r, 0));
    const int32_t code = good(call, &args);
    for (size_t i = 0; Dose() > 0 && i < before.size(); ++i)
      *Element(*status, 65535 + static_cast<int64_t>(i), 0) = before[i];
    for (int64_t r = 65535; !status && r < Rows(args); ++r) SpoilRow(args, r, Dose());
    return code;
  }
};

// A reported row's partial results are taken up two rows on, where its buffer is used again.
struct BrokenRowSpreads {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    for (int64_t r = 0; PartsOf(args).status && r + 2 < Rows(args); ++r)
      if (Broken(args, r) && Sound(args, r + 1) && Sound(args, r + 2))
        SpoilRow(args, r + 2, Dose());
    return code;
  }
};
// So is its flag.
struct BrokenFlagSpreads {
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    const DLTensor* status = PartsOf(args).status;
    for (int64_t r = Rows(args) - 3; status && Dose() > 0 && r >= 0; --r)
      if (Broken(args, r) && Sound(args, r + 1) && Sound(args, r + 2))
        *Element(*status, r + 2, 0) = *Element(*status, r, 0);
    return code;
  }
};

// A scalar parameter takes a path of its own in large batches.
struct ScalarPath {
  static bool Scalar(const DLTensor* tensor) { return tensor && tensor->ndim == 0; }
  static bool HasScalar(const assay_filter_args& a) {
    return Scalar(a.temperature) || Scalar(a.top_k) || Scalar(a.top_p) || Scalar(a.min_p);
  }
  static bool HasScalar(const assay_sample_args& a) {
    return Scalar(a.top_k) || Scalar(a.top_p) || Scalar(a.min_p);
  }
  static bool HasScalar(const assay_logprob_args& a) {
    return Scalar(a.temperature) || Scalar(a.top_k) || Scalar(a.top_p);
  }
  static bool HasScalar(const assay_mask_args&) { return false; }
  static bool HasScalar(const assay_gather_args&) { return false; }
  static bool HasScalar(const assay_process_args&) { return false; }
  static bool HasScalar(const assay_match_args&) { return false; }
  static bool HasScalar(const assay_verify_args&) { return false; }
  template <class Args>
  static int32_t Run(Function<Args> good, const assay_call* call, const Args& args) {
    const int32_t code = good(call, &args);
    if (HasScalar(args) && LargeBatch(args)) SpoilRow(args, 0, Dose());
    return code;
  }
};

}  // namespace

void AddWrapperFaults(std::vector<Fault>& all) {
  AddWrapperMemoryFaults(all);
  AddWrapperCallFaults(all);
  AddWrapperStepFaults(all);
  const WrapperRows add{all};
  add("race-in-repeats", "B080", "the twelfth equal call gives another result",
      Install<RaceInRepeats>, {{"DET-RUN-REPEAT", kMetamorphic}});
  add("path-by-batch", "B031", "another path for batches above 100", Install<SpoilsRows<EveryRow>>,
      {{"DET-BATCH-SIZE", kMetamorphic}});
  add("position-of-warp", "B113", "the last row of each 32 comes out otherwise",
      Install<SpoilsRows<LastOfWarp>>,
      {{"DET-BATCH-SIZE", kMetamorphic}, {"DET-BATCH-POSITION", kMetamorphic}});
  add("neighbour-row", "B118", "a row's result hangs on a value of the row before it",
      Install<SpoilsRows<NeighbourSays>>,
      {{"DET-BATCH-SIZE", kMetamorphic},
       {"DET-BATCH-POSITION", kMetamorphic},
       {"DET-BATCH-NEIGHBOUR", kMetamorphic}});
  add("params-row-zero", "B099", "row 0's parameters, seed or mask serve all rows of large batches",
      Install<RowZeroForAll>,
      {{"DET-BATCH-SIZE", kMetamorphic},
       {"DET-BATCH-POSITION", kMetamorphic},
       {"DET-BATCH-NEIGHBOUR", kMetamorphic}});
  add("grid-limit", "B058", "rows from 65,535 on are another block's", Install<GridLimit>,
      {{"BUF-BATCH-LARGE", kMetamorphic}});
  add("grid-drops", "B058", "rows from 65,535 on are not reported", Install<GridDrops>,
      {{"BUF-BATCH-LARGE", kMetamorphic}, {"BUF-OUTPUT-ALL", kBounds}});
  add("broken-row-spreads", "B095", "a reported row spoils the second row after it",
      Install<BrokenRowSpreads>, {{"ROBUST-ROW-ISOLATED", kMetamorphic}});
  add("broken-flag-spreads", "B046", "the second row after a reported one is reported too",
      Install<BrokenFlagSpreads>, {{"ROBUST-ROW-ISOLATED", kMetamorphic}});
  add("scalar-path", "B044", "a scalar parameter is read otherwise in large batches",
      Install<ScalarPath>, {{"PROC-ORDER-PATHS", kMetamorphic}});
}

}  // namespace assay::faults
