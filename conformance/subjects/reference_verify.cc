// The verifiers of the subject `reference`.

#include <span>
#include <vector>

#include "conformance/subjects/reference_kit.h"
#include "reference/verify_layout.h"
#include "reference/verify_match.h"
#include "reference/verify_rejection.h"
#include "reference/verify_words.h"

namespace assay::reference {
namespace {

using Args = assay_verify_args;
using Laws = std::vector<std::vector<double>>;

std::span<const int32_t> List(const DLTensor& list, int64_t first, int64_t count) {
  return {reinterpret_cast<const int32_t*>(At(list, 0)) + first, static_cast<size_t>(count)};
}
std::span<const int32_t> Whole(const DLTensor& list) { return List(list, 0, list.shape[0]); }

// Entry i of row `row`.
void WriteInt(const DLTensor& tensor, int64_t row, int64_t i, int32_t value) {
  *reinterpret_cast<int32_t*>(const_cast<char*>(At(tensor, row, i))) = value;
}

struct Request {
  const Args& args;
  const Profile& profile;
  int64_t index, first, rows;
  int64_t width;
  Laws target, draft;

  std::span<const int32_t> Of(const DLTensor& list) const { return List(list, first, rows); }
  std::span<const int32_t> Drafts() const { return Of(*args.candidates).subspan(1); }
  ChainRequest Chain() const {
    return {.target = {target.begin(), target.end()},
            .draft = {draft.begin(), draft.empty() ? draft.end() : draft.end() - 1},
            .drafts = Drafts()};
  }
};

Laws ReadLaws(const DLTensor* rows, int64_t first, int64_t count) {
  Laws laws;
  for (int64_t r = first; rows && r < first + count; ++r) laws.push_back(ReadRow(*rows, r));
  return laws;
}

// Rows of the request.
std::vector<int32_t> LocalRows(const Request& request) {
  std::vector<int32_t> rows;
  for (const int32_t row : request.Of(*request.args.retrieve_index))
    rows.push_back(row - static_cast<int32_t>(request.first));
  return rows;
}

Tree TreeOf(const Request& request, std::span<const int32_t> rows) {
  const Args& a = request.args;
  return {.candidates = request.Of(*a.candidates),
          .next_token = request.Of(*a.next_token),
          .next_sibling = request.Of(*a.next_sibling),
          .row = rows,
          .width = request.width};
}

constexpr int64_t kAnyVocab = int64_t{1} << 31;  // given ids name their own

VerifyOutcome ChainIds(const Request& r, Decisions&) {
  return VerifyChainIds(r.Drafts(), r.Of(*r.args.target_ids), kAnyVocab);
}
VerifyOutcome TreeIds(const Request& r, Decisions&) {
  const auto rows = LocalRows(r);
  return VerifyTreeGreedy(TreeOf(r, rows), r.Of(*r.args.target_ids), kAnyVocab);
}
Thresholds ThresholdsOf(const Args& a) {
  return {.single = static_cast<double>(Read<float>(*a.threshold_single, 0)),
          .accumulated = static_cast<double>(Read<float>(*a.threshold_acc, 0))};
}
VerifyOutcome ChainTargetOnly(const Request& r, Decisions& decide) {
  return VerifyChainTargetOnly(r.Chain(), ThresholdsOf(r.args), r.profile, decide);
}
VerifyOutcome TreeTargetOnly(const Request& r, Decisions& decide) {
  const auto rows = LocalRows(r);
  return VerifyTreeTargetOnly(TreeOf(r, rows), {r.target.begin(), r.target.end()},
                              {r.draft.begin(), r.draft.end()}, ThresholdsOf(r.args), r.profile,
                              decide);
}
VerifyOutcome ChainRatio(const Request& r, Decisions& decide) {
  return VerifyChainRatio(r.Chain(), {}, r.profile, decide);
}
VerifyOutcome Rejection(const Request& r, Decisions& decide) {
  const bool block = r.args.method == ASSAY_METHOD_BLOCK;
  return RejectionSample(r.Chain(),
                         {.greedy = Read<float>(*r.args.temperature, r.index) == 0,
                          .method = block ? RejectionMethod::kBlock : RejectionMethod::kStandard},
                         r.profile, decide);
}

Randomness CoinsOf(const Request& r) {
  const Args& a = r.args;
  if (a.coins)
    return {.uniform =
                [&r, &a](Coin coin, int64_t) {
                  return coin.use == CoinUse::kFinal ? Read<double>(*a.final_coins, r.index)
                                                     : Read<double>(*a.coins, r.first + coin.row);
                },
            .noise = {}};
  if (!a.seed) return {};
  const RngModel& model = ModelOf(r.profile);
  const int64_t seeded = r.profile.seed_scope == SeedScope::kOne ? 0 : r.index;
  return WordCoins(model, Read<uint64_t>(*a.seed, seeded), Read<uint64_t>(*a.offset, seeded),
                   r.index);
}

void WriteEntries(const DLTensor& tensor, int64_t row, int64_t first, const Written& values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i]) WriteInt(tensor, row, first + static_cast<int64_t>(i), *values[i]);
}

