// Wrong argmax.

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

using Call = const assay_call*;
using Args = const assay_sample_args*;

// host's tokens; where a row's status is `status`, the token is `pick(row's logits, right one, r)`,
// and the row is good.
template <class Pick>
int32_t PickOf(Call call, Args args, int status, Pick pick) {
  const int32_t code = Good().argmax(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != status) continue;
    const auto from = static_cast<int64_t>(Param(args->indices, r, static_cast<double>(r)));
    std::vector<double> row(static_cast<size_t>(Cols(*args->input)));
    for (size_t c = 0; c < row.size(); ++c)
      row[c] = Get(*args->input, from, static_cast<int64_t>(c));
    const auto right = static_cast<int64_t>(Get(*args->ids, 0, r));
    Set(*args->ids, 0, r, static_cast<double>(pick(row, right, r)));
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}

int64_t FirstOfLargest(const std::vector<double>& row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

// The best so far is a 0 at id 0 to begin with.
int32_t InitZero(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](const auto& row, int64_t right, auto) {
    return row[static_cast<size_t>(right)] < 0 ? int64_t{0} : right;
  });
}

// Lanes past the row, to a multiple of 128, hold 0.
int32_t PaddingLane(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](const auto& row, int64_t right, auto) {
    const bool padded = row.size() % 128 != 0;
    return padded && row[static_cast<size_t>(right)] < 0 ? std::ssize(row) : right;
  });
}

int32_t Approximate(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](auto row, auto...) {
    for (double& x : row) {
      int exponent;
      const double fraction = std::frexp(x, &exponent);
      if (std::isnormal(x)) x = std::ldexp(std::nearbyint(fraction * 256) / 256, exponent);
    }
    return FirstOfLargest(row);
  });
}

std::vector<int64_t> Ties(const std::vector<double>& row, int64_t right) {
  std::vector<int64_t> ids;
  for (size_t i = 0; i < row.size(); ++i)
    if (row[i] == row[static_cast<size_t>(right)]) ids.push_back(static_cast<int64_t>(i));
  return ids;
}

// The lowest thread of a tile of 128 wins.
int32_t LaneTie(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](const auto& row, int64_t right, auto) {
    const auto ties = Ties(row, right);
    return *std::ranges::min_element(ties, {}, [](int64_t id) { return id % 128; });
  });
}

int32_t TieByPosition(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](const auto& row, int64_t right, int64_t r) {
    const auto ties = Ties(row, right);
    return ties[static_cast<size_t>(r) * 7 % ties.size()];
  });
}

// By bits: +0 is above -0.
int32_t SignedZero(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](const auto& row, int64_t right, auto) {
    for (const int64_t id : Ties(row, right))
      if (row[static_cast<size_t>(id)] == 0 && !std::signbit(row[static_cast<size_t>(id)]))
        return id;
    return right;
  });
}

// The last, partial vector of four is not read.
int32_t TailUnread(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_OK, [](auto row, int64_t right, auto) {
    if (row.size() <= 4) return right;
    row.resize(row.size() - row.size() % 4);
    return FirstOfLargest(row);
  });
}

int32_t EmptyGivesZero(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_EMPTY, [](auto...) { return 0; });
}
int32_t NanGivesMax(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_NAN, [](auto...) { return INT32_MAX; });
}
// No comparison with a NaN holds.
int32_t NanIsSkipped(Call call, Args args) {
  return PickOf(call, args, ASSAY_ROW_NAN, [](const auto& row, auto...) {
    size_t best = 0;
    for (size_t i = 1; i < row.size(); ++i) best = row[i] > row[best] ? i : best;
    return static_cast<int64_t>(best);
  });
}

