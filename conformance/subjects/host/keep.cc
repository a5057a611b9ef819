#include "conformance/subjects/host/keep.h"

#include <algorithm>
#include <cmath>

#include "conformance/subjects/host/row.h"

namespace assay::host {
namespace {

void Pad(Tokens& tokens) {
  tokens.value.resize(tokens.id.size());
  tokens.value.resize(static_cast<size_t>(RoundUp(std::ssize(tokens.id), kChunk)), 0.0f);
}

void Apply(const Cut& cut, Tokens& tokens) {
  size_t kept = 0;
  int64_t ties = 0;
  for (size_t i = 0; i < tokens.id.size(); ++i) {
    const float value = tokens.value[i];
    tokens.value[kept] = value;
    tokens.id[kept] = tokens.id[i];
    // Without branches: on a large kept set they would be mispredicted at every other token.
    const unsigned tie = value == cut.value, over = value > cut.value, room = ties < cut.ties;
    kept += over | (tie & room);
    ties += tie;
  }
  tokens.id.resize(kept);
  Pad(tokens);
}

void KeepGreedy(const Profile& profile, Tokens& tokens) {
  const auto begin = tokens.value.begin(), end = begin + std::ssize(tokens.id);
  auto best = std::max_element(begin, end);
  if (profile.argmax_ties == ArgmaxTies::kHighest) {
    const float largest = *best;
    for (auto i = best; i != end; ++i) best = *i == largest ? i : best;
  }
  const auto position = static_cast<size_t>(best - begin);
  tokens.id = {tokens.id[position]};
  tokens.value = {tokens.value[position]};
  Pad(tokens);
}

// The smallest value that reaches the threshold, or lies above it, and all that equal it.
Cut MinPCut(const Tokens& tokens, const FilterParams& params, const Profile& profile) {
  const float largest = *std::max_element(tokens.value.begin(), tokens.value.end());
  const float threshold = params.min_p * largest;
  if (profile.min_p_edge == MinPEdge::kReach) return {.value = threshold};
  return {.value = std::min(std::nextafter(threshold, HUGE_VALF), largest)};
}

Cut Both(const Cut& a, const Cut& b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return {.value = a.value, .ties = std::min(a.ties, b.ties)};
}

Cut TopKCut(const Tokens& tokens, const FilterParams& params, const Config& config) {
  if (params.top_k == 0 || params.top_k >= std::ssize(tokens.id)) return {};
  return CutByCount(tokens.Values(), params.top_k, config);
}

double TargetMass(const Tokens& tokens, const FilterParams& params, bool relative,
                  const SumShape& shape) {
  if (!params.use_top_p) return HUGE_VAL;
  return params.top_p * (relative ? double{Total(tokens.Values(), shape)} : 1.0);
}

}  // namespace

void ReadTopK(int32_t top_k, int64_t vocab, const Profile& profile, FilterParams& params) {
  if (top_k <= 0 && profile.top_k_zero == TopKZero::kReport) params.outside_domain = true;
  const bool off = top_k <= 0 || top_k >= vocab || top_k >= ASSAY_TOP_K_OFF;
  params.top_k = off ? 0 : top_k;
}

void ReadTopP(float top_p, const Profile& profile, FilterParams& params) {
  params.top_p = top_p;
  if (!(top_p >= 0 && top_p <= 1)) {
    if (profile.bad_param != BadParam::kOff) params.outside_domain = true;
    return;
  }
  if (top_p == 0) {
    params.outside_domain |= profile.top_p_zero == TopPZero::kReport;
    params.greedy = profile.top_p_zero != TopPZero::kOff;
    return;
  }
  params.use_top_p = top_p < 1 || profile.top_p_one == TopPOne::kByMass;
}

void ReadMinP(float min_p, const Profile& profile, FilterParams& params) {
  const bool inside = min_p >= 0 && min_p <= 1;
  if (!inside && profile.bad_param != BadParam::kOff) params.outside_domain = true;
  params.min_p = inside ? min_p : 0;
}

Tokens PositiveTokens(std::span<const float> weights) {
  Tokens tokens;
  tokens.value.resize(weights.size());
  tokens.id.resize(weights.size());
  size_t count = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    tokens.value[count] = weights[i];
    tokens.id[count] = static_cast<int32_t>(i);
    count += weights[i] > 0 ? 1 : 0;
  }
  tokens.id.resize(count);
  Pad(tokens);
  return tokens;
}

double Keep(const FilterParams& params, Order order, bool relative_always, const Config& config,
            const SumShape& shape, Tokens& tokens) {
  const bool relative = relative_always || config.profile.top_p_mass == TopPMass::kRelative;
  const Cut by_count = TopKCut(tokens, params, config);
  if (order == Order::kTopKFirst) Apply(by_count, tokens);
  const double target = TargetMass(tokens, params, relative, shape);
  Cut cut;
  if (params.use_top_p) cut = CutByMass(tokens.Values(), target, config, shape);
  if (order == Order::kJoint) cut = Both(by_count, cut);
  if (params.use_top_p || order == Order::kJoint) Apply(cut, tokens);
  if (params.greedy) KeepGreedy(config.profile, tokens);
  if (params.min_p > 0) Apply(MinPCut(tokens, params, config.profile), tokens);
  return target;
}

}  // namespace assay::host
