#include "reference/filters.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "reference/budget.h"
#include "reference/illegal.h"
#include "reference/lanes.h"

namespace assay {
namespace {

// Two values this close may become equal in fp32 when they are renormalised.
constexpr double kMergeTolerance = 0x1p-22;
// From so many tokens on, another look at all of a row costs less than to sort too many.
constexpr int64_t kManyToSort = 8192;

enum class Action : uint8_t { kOff, kApply, kGreedy, kRefuse };

Action TopKAction(const FilterParams& params, int64_t vocab, const Profile& profile) {
  if (!params.use_top_k || params.top_k >= std::min(vocab, kTopKOff)) return Action::kOff;
  if (params.top_k > 0) return Action::kApply;
  switch (profile.top_k_zero) {
    case TopKZero::kOff: return Action::kOff;
    case TopKZero::kReport: return Action::kRefuse;
    case TopKZero::kIllegal: break;
  }
  ThrowIllegal("top_k", std::to_string(params.top_k), "at least 1", "top_k_zero", profile);
}

Action BadFraction(std::string_view what, double found, const Profile& profile) {
  switch (profile.bad_param) {
    case BadParam::kReport: return Action::kRefuse;
    case BadParam::kOff: return Action::kOff;
    case BadParam::kIllegal: break;
  }
  ThrowIllegal(what, Number(found), "a number in [0, 1]", "bad_param", profile);
}

Action ZeroTopP(const Profile& profile) {
  switch (profile.top_p_zero) {
    case TopPZero::kGreedy: return Action::kGreedy;
    case TopPZero::kReport: return Action::kRefuse;
    case TopPZero::kOff: return Action::kOff;
    case TopPZero::kIllegal: break;
  }
  ThrowIllegal("top_p", "0", "a number in (0, 1]", "top_p_zero", profile);
}

Action TopPAction(const FilterParams& params, const Profile& profile) {
  if (!params.use_top_p) return Action::kOff;
  if (!(params.top_p >= 0 && params.top_p <= 1)) {
    return BadFraction("top_p", params.top_p, profile);
  }
  if (params.top_p == 0) return ZeroTopP(profile);
  if (params.top_p == 1 && profile.top_p_one == TopPOne::kIdentity) return Action::kOff;
  return Action::kApply;
}

Action MinPAction(const FilterParams& params, const Profile& profile) {
  if (!params.use_min_p) return Action::kOff;
  if (!(params.min_p >= 0 && params.min_p <= 1)) {
    return BadFraction("min_p", params.min_p, profile);
  }
  return params.min_p == 0 ? Action::kOff : Action::kApply;
}

int64_t Positives(const SortedRow& row) { return std::ssize(row.value); }

double At(const std::vector<double>& values, int64_t i) { return values[static_cast<size_t>(i)]; }

// The end of the tie group of the last of `count` tokens, at most `limit`.
int64_t GroupEnd(const SortedRow& row, int64_t count, int64_t limit) {
  while (count < limit && At(row.value, count) == At(row.value, count - 1)) ++count;
  return count;
}

// The begin of the tie group of the last of `count` tokens.
int64_t GroupBegin(const SortedRow& row, int64_t count) {
  while (count > 1 && At(row.value, count - 1) == At(row.value, count - 2)) --count;
  return count - 1;
}

// Whether values that differ may be equal once they were rounded.
bool MayMerge(double larger, double smaller) { return larger * (1 - kMergeTolerance) <= smaller; }

// The end of what may be equal to the last of `count` tokens.
int64_t MergedEnd(const SortedRow& row, int64_t count) {
  const double last = At(row.value, count - 1);
  while (count < Positives(row) && MayMerge(last, At(row.value, count))) ++count;
  return count;
}

int64_t TopKCount(const SortedRow& row, int64_t top_k, const Profile& profile) {
  const int64_t count = std::min(top_k, Positives(row));
  return profile.top_k_ties == TopKTies::kKeepAll ? GroupEnd(row, count, Positives(row)) : count;
}

// How many of the first `limit` tokens have less (`closed`: at most) mass before them than
// `threshold`; at least one, and whole tie groups by the profile.
int64_t TopPCount(const SortedRow& row, int64_t limit, double threshold, bool closed,
                  const Profile& profile) {
  const auto begin = row.before.begin(), end = begin + limit;
  const auto cut =
      closed ? std::upper_bound(begin, end, threshold) : std::lower_bound(begin, end, threshold);
  const int64_t count = std::max<int64_t>(1, cut - begin);
  return profile.top_p_ties == TopPTies::kKeepAll ? GroupEnd(row, count, limit) : count;
}

KeptSet TopP(const SortedRow& row, int64_t limit, double threshold, double slack,
             const Profile& profile) {
  const bool closed = profile.top_p_boundary == TopPBoundary::kClosed;
  const int64_t nominal = TopPCount(row, limit, threshold, closed, profile);
  if (slack == 0) return {.least = nominal, .nominal = nominal, .most = nominal};
  return {.least = TopPCount(row, limit, threshold - slack, false, profile),
          .nominal = nominal,
          .most = TopPCount(row, limit, threshold + slack, true, profile)};
}

// Near a cut, values that differ may be equal once renormalised: the cut then falls elsewhere in
// the group, or takes it whole.
void WidenByMerging(const SortedRow& row, int64_t limit, KeptSet& kept) {
  const auto merge = [&](int64_t larger, int64_t smaller) {
    return MayMerge(At(row.value, larger), At(row.value, smaller));
  };
  if (kept.least < limit) {
    const int64_t dropped = kept.least;
    while (kept.least > 1 && At(row.value, kept.least - 1) != At(row.value, dropped) &&
           merge(kept.least - 1, dropped)) {
      --kept.least;
    }
  }
  const int64_t last = kept.most - 1;
  while (kept.most < limit && At(row.value, kept.most) != At(row.value, last) &&
         merge(last, kept.most)) {
    ++kept.most;
  }
}

KeptSet Greedy(const SortedRow& row, int64_t limit, const Profile& profile) {
  const bool highest = profile.argmax_ties == ArgmaxTies::kHighest;
  const int64_t count = highest ? GroupEnd(row, 1, limit) : 1;
  return {.least = count, .nominal = count, .most = count, .first = count - 1};
}

// Subnormal tokens are kept or not as the subject likes.
void LeaveSubnormalsOpen(const SortedRow& row, KeptSet& kept) {
  const auto normal = std::ranges::partition_point(
      row.value, [](double value) { return value >= kSmallestNormal; });
  kept.least = std::min(kept.least, std::max<int64_t>(1, normal - row.value.begin()));
}

KeptSet TopPAfterTopK(const SortedRow& row, int64_t top_k_count, const FilterParams& params,
                      const Profile& profile, double mass_budget) {
  const bool renormalised = params.use_top_k && params.order == FilterOrder::kTopKFirst;
  const int64_t limit = params.order == FilterOrder::kTopKFirst ? top_k_count : Positives(row);
  const double mass = limit == Positives(row) ? row.sum : At(row.before, limit);
  const bool relative = renormalised || profile.top_p_mass == TopPMass::kRelative;
  const double threshold = relative ? params.top_p * mass : params.top_p;
  KeptSet kept = TopP(row, limit, threshold, mass_budget * mass, profile);
  if (profile.boundary_token == BoundaryToken::kClipped) kept.clip = threshold;
  if (renormalised && mass_budget > 0) WidenByMerging(row, limit, kept);
  kept.least = std::min(kept.least, top_k_count);
  kept.nominal = std::min(kept.nominal, top_k_count);
  kept.most = std::min(kept.most, top_k_count);
  return kept;
}

// How many tokens top-k may leave: more than `count` where ties survive as a whole and rounding may
// make some.
int64_t MostOfTopK(const SortedRow& row, int64_t count, const Profile& profile,
                   double mass_budget) {
  const bool open = mass_budget > 0 && profile.top_k_ties == TopKTies::kKeepAll;
  return open ? MergedEnd(row, count) : count;
}

// A tie group that is cut by `count` tokens of the first `limit`, where the profile does not say
// which of it survive: they are open.
void LeaveTiesOpen(const SortedRow& row, int64_t count, int64_t limit, KeptSet& kept) {
  const int64_t end = GroupEnd(row, count, limit);
  if (end == count) return;
  kept.open_ties = true;
  kept.least = std::min(kept.least, GroupBegin(row, count));
  kept.most = std::max(kept.most, end);
}

// How many tokens reach (`edge` kAbove: exceed) `threshold`; the largest ones always do.
int64_t MinPCount(const SortedRow& row, double threshold, MinPEdge edge) {
  const auto kept = std::ranges::partition_point(row.value, [&](double value) {
    return edge == MinPEdge::kAbove ? value > threshold : value >= threshold;
  });
  return std::max<int64_t>(kept - row.value.begin(), GroupEnd(row, 1, Positives(row)));
}

void ApplyMinP(const SortedRow& row, double min_p, const Profile& profile, double mass_budget,
               KeptSet& kept) {
  const double product = min_p * At(row.value, 0);  // exact: two fp32 numbers
  const auto rounded = static_cast<double>(static_cast<float>(product));
  const int64_t nominal = MinPCount(row, rounded, profile.min_p_edge);
  const bool exact = rounded == product && mass_budget == 0;
  const double slack = exact ? 0 : MinPBudget(product);
  kept.nominal = std::min(kept.nominal, nominal);
  kept.least =
      std::min(kept.least, exact ? nominal : MinPCount(row, product + slack, MinPEdge::kAbove));
  kept.most =
      std::min(kept.most, exact ? nominal : MinPCount(row, product - slack, MinPEdge::kReach));
}

// Whether Keep read no further than the end of a row that may go on.
bool EndsInside(const SortedRow& row, const KeptSet& kept, const FilterParams& params,
                const Profile& profile) {
  if (kept.most >= Positives(row)) return false;
  if (TopKAction(params, row.vocab, profile) != Action::kApply) return true;
  return MergedEnd(row, TopKCount(row, params.top_k, profile)) < Positives(row);
}

// Whether the tokens of at least a threshold are likely to hold all that is kept, and one more.
bool LikelyHolds(const LaneShare& share, const Weights& weights, const FilterParams& params,
                 const Profile& profile, double mass_budget) {
  if (TopKAction(params, std::ssize(weights.value), profile) == Action::kApply)
    return share.count > params.top_k;
  switch (TopPAction(params, profile)) {
    case Action::kApply: return share.sum > (params.top_p + mass_budget) * weights.sum;
    case Action::kGreedy: return true;
    default: return false;
  }
}

}  // namespace

KeptSet Keep(const Weights& weights, const SortedRow& row, const FilterParams& params,
             const Profile& profile, double mass_budget) {
  const Action top_k = TopKAction(params, row.vocab, profile);
  const Action top_p = TopPAction(params, profile);
  const Action min_p = MinPAction(params, profile);
  if (top_k == Action::kRefuse || top_p == Action::kRefuse || min_p == Action::kRefuse) {
    return {RowStatus::kParameter};
  }
  if (weights.status != RowStatus::kOk) return {weights.status};
  const int64_t count =
      top_k == Action::kApply ? TopKCount(row, params.top_k, profile) : Positives(row);
  const int64_t most =
      top_k == Action::kApply ? MostOfTopK(row, count, profile, mass_budget) : count;
  KeptSet kept{.least = count, .nominal = count, .most = most};
  if (top_p == Action::kGreedy) kept = Greedy(row, count, profile);
  if (top_p == Action::kApply) {
    kept = TopPAfterTopK(row, count, params, profile, mass_budget);
    const KeptSet wider = TopPAfterTopK(row, most, params, profile, mass_budget);
    kept.least = std::min(kept.least, wider.least);
    kept.most = std::max(kept.most, wider.most);
  }
  if (top_k == Action::kApply && profile.top_k_ties == TopKTies::kUnspecified)
    LeaveTiesOpen(row, count, Positives(row), kept);
  if (top_p == Action::kApply && profile.top_p_ties == TopPTies::kUnspecified)
    LeaveTiesOpen(row, kept.nominal, Positives(row), kept);
  if (min_p == Action::kApply && kept.first == 0) {
    ApplyMinP(row, params.min_p, profile, mass_budget, kept);
  }
  if (profile.subnormals == Subnormals::kUnspecified && kept.first == 0) {
    LeaveSubnormalsOpen(row, kept);
  }
  return kept;
}

FilteredRow FilterRow(const Weights& weights, const FilterParams& params, const Profile& profile,
                      double mass_budget) {
  FilteredRow made;
  const auto keep = [&](SortedRow row) {
    made.row = std::move(row);
    made.kept = Keep(weights, made.row, params, profile, mass_budget);
    return made.kept.status != RowStatus::kOk || EndsInside(made.row, made.kept, params, profile);
  };
  if (weights.status == RowStatus::kOk) {
    const double largest = ReadLanes(weights.value).largest;
    LaneShare share;
    const auto holds = [&](int power) {
      share = ShareLanes(weights.value, std::ldexp(largest, -power));
      return LikelyHolds(share, weights, params, profile, mass_budget);
    };
    for (const int step : {4, 8, 12, 16, 24}) {
      if (!holds(step)) continue;
      int power = step;
      if (share.count > kManyToSort)
        while (power > step - 3 && holds(power - 1)) --power;
      if (keep(SortLargest(weights, std::ldexp(largest, -power)))) return made;
    }
  }
  keep(SortRow(weights));
  return made;
}

}  // namespace assay