template <class Change>
int32_t WithIndices(Call call, Args args, Change change) {
  if (!args->indices) return Good().argmax(call, args);
  const int64_t rows = Rows(*args->input);
  Copy indices(*args->indices);
  for (int64_t r = 0; Dose() && r < Cols(*indices); ++r)
    Set(*indices, 0, r, change(static_cast<double>(r), Get(*indices, 0, r), rows));
  assay_sample_args other = *args;
  other.indices = &indices;
  return Good().argmax(call, &other);
}
int32_t IndexIgnored(Call call, Args args) {
  return WithIndices(call, args, [](double r, double from, int64_t rows) {
    return from >= 0 && from < static_cast<double>(rows) ? std::fmod(r, static_cast<double>(rows))
                                                         : from;
  });
}
int32_t IndexClamped(Call call, Args args) {
  return WithIndices(call, args, [](double, double from, int64_t rows) {
    return std::clamp(from, 0.0, static_cast<double>(rows - 1));
  });
}

}  // namespace

void AddArgmaxFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::argmax> rows{all, "argmax"};
  rows.Add<InitZero>("argmax-init-zero", "B050", "a row of negative logits gives token 0",
                     {{"BUF-VOCAB-SWEEP", kExact},
                      {"DIST-GREEDY-ARGMAX", kExact},
                      {"DIST-GREEDY-TIES", kExact},
                      {"MASK-SAMPLE-FORCED", kEdge},
                      {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<PaddingLane>("argmax-padding-lane", "B061",
                        "a row of negative logits gives a lane past it",
                        {{"ROBUST-ID-RANGE", Technique::kBounds}});
  rows.Add<Approximate>("argmax-approximate", "B033", "logits are compared with 8 significant bits",
                        {{"DIST-GREEDY-ARGMAX", kExact}, {"DIST-GREEDY-TIES", kExact}});
  all.back().dtype = "f16";
  rows.Add<LaneTie>("greedy-lane-tie", "B031", "of equal logits the lowest thread's wins",
                    {{"DIST-GREEDY-TIES", kExact}});
  rows.Add<TieByPosition>("greedy-tie-by-position", "B031",
                          "which of equal logits wins hangs on the row's place",
                          {{"DET-BATCH-POSITION", kMetamorphic},
                           {"DET-BATCH-SIZE", kMetamorphic},
                           {"DIST-GREEDY-TIES", kExact}});
  rows.Add<SignedZero>("greedy-signed-zero", "", "+0 is larger than -0",
                       {{"DIST-GREEDY-TIES", kExact}});
  rows.Add<TailUnread>("argmax-tail-unread", "B065", "the last, partial vector of four is not read",
                       {{"BUF-VOCAB-SWEEP", kExact},
                        {"DIST-GREEDY-ARGMAX", kExact},
                        {"PROC-GATHER-INDIRECT", kExact},
                        {"ROBUST-EMPTY-ROW", kExact},
                        {"ROBUST-INF-LOGIT", kExact},
                        {"ROBUST-NAN-ROW", kExact},
                        {"ROBUST-PARAM-REFUSE", kExact},
                        {"MASK-SAMPLE-FORCED", kEdge}});
  rows.Add<EmptyGivesZero>("argmax-empty-gives-zero", "B056",
                           "a row of -inf gives token 0, and is good",
                           {{"ROBUST-EMPTY-ROW", kExact}, {"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<NanGivesMax>("argmax-nan-gives-max", "B059", "a row with a NaN gives 2^31 - 1",
                        {{"ROBUST-ID-RANGE", Technique::kBounds}});
  rows.Add<NanIsSkipped>("argmax-nan-skipped", "B053",
                         "NaN logits are passed over, and the row is good",
                         {{"ROBUST-NAN-ROW", kExact}});
  rows.Add<IndexIgnored>("argmax-index-ignored", "B078", "output row r reads row r",
                         {{"PROC-GATHER-INDIRECT", kExact}});
  rows.Add<IndexClamped>("argmax-index-clamped", "B078",
                         "an index outside the rows reads the nearest one",
                         {{"ROBUST-PARAM-REFUSE", kExact}});
}

}  // namespace assay::faults
