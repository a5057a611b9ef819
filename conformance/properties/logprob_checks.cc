#include "conformance/properties/logprob_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "conformance/properties/row_checks.h"
#include "conformance/show.h"

namespace assay::logprob {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// What equal tokens share; nothing for one whose membership is open.
std::optional<double> KeyOf(const Law& law, size_t token) {
  if (law.member[token] == Member::kOpen) return std::nullopt;
  if (law.member[token] == Member::kOut) return -kInf;
  return law.levels ? 0 : law.logit[token] + 0.0;  // -0 is 0
}

std::string EntryName(int64_t row, size_t entry) {
  return RowName(row) + " entry " + std::to_string(entry);
}

std::string ShowToken(const Law& law, int32_t id) {
  return "token " + std::to_string(id) + " (" + Expected(law, static_cast<size_t>(id)) + ")";
}

// An entry that names no token, or one that was named before.
std::optional<Finding> NotDistinct(const Law& law, int64_t row, const std::vector<int32_t>& ids) {
  std::vector<bool> seen(law.logit.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool inside = ids[i] >= 0 && ids[i] < std::ssize(seen);
    if (inside && !seen[static_cast<size_t>(ids[i])]) {
      seen[static_cast<size_t>(ids[i])] = true;
      continue;
    }
    return Finding{EntryName(row, i), "a token that no other entry names", std::to_string(ids[i])};
  }
  return std::nullopt;
}

// The listed token that most others may be above.
size_t Lowest(const Law& law, const std::vector<int32_t>& ids) {
  const auto upper = [&](int32_t id) {
    const auto i = static_cast<size_t>(id);
    return law.member[i] == Member::kOut ? -kInf : law.depth[i] + law.budget[i].fail;
  };
  return static_cast<size_t>(*std::ranges::min_element(ids, {}, upper));
}

std::vector<bool> Listed(const Law& law, const std::vector<int32_t>& ids) {
  std::vector<bool> listed(law.logit.size());
  for (const int32_t id : ids) listed[static_cast<size_t>(id)] = true;
  return listed;
}

std::optional<Finding> NotTheLargest(const Law& law, int64_t row, const std::vector<int32_t>& ids) {
  const std::vector<bool> listed = Listed(law, ids);
  const size_t lowest = Lowest(law, ids);
  for (size_t u = 0; u < listed.size(); ++u)
    if (!listed[u] && law.Above(u, lowest))
      return Finding{RowName(row), "lists " + ShowToken(law, static_cast<int32_t>(u)),
                     "lists " + ShowToken(law, static_cast<int32_t>(lowest)) + " instead"};
  return std::nullopt;
}

std::optional<Finding> WrongTie(const Law& law, int64_t row, const std::vector<int32_t>& ids) {
  std::unordered_map<double, int32_t> last;  // of the equal tokens seen so far
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto key = KeyOf(law, static_cast<size_t>(ids[i]));
    if (!key) continue;
    const auto [it, fresh] = last.emplace(*key, ids[i]);
    if (!fresh && it->second > ids[i])
      return Finding{EntryName(row, i), "behind " + std::to_string(ids[i]) + ", which is equal",
                     "token " + std::to_string(it->second) + " before it"};
    it->second = ids[i];
  }
  const std::vector<bool> listed = Listed(law, ids);
  for (size_t u = 0; u < listed.size(); ++u) {
    const auto key = listed[u] ? std::nullopt : KeyOf(law, u);
    const auto it = key ? last.find(*key) : last.end();
    if (it != last.end() && static_cast<int32_t>(u) < it->second)
      return Finding{RowName(row), "token " + std::to_string(u) + ", the lower id of equal ones",
                     "token " + std::to_string(it->second)};
  }
  return std::nullopt;
}

bool SureToReach(const Law& law, size_t v, size_t token) {
  return law.member[token] == Member::kOut || law.Above(v, token) ||
         (law.member[v] == Member::kIn && law.Same(v, token));
}
bool MayReach(const Law& law, size_t v, size_t token) {
  return law.member[token] != Member::kIn || law.MayBeAbove(v, token) ||
         (law.member[v] != Member::kOut && law.Same(v, token));
}

}  // namespace

