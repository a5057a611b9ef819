// Wrong samplers: the search in the CDF, and the map from draws to rows.

#include <cmath>
#include <map>

#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

// ---- The search in the CDF. --------------------------------------------------------------------

// A distribution row; `through[c]` is the mass up to and with column c.
struct CdfRow {
  std::vector<double> weight, through;
  double total() const { return through.back(); }
  // The first column whose mass reaches `target` (exceeds it unless `reach`), or the width.
  int64_t Find(double target, bool reach) const {
    const auto begin = through.begin(), end = through.end();
    return (reach ? std::lower_bound(begin, end, target) : std::upper_bound(begin, end, target)) -
           begin;
  }
};

template <class Sum>
CdfRow Accumulate(const DLTensor& probs, int64_t row) {
  CdfRow made;
  Sum sum = 0;
  for (int64_t c = 0; c < Cols(probs); ++c) {
    made.weight.push_back(std::max(Get(probs, row, c), 0.0));
    sum += static_cast<Sum>(made.weight.back());
    made.through.push_back(static_cast<double>(sum));
  }
  return made;
}

// host, then another choice `pick(row, u, right)` for every good row. Rows are summed as `Sum`.
template <class Sum, class Pick>
int32_t Repick(Call call, SampleArgs args, Pick pick) {
  const int32_t code = Good().sampling_from_probs(call, args);
  std::map<int64_t, CdfRow> rows;
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const int64_t from = RowOf(args, r);
    if (rows.size() > 16) rows.clear();
    if (!rows.contains(from)) rows[from] = Accumulate<Sum>(*args->input, from);
    const CdfRow& row = rows[from];
    const double u = UniformOf(call, args, r);
    const auto right = static_cast<int64_t>(Get(*args->ids, 0, r));
    Set(*args->ids, 0, r, static_cast<double>(pick(row, u, right)));
  }
  return code;
}

int64_t Width(const CdfRow& row) { return static_cast<int64_t>(row.weight.size()); }

int32_t LeadingZero(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t) {
    return std::min(row.Find(u * row.total(), true), Width(row) - 1);
  });
}

bool RoundsToOne(double u) { return static_cast<float>(u) == 1.0f; }
int32_t FallsToLastColumn(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t right) {
    return RoundsToOne(u) ? Width(row) - 1 : right;
  });
}
int32_t FallsToColumnZero(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow&, double u, int64_t right) {
    return RoundsToOne(u) ? 0 : right;
  });
}

int32_t OneGivesLastButOne(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t right) {
    int64_t before = u == 1 ? right - 1 : -1;
    while (before >= 0 && row.weight[static_cast<size_t>(before)] == 0) --before;
    return before < 0 ? right : before;
  });
}

// A boundary that is computed twice, 2^-23 apart: just above it comes the token below once more.
int32_t BoundaryDips(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t right) {
    const int64_t below = row.Find((u - 0x1p-23) * row.total(), false);
    const bool at_boundary = row.Find(u * row.total(), true) < right;
    return at_boundary || u < 0x1p-23 || below > right ? right : below;
  });
}

int32_t SerialSum(Call call, SampleArgs args) {
  return Repick<float>(call, args, [](const CdfRow& row, double u, int64_t right) {
    const int64_t found = row.Find(u * row.total(), false);
    return found < Width(row) ? found : right;
  });
}

int32_t TailUnread(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t right) {
    const int64_t width = Width(row) - Width(row) % 4;
    if (width == 0 || row.through[static_cast<size_t>(width - 1)] == 0) return right;
    const double total = row.through[static_cast<size_t>(width - 1)];
    int64_t found = std::min(row.Find(u * total, false), width - 1);
    while (row.weight[static_cast<size_t>(found)] == 0) --found;
    return found;
  });
}

