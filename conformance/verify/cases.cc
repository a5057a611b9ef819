#include "conformance/verify/cases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/verify/clauses.h"

namespace assay {
namespace {

// Purposes of CaseRandom.
constexpr uint64_t kShape = 61, kDrafts = 62, kCoins = 63, kEighths = 64, kFinals = 65;

// The n-th row of probabilities of request b.
std::vector<double> LawOf(const Case& at, int64_t request, int64_t n, const Trial& trial) {
  return ProbsRow(at, request * 64 + n, DType::kF32, trial.profile());
}

std::vector<double> HalfOfBoth(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>((a[i] + b[i]) / 2);
  return a;
}

// The row whose law a node is tested against: its parent's; -1 for one that nobody reaches.
std::vector<int32_t> ParentsOf(const VerifyRequest& request, bool tree) {
  std::vector<int32_t> parent(request.candidates.size(), -1);
  if (!tree) std::iota(parent.begin(), parent.end(), -1);
  if (!tree) return parent;
  for (size_t node = 0; node < parent.size(); ++node)
    for (int32_t child = request.next_token[node]; child >= 0;
         child = request.next_sibling[static_cast<size_t>(child)])
      parent[static_cast<size_t>(child)] = static_cast<int32_t>(node);
  return parent;
}

int32_t LargestToken(const std::vector<double>& row) {
  return static_cast<int32_t>(std::ranges::max_element(row) - row.begin());
}

// Equal siblings count twice in some profiles, and are illegal in others.
bool IsSibling(const VerifyRequest& request, const std::vector<int32_t>& parent, size_t node,
               int32_t token) {
  for (size_t other = 1; other < node; ++other)
    if (parent[other] == parent[node] && request.candidates[other] == token) return true;
  return false;
}

int32_t DraftToken(const VerifyRequest& request, size_t row, bool laws, int64_t vocab,
                   CaseRandom& random) {
  const int64_t way = random.Below(8);
  if (!laws) {
    const int32_t right = request.target_ids[row];
    return way < 6 ? right : static_cast<int32_t>(random.Below(vocab));
  }
  if (way == 0) return static_cast<int32_t>(random.Below(vocab));
  if (way < 4 || request.draft.empty()) return LargestToken(request.target[row]);
  return PositiveToken(request.draft[row], random);
}

void DrawDrafts(const Trial& trial, int64_t vocab, CaseRandom& random, VerifyRequest& request) {
  const bool laws = ReadsLaws(trial.operation()), tree = ReadsLinks(trial.operation());
  const std::vector<int32_t> parent = ParentsOf(request, tree);
  for (size_t node = 1; node < request.candidates.size(); ++node) {
    const int32_t from = parent[node];
    if (from < 0) continue;
    const int32_t row = tree ? request.node_row[static_cast<size_t>(from)] : from;
    int32_t token = DraftToken(request, static_cast<size_t>(row), laws, vocab, random);
    for (int64_t tries = 0; tree && IsSibling(request, parent, node, token) && tries < vocab;
         ++tries)
      token = static_cast<int32_t>((token + 1) % vocab);
    request.candidates[node] = token;
  }
}

}  // namespace

int64_t DraftsOf(const Case& at, int64_t request, const Trial& trial) {
  if (request == 0 || !trial.Has(ASSAY_RAGGED)) return at.drafts;
  const int64_t drafts = CaseRandom(at, request, kShape).Below(at.drafts + 1);
  return FindField(trial.operation(), "last_row") && drafts > 0 ? at.drafts : drafts;
}

int32_t PositiveToken(const std::vector<double>& row, CaseRandom& random) {
  const auto size = static_cast<int64_t>(row.size()), start = random.Below(size);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t token = (start + i) % size;
    if (row[static_cast<size_t>(token)] > 0) return static_cast<int32_t>(token);
  }
  return 0;
}

double AnyCoin(CaseRandom& random, double edge) {
  switch (random.Below(12)) {
    case 0: return 0;
    case 1: return 1 - 0x1p-24;
    case 2: return std::clamp(edge, 0.0, 1 - 0x1p-24);
    case 3: return std::clamp(edge + 0x1p-24, 0.0, 1 - 0x1p-24);
    default: return std::floor(random.Unit() * 0x1p24) * 0x1p-24;
  }
}

