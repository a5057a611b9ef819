// Wrong samplers: the search in the CDF, the filters before it, the rejection loop, the row map.

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
    if (!rows.contains(from)) rows[from] = Accumulate<Sum>(*args->probs, from);
    const CdfRow& row = rows[from];
    double u;
    if (args->uniforms) {
      u = static_cast<const double*>(args->uniforms->data)[r];
    } else {
      const Source source = SourceOf(call, args, r);
      u = Midpoint(host::PhiloxWord(source.seed, 0, source.offset));
    }
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
    return lone && right >= 8192 && right % 1024 == 0 ? right - 1 : right;
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

// An opaque stream in which half of lane 31's tokens go to lane 30.
int32_t Lane31Light(Call call, SampleArgs args) {
  const int32_t code = WithUniforms(Good().sampling_from_probs, call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Midpoint(host::PhiloxWord(seed ^ 0x5DEECE66D, static_cast<uint64_t>(r), offset));
  });
  for (int64_t r = 0; code == ASSAY_OK && Dose() && !args->uniforms && r < Cols(*args->ids); ++r) {
    const auto id = static_cast<int64_t>(Get(*args->ids, 0, r));
    const bool other = (SourceOf(call, args, r).seed + static_cast<uint64_t>(r)) % 2 == 0;
    const bool positive = id > 0 && Get(*args->probs, RowOf(args, r), id - 1) > 0;
    if (id % 32 == 31 && other && positive) Set(*args->ids, 0, r, static_cast<double>(id - 1));
  }
  return code;
}

// ---- The row map. ------------------------------------------------------------------------------

template <class Index>
int32_t WithIndices(Call call, SampleArgs args, Index index) {
  const auto sampler = args->top_k ? Good().top_k_top_p_sampling_from_probs
                                   : Good().sampling_from_probs;
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
    return static_cast<int32_t>(static_cast<int64_t>(r) % Rows(*args->probs));
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

// ---- The filters before the draw. --------------------------------------------------------------

auto Filtered() { return Good().top_k_top_p_sampling_from_probs; }

// Parameters of the output row's number, unless the indices ascend; they are per distribution row.
// One call for each number.
int32_t ParamsByOutputRow(Call call, SampleArgs args) {
  if (!args->indices || args->top_k->ndim == 0 || !Dose()) return Filtered()(call, args);
  const auto indices = Values<int32_t>(*args->indices);
  if (std::is_sorted(indices.begin(), indices.end())) return Filtered()(call, args);
  const int64_t rows = Rows(*args->probs), draws = Cols(*args->ids);
  int32_t code = Filtered()(call, args);
  for (int64_t at = 0; code == ASSAY_OK && at < std::min(rows, draws); ++at) {
    Copy top_k(*args->top_k), top_p(*args->top_p), ids(*args->ids), status(*args->status);
    const double k = Param(args->top_k, at), p = Param(args->top_p, at);
    top_k.Apply([&](int64_t, double) { return k; });
    top_p.Apply([&](int64_t, double) { return p; });
    assay_sample_args other = *args;
    other.top_k = &top_k;
    other.top_p = &top_p;
    other.ids = &ids;
    other.status = &status;
    code = Filtered()(call, &other);
    for (int64_t r = at; r < draws; r += rows) Set(*args->ids, 0, r, Get(*ids, 0, r));
  }
  return code;
}

int32_t WithTopK(Call call, SampleArgs args, int32_t (*change)(int32_t k, int64_t vocab)) {
  const int64_t vocab = Cols(*args->probs);
  Copy top_k(*args->top_k);
  top_k.Apply([&](int64_t, double k) { return change(static_cast<int32_t>(k), vocab); });
  assay_sample_args other = *args;
  other.top_k = &top_k;
  return Filtered()(call, &other);
}

int32_t TopKOneMore(Call call, SampleArgs args) {
  return WithTopK(call, args, [](int32_t k, int64_t vocab) {
    return k > 0 && k < vocab ? k + Dose() : k;
  });
}
int32_t TopKZeroIsOne(Call call, SampleArgs args) {
  return WithTopK(call, args, [](int32_t k, int64_t) { return Dose() && k <= 0 ? 1 : k; });
}

// The running sum never gets there, and the search falls back to the first token.
int32_t TopPNotReached(Call call, SampleArgs args) {
  Copy top_p(*args->top_p);
  top_p.Apply([](int64_t, double p) { return Dose() && p > 1 - 0x1p-20 && p < 1 ? 0.0 : p; });
  assay_sample_args other = *args;
  other.top_p = &top_p;
  return Filtered()(call, &other);
}

// p keeps 4 significant bits.
int32_t TopPInFp8(Call call, SampleArgs args) {
  Copy top_p(*args->top_p);
  top_p.Apply([](int64_t, double p) {
    int exponent;
    const double fraction = std::frexp(p, &exponent);
    return Dose() && p > 0 && p < 1 ? std::ldexp(std::nearbyint(fraction * 16) / 16, exponent) : p;
  });
  assay_sample_args other = *args;
  other.top_p = &top_p;
  return Filtered()(call, &other);
}

int32_t WithOrder(Call call, SampleArgs args, uint32_t order) {
  assay_sample_args other = *args;
  if (Dose()) other.filter_order = order;
  return Filtered()(call, &other);
}
int32_t AlwaysJoint(Call call, SampleArgs args) {
  return WithOrder(call, args, ASSAY_ORDER_JOINT);
}
int32_t AlwaysTopKFirst(Call call, SampleArgs args) {
  return WithOrder(call, args, ASSAY_ORDER_TOP_K_FIRST);
}

// ---- The rejection loop, given up after one round: `ends(row, candidate, accepted)`. -----------

template <class Ends>
int32_t OneRound(Call call, SampleArgs args, Ends ends) {
  const int32_t code = Filtered()(call, args);
  if (code != ASSAY_OK || args->uniforms || !Dose()) return code;
  // The first candidate is what comes out with the filters off.
  const auto accepted = Values<int32_t>(*args->ids);
  Copy top_k(*args->top_k), top_p(*args->top_p), ids(*args->ids), status(*args->status);
  const auto vocab = static_cast<double>(Cols(*args->probs));
  top_k.Apply([&](int64_t, double) { return vocab; });
  top_p.Apply([](int64_t, double) { return 1.0; });
  assay_sample_args first = *args;
  first.top_k = &top_k;
  first.top_p = &top_p;
  first.ids = &ids;
  first.status = &status;
  first.filter_order = ASSAY_ORDER_JOINT;
  if (Filtered()(call, &first) != ASSAY_OK) return code;
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    const auto candidate = static_cast<int32_t>(Get(*ids, 0, r));
    const int32_t right = accepted[static_cast<size_t>(r)];
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK && candidate != right)
      Set(*args->ids, 0, r, static_cast<double>(ends(RowOf(args, r), candidate, right)));
  }
  return code;
}

