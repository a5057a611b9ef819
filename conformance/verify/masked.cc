#include "conformance/verify/masked.h"

#include <algorithm>
#include <numeric>

#include "conformance/show.h"

namespace assay {
namespace {

size_t At(int64_t index) { return static_cast<size_t>(index); }

// The tokens that the mask forbids.
Allowed Outside(const Allowed& mask, int64_t vocab) {
  Allowed all(At(vocab)), outside;
  std::iota(all.begin(), all.end(), 0);
  if (!mask.empty()) std::ranges::set_difference(all, mask, std::back_inserter(outside));
  return outside;
}

int32_t AnyOf(const Allowed& tokens, CaseRandom& random) {
  return tokens[At(random.Below(std::ssize(tokens)))];
}

// Eight balls over the tokens: five at one of them, three at the others.
std::vector<double> LawUnder(const Allowed& mask, int64_t vocab, CaseRandom& random) {
  if (mask.empty()) return std::vector<double>(At(vocab), 1 / static_cast<double>(vocab));
  const int32_t top = AnyOf(mask, random);
  Allowed rest = mask;
  if (mask.size() > 1) std::erase(rest, top);
  std::vector<double> row(At(vocab), 0.0);
  row[At(top)] = 5.0 / 8;
  for (int ball = 0; ball < 3; ++ball) row[At(AnyOf(rest, random))] += 1.0 / 8;
  return row;
}

}  // namespace

bool Allows(const Allowed& mask, int32_t token) {
  return mask.empty() || std::ranges::binary_search(mask, token);
}

Allowed MaskOf(MaskKind kind, int64_t vocab, CaseRandom& random) {
  const auto any = [&] { return static_cast<int32_t>(random.Below(vocab)); };
  Allowed mask = {any()};
  if (kind == MaskKind::kEdge) mask = {static_cast<int32_t>(PlaceOf(random.Below(kPlaces), vocab))};
  if (kind == MaskKind::kTwoIds && vocab > 2) {
    while (mask.size() < 2)
      if (const int32_t token = any(); token != mask[0]) mask.push_back(token);
  }
  const int64_t most = std::min<int64_t>(vocab - 1, 64);
  for (int64_t i = 1; kind == MaskKind::kRandom && i < most; ++i)
    if (random.Below(2) == 0) mask.push_back(any());
  std::ranges::sort(mask);
  mask.erase(std::unique(mask.begin(), mask.end()), mask.end());
  return mask;
}

int32_t Forbidden(std::span<const Allowed> masks, size_t row, int64_t vocab, CaseRandom& random) {
  for (size_t i = 1; i < masks.size(); ++i) {
    Allowed elsewhere;
    std::ranges::set_difference(masks[(row + i) % masks.size()], masks[row],
                                std::back_inserter(elsewhere));
    if (!elsewhere.empty()) return AnyOf(elsewhere, random);
  }
  const Allowed outside = Outside(masks[row], vocab);
  return AnyOf(outside.empty() ? masks[row] : outside, random);
}

void PutLaws(std::span<const Allowed> masks, int64_t vocab, CaseRandom& random,
             VerifyRequest& request) {
  for (const Allowed& mask : masks) {
    const std::vector<double> law = LawUnder(mask, vocab, random);
    request.target_ids.push_back(static_cast<int32_t>(std::ranges::max_element(law) - law.begin()));
    request.target.push_back(law);
  }
}

void PutChain(VerifyRequest& request) {
  const size_t rows = request.candidates.size();
  request.next_token.resize(rows);
  std::iota(request.next_token.begin(), request.next_token.end(), 1);
  request.next_token.back() = -1;
  request.next_sibling.assign(rows, -1);
  request.node_row.resize(rows);
  std::iota(request.node_row.begin(), request.node_row.end(), 0);
  for (size_t row = 0; row + 1 < rows; ++row) request.candidates[row + 1] = request.target_ids[row];
}

void PutDraftRows(std::span<const Allowed> masks, int64_t vocab, bool chain,
                  VerifyRequest& request) {
  for (size_t row = 0; row < masks.size(); ++row) {
    const bool last = row + 1 == masks.size();
    const int32_t draft = chain && !last ? request.candidates[row + 1] : -1;
    Allowed rest = Outside(masks[row], vocab);
    std::erase(rest, draft);
    if (rest.empty()) rest = {std::max(draft, 0)};
    std::vector<double> law(At(vocab), 0.0);
    law[At(draft < 0 ? rest.front() : draft)] += 0.5;
    law[At(rest.front())] += 0.5;
    request.draft.push_back(std::move(law));
  }
}

void PutCoins(CaseRandom& random, VerifyRequest& request) {
  for (size_t row = 0; row < request.candidates.size(); ++row)
    request.coins.push_back(static_cast<double>(random.Below(8)) / 8);
  request.final_coin = static_cast<double>(2 * random.Below(16) + 1) / 32;
}

void RequireOutcomeOf(std::string_view clause, const VerifyBatch& batch, size_t request,
                      const Told& told, Trial& trial) {
  const VerifyOutcome want = Expected(batch, request, true, trial).outcomes.front();
  trial.Require(clause, Agrees(told, want, trial), [&] {
    return Finding{"request " + std::to_string(request), Show(want), Show(told)};
  });
}

std::optional<std::vector<Told>> RequireObedience(std::string_view clause, const MaskedBatch& given,
                                                  Trial& trial) {
  auto told = Verify(given.batch, trial);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const Told& mine = (*told)[b];
    size_t i = 0;
    while (i < mine.emitted.size() && Allows(given.masks[b][At(mine.rows[i])], mine.emitted[i]))
      ++i;
    trial.Require(clause, i == mine.emitted.size(), [&] {
      const Allowed& mask = given.masks[b][At(mine.rows[i])];
      return Finding{"request " + std::to_string(b) + ", token " + std::to_string(i) +
                         " after row " + std::to_string(mine.rows[i]),
                     "allowed by the row's mask: " + ShowIds(mask), Show(mine)};
    });
  }
  return told;
}

}  // namespace assay