void LinkAtRandom(CaseRandom& random, const Trial& trial, const VerifyBatch& batch,
                  VerifyRequest& request) {
  const size_t nodes = request.candidates.size();
  request.next_token.assign(nodes, -1);
  request.next_sibling.assign(nodes, -1);
  request.node_row.resize(nodes);
  std::iota(request.node_row.begin(), request.node_row.end(), 0);
  if (trial.Has(ASSAY_NODE_ROWS) && random.Below(2) == 1)
    request.node_row = Permutation(static_cast<int64_t>(nodes), random);
  std::vector<int64_t> depth(nodes, 0), children(nodes, 0);
  for (size_t node = 1; node < nodes; ++node) {
    const auto any = static_cast<size_t>(random.Below(static_cast<int64_t>(node)));
    auto parent = static_cast<int64_t>(random.Below(3) == 0 ? node - 1 : any);
    const auto full = [&](size_t p) {
      return depth[p] + 1 >= WidthOf(batch) || children[p] >= batch.vocab;
    };
    while (parent >= 0 && full(static_cast<size_t>(parent))) --parent;
    if (parent < 0) continue;  // reached by nobody
    const auto p = static_cast<size_t>(parent);
    depth[node] = depth[p] + 1;
    ++children[p];
    int32_t* link = &request.next_token[p];
    while (*link >= 0) link = &request.next_sibling[static_cast<size_t>(*link)];
    *link = static_cast<int32_t>(node);
  }
}

VerifyRequest EmptyRequest(const Case& at, int64_t b, int64_t drafts, const Trial& trial) {
  VerifyRequest request;
  request.candidates.assign(static_cast<size_t>(drafts + 1), 0);
  request.seed = RowSeed(at, b, trial.profile());
  request.offset = RowOffset(at, b, trial.profile());
  request.counter = AddsCounters(trial) ? static_cast<int32_t>(b % 3) * 7 : -5;
  return request;
}

bool GivesCoins(const Trial& trial) {
  return FindField(trial.operation(), "coins") && NoCoins(trial.context()).empty();
}

VerifyBatch EmptyBatch(const Case& at, const Trial& trial) {
  VerifyBatch batch;
  batch.vocab = at.vocab;
  batch.width = at.drafts + 1;
  for (int64_t b = 0; b < at.rows; ++b)
    batch.requests.push_back(EmptyRequest(at, b, DraftsOf(at, b, trial), trial));
  // Prefill requests of one row come last.
  if (FindField(trial.operation(), "last_row"))
    std::ranges::stable_partition(batch.requests, [](const auto& r) { return r.rows() > 1; });
  return batch;
}

namespace {

using Law = std::vector<double> (*)(const Case&, int64_t request, int64_t n, const Trial&);

VerifyBatch MakeBatch(const Case& at, const Trial& trial, Law law) {
  VerifyBatch batch = EmptyBatch(at, trial);
  const bool laws = ReadsLaws(trial.operation());
  batch.injected = GivesCoins(trial);
  for (int64_t b = 0; b < at.rows; ++b) {
    VerifyRequest& request = batch.requests[static_cast<size_t>(b)];
    CaseRandom random(at, b, kDrafts), coins(at, b, kCoins);
    if (ReadsLinks(trial.operation())) LinkAtRandom(random, trial, batch, request);
    for (int64_t n = 0; n < request.rows(); ++n) {
      request.target_ids.push_back(static_cast<int32_t>(random.Below(at.vocab)));
      if (!laws) continue;
      request.target.push_back(law(at, b, 2 * n, trial));
      request.draft.push_back(HalfOfBoth(request.target.back(), law(at, b, 2 * n + 1, trial)));
      request.coins.push_back(AnyCoin(coins));
    }
    request.final_coin = AnyCoin(coins);
    request.temperature = b % 4 == 3 ? 0 : 1;
    request.candidates[0] = static_cast<int32_t>(random.Below(at.vocab));
    DrawDrafts(trial, at.vocab, random, request);
  }
  return batch;
}

// Eight balls in V boxes.
std::vector<double> EighthsOf(const Case& at, int64_t request, int64_t n, const Trial&) {
  CaseRandom random(at, request * 64 + n, kEighths);
  std::vector<double> row(static_cast<size_t>(at.vocab));
  for (int ball = 0; ball < 8; ++ball) row[static_cast<size_t>(random.Below(at.vocab))] += 0.125;
  return row;
}

}  // namespace

VerifyBatch RandomBatch(const Case& at, const Trial& trial) { return MakeBatch(at, trial, LawOf); }

VerifyBatch ExactBatch(const Case& at, const Trial& trial) {
  VerifyBatch batch = MakeBatch(at, trial, EighthsOf);
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    CaseRandom random(at, static_cast<int64_t>(b), kFinals);
    batch.requests[b].final_coin = static_cast<double>(2 * random.Below(16) + 1) / 32;
  }
  return batch;
}

}  // namespace assay