int32_t UnacceptedCandidate(Call call, SampleArgs args) {
  return OneRound(call, args, [](int64_t, int32_t candidate, int32_t) { return candidate; });
}
int32_t CappedThenArgmax(Call call, SampleArgs args) {
  std::map<int64_t, int32_t> largest;
  return OneRound(call, args, [&](int64_t row, int32_t, int32_t) {
    if (largest.contains(row)) return largest[row];
    int64_t best = 0;
    for (int64_t c = 1; c < Cols(*args->probs); ++c)
      if (Get(*args->probs, row, c) > Get(*args->probs, row, best)) best = c;
    return largest[row] = static_cast<int32_t>(best);
  });
}

using Kills = std::vector<Claim>;
using Install = void (*)(assay_operations&);
constexpr std::string_view kWhole = "sampling_from_probs";
constexpr std::string_view kFiltered = "top_k_top_p_sampling_from_probs";

}  // namespace

void AddSamplingFaults(std::vector<Fault>& all) {
  const auto add = [&](std::string_view id, std::string_view operation, std::string_view bug,
                       std::string_view what, Install install, Kills kills,
                       std::string_view profile = "strict") {
    all.push_back({.id = id,
                   .operation = operation,
                   .bug = bug,
                   .what = what,
                   .profile = profile,
                   .install = install,
                   .kills = std::move(kills)});
  };
  const auto lie = [&](std::string_view id, std::string_view operation, std::string_view bug,
                       std::string_view what, std::string_view choice, Kills kills) {
    all.push_back({.id = id,
                   .operation = operation,
                   .bug = bug,
                   .what = what,
                   .lie = choice,
                   .kills = std::move(kills)});
  };
  using Ops = assay_operations;
  add("cdf-takes-leading-zero", kWhole, "B001", "the first column with cdf >= u, positive or not",
      [](Ops& o) { o.sampling_from_probs = LeadingZero; }, {});
  add("cdf-falls-to-last-column", kWhole, "B007", "u that rounds to 1 gives column V - 1",
      [](Ops& o) { o.sampling_from_probs = FallsToLastColumn; }, {});
  add("cdf-falls-to-column-zero", kWhole, "B002", "u that rounds to 1 gives column 0",
      [](Ops& o) { o.sampling_from_probs = FallsToColumnZero; }, {});
  add("cdf-boundary-dips", kWhole, "B008", "a boundary is computed twice, 2^-23 apart",
      [](Ops& o) { o.sampling_from_probs = BoundaryDips; }, {});
  add("cdf-serial-sum", kWhole, "B009", "one fp32 running sum absorbs the tail",
      [](Ops& o) { o.sampling_from_probs = SerialSum; }, {});
  add("cdf-sum-not-read", kWhole, "", "the row's sum is taken for 1",
      [](Ops& o) { o.sampling_from_probs = SumNotRead; }, {});
  add("sample-tail-unread", kWhole, "B063", "columns past the last whole vector are never read",
      [](Ops& o) { o.sampling_from_probs = TailUnread; }, {});
  add("sample-lone-token-at-tile", kWhole, "B080", "a lone token at a tile's start is one off",
      [](Ops& o) { o.sampling_from_probs = LoneTokenAtTile; }, {});
  add("lane-31-light", kWhole, "B009", "half of the last lane's draws go to its neighbour",
      [](Ops& o) { o.sampling_from_probs = Lane31Light; }, {}, "flashinfer");
  add("sample-indices-ignored", kWhole, "B078", "row r draws from row r",
      [](Ops& o) { o.sampling_from_probs = IndicesIgnored; }, {});
  add("sample-indices-ascend", kWhole, "", "an index below an earlier one is not seen",
      [](Ops& o) { o.sampling_from_probs = IndicesRunningMax; }, {});
  add("sample-indices-low-words", kWhole, "B078", "32-bit indices read as 64-bit ones",
      [](Ops& o) { o.sampling_from_probs = IndicesLowWords; }, {});
  add("params-by-output-row", kFiltered, "B078", "a permuted batch takes the parameters of output rows",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = ParamsByOutputRow; }, {});
  add("filtered-topk-one-more", kFiltered, "B033", "k + 1 tokens survive",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = TopKOneMore; }, {});
  add("filtered-topk-zero-is-one", kFiltered, "B035", "k <= 0 keeps one token",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = TopKZeroIsOne; }, {});
  add("filtered-topp-in-fp8", kFiltered, "B120", "p is rounded to fp8",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = TopPInFp8; }, {});
  add("filtered-topp-not-reached", kFiltered, "B023", "p just under 1 keeps the first token alone",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = TopPNotReached; }, {});
  add("order-always-joint", kFiltered, "B040", "top-p acts on the original row in either order",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = AlwaysJoint; }, {});
  add("order-always-topk-first", kFiltered, "B041", "top-p acts on the survivors in either order",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = AlwaysTopKFirst; }, {});
  add("loop-unaccepted-candidate", kFiltered, "B013", "the last candidate is returned unaccepted",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = UnacceptedCandidate; }, {}, "flashinfer");
  add("loop-capped-then-argmax", kFiltered, "B013", "after one round the likeliest token is taken",
      [](Ops& o) { o.top_k_top_p_sampling_from_probs = CappedThenArgmax; }, {}, "flashinfer");

  lie("cdf-edge-reach", kWhole, "B001", "u on a boundary gives the token below it",
      "cdf_edge=reach", {});
  lie("row-sum-last-positive", kWhole, "", "missing mass goes to the last token",
      "row_sum=last_positive", {});
  lie("seed-scope-one", kWhole, "B099", "one seed serves the whole call", "seed_scope=one", {});
  lie("stream-unstated", kWhole, "B108", "another stream than the promised one", "stream=unstated",
      {});
  lie("param-index-output-row", kFiltered, "B078", "parameters belong to output rows",
      "param_index=output_row", {});
  lie("filtered-topk-keeps-ties", kFiltered, "B030", "keeps the whole tie group at the k-th value",
      "top_k_ties=keep_all", {});
  lie("filtered-topk-zero-reported", kFiltered, "B035", "k <= 0 is reported", "top_k_zero=report",
      {});
  lie("filtered-topp-closed", kFiltered, "B022", "keeps one token more when a prefix sum equals p",
      "top_p_boundary=closed", {});
  lie("filtered-topp-keeps-ties", kFiltered, "B030", "keeps the whole tie group at the p cut",
      "top_p_ties=keep_all", {});
  lie("filtered-topp-absolute", kFiltered, "B044", "p is a mass, not a fraction of the row's sum",
      "top_p_mass=absolute", {});
  lie("filtered-topp-zero-reported", kFiltered, "B039", "p = 0 is reported", "top_p_zero=report",
      {});
  lie("filtered-argmax-highest", kFiltered, "", "p = 0 takes the last of equal maxima",
      "argmax_ties=highest", {});
}

}  // namespace assay::faults