void WriteOutcome(const Request& r, const VerifyOutcome& outcome) {
  const Args& a = r.args;
  if (a.predicts) WriteEntries(*a.predicts, 0, r.first, Predicts(outcome, r.rows));
  if (a.accept_index)
    WriteEntries(*a.accept_index, r.index, 0, AcceptIndex(outcome, r.first, r.width));
  if (a.emitted) WriteEntries(*a.emitted, r.index, 0, EmittedRow(outcome, r.width, r.profile));
  const auto count = [&](const DLTensor& counters, int32_t value) {
    const bool added = a.accept_metric != nullptr;
    const int32_t before = Read<int32_t>(counters, r.index);
    Write(counters, r.index, added ? CounterAfter(before, value, r.profile) : value);
  };
  count(*a.accept_count, outcome.accepted);
  if (a.accept_metric) count(*a.accept_metric, outcome.metric);
  if (a.status) Write(*a.status, r.index, static_cast<uint8_t>(outcome.status));
  for (const DraftWrite& write : outcome.draft_writes)
    WriteValue(*a.draft, r.first + write.row, write.token, write.value);
}

using RequestRule = VerifyOutcome (*)(const Request&, Decisions&);

template <RequestRule kRule>
int32_t Verify(const assay_call* call, const Args* args) {
  return Guard(call, args, [](const Args& a, const Profile& profile) {
    const int64_t rows = a.candidates->shape[0];
    const auto requests = SplitRows(Whole(*a.row_offsets), rows);
    const DLTensor& list = a.accept_index ? *a.accept_index : *a.emitted;
    std::vector<VerifyOutcome> outcomes;
    std::vector<Request> read;
    for (size_t b = 0; b < requests.size(); ++b) {
      const auto& [first, count] = requests[b];
      read.push_back({.args = a,
                      .profile = profile,
                      .index = static_cast<int64_t>(b),
                      .first = first,
                      .rows = count,
                      .width = list.shape[1],
                      .target = ReadLaws(a.target, first, count),
                      .draft = ReadLaws(a.draft, first, count)});
      const auto rule = [&](Decisions& decide) { return kRule(read.back(), decide); };
      outcomes.push_back(OutcomeOf(rule, CoinsOf(read.back()), profile));
    }
    for (size_t b = 0; b < read.size(); ++b) WriteOutcome(read[b], outcomes[b]);
  });
}

int32_t MatchVerify(const assay_call* call, const Args* args) {
  return Guard(call, args, [](const Args& a, const Profile&) {
    const MatchLayout layout = MatchLayoutOf(Whole(*a.row_offsets));
    const MatchResult result =
        VerifyMatch(layout, Whole(*a.candidates), Whole(*a.target_ids), kAnyVocab);
    for (size_t row = 0; row < result.mask.size(); ++row)
      Write(*a.accept_mask, static_cast<int64_t>(row), result.mask[row]);
    for (size_t b = 0; b < result.last_row.size(); ++b)
      Write(*a.last_row, static_cast<int64_t>(b), result.last_row[b]);
    for (int64_t b = 0; b < layout.decode; ++b) {
      Write(*a.accept_count, b, result.counts[static_cast<size_t>(b)]);
      for (int64_t i = 0; i < a.emitted->shape[1]; ++i) {
        const auto at = static_cast<size_t>(b * layout.drafts + i);
        WriteInt(*a.emitted, b, i, i < layout.drafts ? result.accepted[at] : -1);
      }
    }
  });
}

}  // namespace

void OfferVerifiers(assay_operations& ops) {
  ops.verify_chain_greedy = ops.verify_chain_target_sampled = Verify<ChainIds>;
  ops.verify_tree_greedy = Verify<TreeIds>;
  ops.verify_match = MatchVerify;
  ops.chain_speculative_sampling_target_only = Verify<ChainTargetOnly>;
  ops.tree_speculative_sampling_target_only = Verify<TreeTargetOnly>;
  ops.chain_speculative_sampling = Verify<ChainRatio>;
  ops.rejection_sample = Verify<Rejection>;
}

}  // namespace assay::reference