// A lone token at the first place of a tile is looked for in the tile before.
int32_t LoneTokenAtTile(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double, int64_t right) {
    const bool lone = row.weight[static_cast<size_t>(right)] == row.total();
    const bool edge = right > 0 && right % 4096 == 0;
    return lone && edge ? right - 1 : right;
  });
}

int32_t SumNotRead(Call call, SampleArgs args) {
  return Repick<double>(call, args, [](const CdfRow& row, double u, int64_t right) {
    const int64_t found = row.Find(u, false);
    if (found < Width(row)) return found;
    const int64_t last = row.Find(row.total(), true);
    return right > last ? right : last;
  });
}

// The halves of a long row get 2 in 1,000 more and less than their mass.
int32_t HalvesSkewed(Call call, SampleArgs args) {
  constexpr int64_t kLong = 4096;
  const double skew = DoseOr(2) * 1e-3;
  return Repick<double>(call, args, [&](const CdfRow& row, double u, int64_t right) {
    if (Width(row) < kLong) return right;
    const double low = row.through[static_cast<size_t>(Width(row) / 2 - 1)];
    const double low_made = low * (1 + skew), high_made = (row.total() - low) * (1 - skew);
    const double at = u * (low_made + high_made);
    const double target = at < low_made ? at / (1 + skew) : low + (at - low_made) / (1 - skew);
    const int64_t found = row.Find(target, false);
    return found < Width(row) ? found : right;
  });
}

// host's tokens from a stream that is not the promised one.
int32_t FromOpaque(Call call, SampleArgs args, uint64_t stream) {
  return WithUniforms(Good().sampling_from_probs, call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Midpoint(host::PhiloxWord(seed ^ stream, static_cast<uint64_t>(r), offset));
  });
}

// An opaque stream in which half of lane 31's tokens, or as many in 100 as the dose says, are drawn
// once more.
int32_t Lane31Light(Call call, SampleArgs args) {
  const int32_t code = FromOpaque(call, args, 0x5DEECE66D);
  if (code != ASSAY_OK || args->uniforms || !Dose()) return code;
  Copy again(*args->ids), status(*args->status);
  assay_sample_args other = *args;
  other.ids = &again;
  other.status = &status;
  FromOpaque(call, &other, 0xB5026F5AA);
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    const auto id = static_cast<int64_t>(Get(*args->ids, 0, r));
    const uint64_t lot = (SourceOf(call, args, r).seed + static_cast<uint64_t>(r)) % 100;
    if (id % 32 == 31 && lot < static_cast<uint64_t>(DoseOr(50)))
      Set(*args->ids, 0, r, Get(*again, 0, r));
  }
  return code;
}

// ---- The row map. ------------------------------------------------------------------------------

template <class Index>
int32_t WithIndices(Call call, SampleArgs args, Index index) {
  const auto sampler =
      args->top_k ? Good().top_k_top_p_sampling_from_probs : Good().sampling_from_probs;
  if (!args->indices || !Dose()) return sampler(call, args);
  auto rows = Values<int32_t>(*args->indices);
  const auto given = rows;
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = index(given, r);
  const Column<int32_t> column(*args->indices, std::move(rows));
  assay_sample_args other = *args;
  other.indices = &column;
  return sampler(call, &other);
}

int32_t IndicesIgnored(Call call, SampleArgs args) {
  return WithIndices(call, args, [&](const auto&, size_t r) {
    return static_cast<int32_t>(static_cast<int64_t>(r) % Rows(*args->input));
  });
}

// Indices are taken to ascend.
int32_t IndicesRunningMax(Call call, SampleArgs args) {
  int32_t largest = 0;
  return WithIndices(call, args, [&](const auto& given, size_t r) {
    return largest = std::max(largest, given[r]);
  });
}

// Indices taken for the low words of 64-bit ones; past the end they are as given.
int32_t IndicesLowWords(Call call, SampleArgs args) {
  return WithIndices(call, args, [](const auto& given, size_t r) {
    return 2 * r < given.size() ? given[2 * r] : given[r];
  });
}

}  // namespace

void AddSamplingFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_probs> rows{all, "sampling_from_probs"};
  rows.Add<LeadingZero>("cdf-takes-leading-zero", "B001",
                        "the first column with cdf >= u, positive or not",
                        {{"DIST-CDF-EDGE", kEdge},
                         {"DIST-CDF-SUPPORT", kEdge},
                         {"DIST-ROWSUM-RULE", kEdge},
                         {"MASK-SAMPLE-SUPPORT", kEdge},
                         {"MASK-SAMPLE-FORCED", kEdge}});
  rows.Add<FallsToLastColumn>("cdf-falls-to-last-column", "B007",
                              "u that rounds to 1 gives column V - 1",
                              {{"DIST-CDF-EDGE", kEdge},
                               {"DIST-CDF-HIGH", kEdge},
                               {"DIST-CDF-SUPPORT", kEdge},
                               {"DIST-ROWSUM-RULE", kEdge},
                               {"MASK-SAMPLE-SUPPORT", kEdge},
                               {"MASK-SAMPLE-FORCED", kEdge}});
  rows.Add<FallsToColumnZero>("cdf-falls-to-column-zero", "B002",
                              "u that rounds to 1 gives column 0",
                              {{"DIST-CDF-EDGE", kEdge},
                               {"DIST-CDF-HIGH", kEdge},
                               {"DIST-CDF-MONOTONE", kEdge},
                               {"DIST-CDF-SUPPORT", kEdge},
                               {"DIST-ROWSUM-RULE", kEdge},
                               {"MASK-SAMPLE-SUPPORT", kEdge},
                               {"MASK-SAMPLE-FORCED", kEdge}});
  rows.Add<OneGivesLastButOne>("cdf-one-gives-last-but-one", "B002",
                               "u = 1 gives the token before the last one",
                               {{"DIST-CDF-HIGH", kEdge}, {"DIST-CDF-MONOTONE", kEdge}});
  rows.Add<BoundaryDips>(
      "cdf-boundary-dips", "B008", "a boundary is computed twice, 2^-23 apart",
      {{"DIST-CDF-EDGE", kEdge}, {"DIST-CDF-MONOTONE", kEdge}, {"DIST-ROWSUM-RULE", kEdge}});
  rows.Add<SerialSum>("cdf-serial-sum", "B009", "one fp32 running sum absorbs the tail",
                      {{"DIST-CDF-TAIL", kMarginal},
                       {"NUM-CDF-BUDGET", kCoupling},
                       {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<SumNotRead>("cdf-sum-not-read", "", "the row's sum is taken for 1",
                       {{"DIST-ROWSUM-RULE", kEdge},
                        {"DIST-ROWSUM-RULE", kMarginal},
                        {"NUM-CDF-BUDGET", kCoupling},
                        {"MASK-SAMPLE-LAW", kCoupling},
                        {"MASK-SAMPLE-LAW", kMarginal}})
      .dtype = "";
  rows.Add<TailUnread>("sample-tail-unread", "B063",
                       "columns past the last whole vector are never read",
                       {{"BUF-VOCAB-SWEEP", kExact},
                        {"DIST-CDF-EDGE", kEdge},
                        {"DIST-CDF-HIGH", kEdge},
                        {"DIST-ROWSUM-RULE", kEdge},
                        {"NUM-CDF-BUDGET", kCoupling},
                        {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<LoneTokenAtTile>("sample-lone-token-at-tile", "B080",
                            "a lone token at a tile's start is one off",
                            {{"DIST-CDF-ONEHOT", kExact}, {"MASK-SAMPLE-FORCED", kEdge}});
  rows.Add<HalvesSkewed>("halves-skewed", "B009",
                         "the halves of a row get 2 in 1,000 more and less than their mass",
                         {{"DET-PHILOX-LAYOUT", kExact},
                          {"DIST-CDF-EDGE", kEdge},
                          {"DIST-ROWSUM-RULE", kEdge},
                          {"NUM-CDF-BUDGET", kCoupling},
                          {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<Lane31Light>("lane-31-light", "B009", "half of the last lane's draws are made again",
                        {{"DIST-LAW-GEOMETRY", kMarginal}, {"DIST-LAW-PROBS", kMarginal}},
                        "flashinfer");
  rows.Add<IndicesIgnored>("sample-indices-ignored", "B078", "row r draws from row r",
                           {{"DIST-CDF-EDGE", kEdge},
                            {"DIST-CDF-HIGH", kEdge},
                            {"DIST-CDF-MONOTONE", kEdge},
                            {"DIST-CDF-ONEHOT", kExact},
                            {"DIST-CDF-SUPPORT", kEdge},
                            {"DIST-ROWSUM-RULE", kEdge},
                            {"NUM-CDF-BUDGET", kCoupling},
                            {"PROC-GATHER-INDIRECT", kExact},
                            {"ROBUST-PARAM-REFUSE", kExact},
                            {"MASK-SAMPLE-FORCED", kEdge},
                            {"MASK-SAMPLE-LAW", kCoupling},
                            {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<IndicesRunningMax>("sample-indices-ascend", "",
                              "an index below an earlier one is not seen",
                              {{"PROC-GATHER-INDIRECT", kExact}, {"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<IndicesLowWords>("sample-indices-low-words", "B078",
                            "32-bit indices read as 64-bit ones",
                            {{"DIST-CDF-EDGE", kEdge},
                             {"DIST-CDF-HIGH", kEdge},
                             {"DIST-CDF-MONOTONE", kEdge},
                             {"DIST-CDF-ONEHOT", kExact},
                             {"DIST-CDF-SUPPORT", kEdge},
                             {"DIST-ROWSUM-RULE", kEdge},
                             {"NUM-CDF-BUDGET", kCoupling},
                             {"PROC-GATHER-INDIRECT", kExact},
                             {"ROBUST-PARAM-REFUSE", kExact},
                             {"MASK-SAMPLE-FORCED", kEdge},
                             {"MASK-SAMPLE-LAW", kCoupling},
                             {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Lie("cdf-edge-reach", "B001", "u on a boundary gives the token below it", "cdf_edge=reach",
           {{"DIST-CDF-EDGE", kEdge}, {"DIST-ROWSUM-RULE", kEdge}});
  rows.Lie("row-sum-last-positive", "", "missing mass goes to the last token",
           "row_sum=last_positive",
           {{"DIST-ROWSUM-RULE", kEdge},
            {"DIST-ROWSUM-RULE", kMarginal},
            {"NUM-CDF-BUDGET", kCoupling},
            {"MASK-SAMPLE-LAW", kCoupling},
            {"MASK-SAMPLE-LAW", kMarginal}})
      .dtype = "";
  rows.Lie("seed-scope-one", "B099", "one seed serves the whole call", "seed_scope=one",
           {{"BUF-VOCAB-SWEEP", kExact},
            {"DET-BATCH-NEIGHBOUR", kMetamorphic},
            {"DET-BATCH-POSITION", kMetamorphic},
            {"DET-BATCH-SIZE", kMetamorphic},
            {"DET-INDEP-ROWS", kIndependence},
            {"DET-INDEP-STEPS", kIndependence},
            {"DET-PHILOX-LAYOUT", kExact},
            {"DET-SEED-ROW", kExact},
            {"DIST-CDF-TAIL", kMarginal},
            {"DIST-LAW-PROBS", kMarginal},
            {"DIST-ROWSUM-RULE", kMarginal}});
  rows.Lie("stream-unstated", "B108", "another stream than the promised one", "stream=unstated",
           {{"DET-BATCH-POSITION", kMetamorphic},
            {"DET-BATCH-SIZE", kMetamorphic},
            {"DET-PHILOX-LAYOUT", kExact}});
}

}  // namespace assay::faults