Entry Compare(const Law& law, size_t token, double got) {
  if (law.member[token] == Member::kOut) return {.outside = got != -kInf};
  if (got == -kInf && law.member[token] == Member::kOpen) return {};
  if (!std::isfinite(got)) return {.use = kInf};
  const double low = law.depth[token] - law.most_norm, high = law.depth[token] - law.least_norm;
  if (law.processed && low < kDeepest && got < kDeepest) return {};
  const double error = std::max({low - got, got - high, 0.0});
  const Budget& budget = law.budget[token];
  return {.use = error / budget.fail, .warn = error > budget.warn};
}

std::string Expected(const Law& law, size_t token) {
  if (law.member[token] == Member::kOut) return "-inf";
  const std::string value = Show(law.depth[token] - law.most_norm);
  return law.member[token] == Member::kOpen ? value + " or -inf" : value;
}

Ranks RanksOf(const Law& law, size_t token, const Profile& profile) {
  const bool reach = profile.logprob_rank == LogprobRank::kReach;
  Ranks ranks{1, 1};
  for (size_t v = 0; v < law.logit.size(); ++v) {
    if (v == token) continue;
    ranks.least += reach ? SureToReach(law, v, token) : law.Above(v, token);
    ranks.most += reach ? MayReach(law, v, token) : law.MayBeAbove(v, token);
  }
  return ranks;
}

ListFindings CheckList(const Law& law, int64_t row, const std::vector<int32_t>& ids) {
  ListFindings found;
  found.distinct = NotDistinct(law, row, ids);
  if (found.distinct) return found;
  int64_t swaps = 0;
  for (size_t i = 1; i < ids.size(); ++i) {
    const auto a = static_cast<size_t>(ids[i - 1]), b = static_cast<size_t>(ids[i]);
    swaps += law.MayBeAbove(a, b) && law.MayBeAbove(b, a);
    if (!found.order && law.Above(b, a))
      found.order = Finding{EntryName(row, i - 1), ShowToken(law, ids[i]) + " first",
                            ShowToken(law, ids[i - 1])};
  }
  if (!found.order) found.order = NotTheLargest(law, row, ids);
  found.ties = WrongTie(law, row, ids);
  found.open = 2 * swaps > std::ssize(ids);
  return found;
}

void RequireSum(const Law& law, int64_t row, const std::vector<double>& entries, Trial& trial) {
  double sum = 0, slack = 0;
  for (const double entry : entries) sum += std::exp(entry);
  for (size_t i = 0; i < law.depth.size(); ++i)
    if (law.member[i] != Member::kOut)
      slack += std::exp(law.depth[i] - law.least_norm) * law.budget[i].fail;
  const double use = std::fabs(sum - 1) / std::max(slack, 1e-5);
  trial.RequireWithin("LOGP-NORM-ONE", use, false, [&] {
    return Finding{RowName(row), "exponentials that sum to 1 within " + Show(std::max(slack, 1e-5)),
                   "a sum of 1 + " + Show(sum - 1)};
  });
}

std::optional<Finding> WrongRefusal(const Trial& trial, const Tensors& out, int64_t row,
                                    RowStatus want) {
  if (auto wrong = WrongStatus(trial, out, row, want)) return wrong;
  if (!out.contains("top_ids")) {
    const double value = out.at("logprobs").Get(0, row);
    const int64_t rank = out.at("ranks").GetInt(row);
    if (std::isnan(value) && rank == 0) return std::nullopt;
    return Finding{RowName(row), "NaN, rank 0: nothing to say",
                   Show(value) + ", rank " + std::to_string(rank)};
  }
  for (int64_t i = 0; i < out.at("top_ids").cols(); ++i) {
    const double value = out.at("top_logprobs").Get(row, i);
    const int64_t id = out.at("top_ids").GetInt(row, i);
    if (!std::isnan(value) || id != -1)
      return Finding{EntryName(row, static_cast<size_t>(i)), "token -1 with NaN: nothing to say",
                     "token " + std::to_string(id) + " with " + Show(value)};
  }
  return std::nullopt;
}

}  // namespace assay::logprob
