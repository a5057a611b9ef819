#include "tools/bench_tasks.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace assay {
namespace {

constexpr double kDeviation = 2.5;  // of the logits
constexpr int kTopK = 50;
constexpr double kTopP = 0.9;
constexpr int64_t kDrafts = 3;
constexpr double kDraftDeviation = 0.5;  // of a draft's logits from the target's: 4 in 5 accepted

// Normal logits, their exponentials, and those of logits near them. A row is a stretch of the list
// that starts somewhere.
constexpr size_t kList = 1 << 20;
struct List {
  std::vector<float> logits;
  std::vector<double> weights, draft_weights;
};
const List& Numbered() {
  static const List list = [] {
    List made;
    std::mt19937_64 generator(1);
    std::normal_distribution<float> normal(0, kDeviation);
    std::normal_distribution<double> apart(0, kDraftDeviation);
    for (size_t i = 0; i < kList; ++i) {
      made.logits.push_back(normal(generator));
      made.weights.push_back(std::exp(static_cast<double>(made.logits.back())));
    }
    for (const double weight : made.weights)
      made.draft_weights.push_back(weight * std::exp(apart(generator)));
    return made;
  }();
  return list;
}

// entry(at, sum) of each token; sum: of the row's weights.
template <typename Entry>
Tensor RowsOf(int64_t rows, int64_t vocab, uint64_t seed, const std::vector<double>& weights,
              Entry entry) {
  std::mt19937_64 generator(seed);
  Tensor made = Tensor::Matrix(DType::kF32, rows, vocab);
  for (int64_t r = 0; r < rows; ++r) {
    const auto start = static_cast<size_t>(generator() % kList);
    const auto at = [&](int64_t i) { return (start + static_cast<size_t>(i)) % kList; };
    double sum = 0;
    for (int64_t i = 0; i < vocab; ++i) sum += weights[at(i)];
    for (int64_t i = 0; i < vocab; ++i)
      made.SetBits(r, i, std::bit_cast<uint32_t>(entry(at(i), sum)));
  }
  return made;
}

Tensor LogitsOf(int64_t rows, int64_t vocab, uint64_t seed) {
  const List& list = Numbered();
  return RowsOf(rows, vocab, seed, list.weights,
                [&](size_t at, double) { return list.logits[at]; });
}
Tensor ProbsOf(int64_t rows, int64_t vocab, uint64_t seed, const std::vector<double>& weights) {
  return RowsOf(rows, vocab, seed, weights,
                [&](size_t at, double sum) { return static_cast<float>(weights[at] / sum); });
}
Tensor ProbsOf(int64_t rows, int64_t vocab, uint64_t seed) {
  return ProbsOf(rows, vocab, seed, Numbered().weights);
}

Tensor Floats(int64_t count, double value) {
  Tensor made = Tensor::Vector(DType::kF32, count);
  for (int64_t i = 0; i < count; ++i) made.Set(0, i, value);
  return made;
}
Tensor Integers(DType dtype, int64_t count, int64_t value) {
  Tensor made = Tensor::Vector(dtype, count);
  for (int64_t i = 0; i < count; ++i) made.SetInt(i, value);
  return made;
}

void AddFilters(int64_t rows, bool top_k, bool top_p, Tensors& tensors) {
  if (top_k) tensors["top_k"] = Integers(DType::kI32, rows, kTopK);
  if (top_p) tensors["top_p"] = Floats(rows, kTopP);
}

template <bool kLogits, bool kTopKs, bool kTopPs>
void Filter(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers& numbers) {
  tensors["input"] = kLogits ? LogitsOf(rows, vocab, seed) : ProbsOf(rows, vocab, seed);
  if (kTopKs && kTopPs) numbers["filter_order"] = ASSAY_ORDER_TOP_K_FIRST;
  AddFilters(rows, kTopKs, kTopPs, tensors);
  tensors["output"] = Tensor::Matrix(DType::kF32, rows, vocab);
  tensors["status"] = Tensor::Vector(DType::kU8, rows);
}

void AddStream(int64_t rows, uint64_t seed, Tensors& tensors) {
  tensors["seed"] = Integers(DType::kI64, rows, static_cast<int64_t>(seed));
  tensors["offset"] = Integers(DType::kI64, rows, 0);
  for (int64_t r = 0; r < rows; ++r) tensors["offset"].SetInt(r, r);
}

template <bool kLogits, bool kTopKs, bool kTopPs>
void Sample(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers& numbers) {
  tensors[kLogits ? "logits" : "probs"] =
      kLogits ? LogitsOf(rows, vocab, seed) : ProbsOf(rows, vocab, seed);
  if (kTopKs && kTopPs) numbers["filter_order"] = ASSAY_ORDER_JOINT;
  AddFilters(rows, kTopKs, kTopPs, tensors);
  AddStream(rows, seed, tensors);
  tensors["ids"] = Tensor::Vector(DType::kI32, rows);
  tensors["status"] = Tensor::Vector(DType::kU8, rows);
}

double UniformOf(std::mt19937_64& generator) {
  return std::ldexp(static_cast<double>(generator() >> 11), -53);
}

// `requests` of a root and kDrafts drafts each.
void AddRequests(int64_t requests, int64_t vocab, uint64_t seed, Tensors& tensors) {
  Tensor offsets = Tensor::Vector(DType::kI32, requests + 1);
  for (int64_t b = 0; b <= requests; ++b) offsets.SetInt(b, b * (kDrafts + 1));
  tensors["row_offsets"] = offsets;
  tensors["target"] = ProbsOf(requests * (kDrafts + 1), vocab, seed);
  tensors["accept_count"] = Tensor::Vector(DType::kI32, requests);
  tensors["status"] = Tensor::Vector(DType::kU8, requests);
}

void TargetOnly(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers&) {
  AddRequests(rows, vocab, seed, tensors);
  const int64_t all = rows * (kDrafts + 1);
  std::mt19937_64 generator(seed);
  Tensor ids = Tensor::Vector(DType::kI32, all), coins = Tensor::Vector(DType::kF64, all);
  Tensor last = Tensor::Vector(DType::kF64, rows);
  for (int64_t i = 0; i < all; ++i) {
    ids.SetInt(i, static_cast<int64_t>(generator() % static_cast<uint64_t>(vocab)));
    coins.Set(0, i, UniformOf(generator) * 1e-6);  // about half of the drafts are accepted
  }
  for (int64_t b = 0; b < rows; ++b) last.Set(0, b, UniformOf(generator));
  tensors["candidates"] = ids;
  tensors["coins"] = coins;
  tensors["final_coins"] = last;
  for (const char* name : {"threshold_single", "threshold_acc"}) {
    Tensor one = Tensor::Scalar(DType::kF32);
    one.Set(0, 0, 1);
    tensors[name] = one;
  }
  tensors["predicts"] = Tensor::Vector(DType::kI32, all);
  tensors["accept_index"] = Tensor::Matrix(DType::kI32, rows, kDrafts + 1);
}

// Drafts are drawn from the draft rows.
void ByRatio(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers&) {
  AddRequests(rows, vocab, seed, tensors);
  AddStream(rows, seed, tensors);
  const int64_t all = rows * (kDrafts + 1);
  std::mt19937_64 generator(seed);
  const Tensor draft = ProbsOf(all, vocab, seed, Numbered().draft_weights);
  Tensor ids = Tensor::Vector(DType::kI32, all);
  for (int64_t i = 1; i < all; ++i) {
    double left = UniformOf(generator);
    int64_t id = 0;
    while (id + 1 < vocab && (left -= draft.Get(i - 1, id)) >= 0) ++id;
    ids.SetInt(i, id);
  }
  tensors["candidates"] = ids;
  tensors["draft"] = draft;
  tensors["emitted"] = Tensor::Matrix(DType::kI32, rows, kDrafts + 1);
  tensors["accept_metric"] = Tensor::Vector(DType::kI32, rows);
}

// kMasked of 1,000 tokens are forbidden, at random; logits are not read, so that any will do.
template <int kMasked>
void Mask(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers& numbers) {
  std::mt19937_64 generator(seed);
  const int64_t words = (vocab + 31) / 32;
  Tensor mask = Tensor::Matrix(DType::kI32, rows, words);
  std::vector<uint32_t> list(1 << 16, 0);  // a row is a stretch of it
  for (uint32_t& word : list)
    for (int bit = 0; bit < 32; ++bit)
      word |= static_cast<uint32_t>(generator() % 1000 >= kMasked) << bit;
  for (int64_t r = 0; r < rows; ++r) {
    const uint64_t start = generator();
    for (int64_t i = 0; i < words; ++i)
      mask.SetBits(r, i, list[(start + static_cast<uint64_t>(i)) % list.size()]);
  }
  tensors["bitmask"] = mask;
  tensors["logits"] = Tensor::Matrix(DType::kF32, rows, vocab);
  numbers["vocab"] = vocab;
}

// What moves of a mask's call, by sectors of 32 bytes: the mask; a sector of which all is forbidden
// is written, one of which some is, read and written.
constexpr double ToTheEighth(double x) { return x * x * x * x * x * x * x * x; }
constexpr double MaskReads(double masked) {
  return 1.0 / 32 + 1 - ToTheEighth(masked) - ToTheEighth(1 - masked);
}
constexpr double MaskWrites(double masked) { return 1 - ToTheEighth(1 - masked); }
template <int kMasked>
constexpr BenchTask MaskTask(std::string_view what) {
  return {"apply_token_bitmask", what, MaskReads(kMasked / 1e3), MaskWrites(kMasked / 1e3),
          Mask<kMasked>};
}

constexpr BenchTask kTasks[] = {
    {"softmax", "softmax", 1, 1, Filter<true, false, false>},
    {"top_k_renorm_probs", "top-k 50", 1, 1, Filter<false, true, false>},
    {"top_p_renorm_probs", "top-p 0.9", 1, 1, Filter<false, false, true>},
    {"top_k_top_p_renorm_probs", "top-k 50, then top-p 0.9", 1, 1, Filter<false, true, true>},
    {"sampling_from_probs", "draw", 1, 0, Sample<false, false, false>},
    {"top_k_top_p_sampling_from_probs", "top-k 50 and top-p 0.9, draw", 1, 0,
     Sample<false, true, true>},
    {"sampling_from_logits", "noise race", 1, 0, Sample<true, false, false>},
    {"chain_speculative_sampling_target_only", "4 rows a request, one read", 1, 0, TargetOnly},
    {"chain_speculative_sampling", "4 rows a request, one read, in half of them of the draft too",
     1.5, 0, ByRatio},
    MaskTask<0>("0 % masked"),
    MaskTask<1>("0.1 % masked"),
    MaskTask<500>("50 % masked"),
    MaskTask<999>("99.9 % masked"),
    MaskTask<1000>("100 % masked")};

}  // namespace

std::span<const BenchTask> BenchTasks() { return kTasks; }

}  // namespace assay
