#include "conformance/subjects/host/sampler.h"

#include <algorithm>

#include "conformance/subjects/host/row.h"

namespace assay::host {

bool UsesRejectionLoop(const Profile& profile) {
  return profile.stream == Stream::kUnstated && profile.top_k_ties == TopKTies::kKeepAll &&
         profile.top_p_ties == TopPTies::kKeepAll &&
         profile.top_p_boundary == TopPBoundary::kBelow &&
         profile.row_sum == RowSum::kIllegal;  // its masses are absolute
}

uint8_t Sampler::PrepareWhole(std::span<float> weights) {
  tokens_.id.clear();
  looping_ = false;
  cdf_.Prepare(weights, shape_);
  if (cdf_.Empty()) return ASSAY_ROW_EMPTY;
  const bool scaled = config_.profile.row_sum != RowSum::kLastPositive;
  if (scaled && config_.numerics.normalise_first) {
    const float sum = cdf_.Total();
    for (float& weight : weights) weight /= sum;
    cdf_.Prepare(weights, shape_);
    if (cdf_.Empty()) return ASSAY_ROW_EMPTY;
  }
  scale_ = scaled && !config_.numerics.normalise_first ? double{cdf_.Total()} : 1.0;
  return ASSAY_ROW_OK;
}

uint8_t Sampler::PrepareFiltered(std::span<const float> weights, const FilterParams& params,
                                 const Filtering& filtering) {
  tokens_ = PositiveTokens(weights);
  if (tokens_.id.empty()) return ASSAY_ROW_EMPTY;
  looping_ =
      filtering.may_loop && !injected_ && !params.greedy && UsesRejectionLoop(config_.profile);
  if (looping_) {
    PrepareLoop(params, filtering);
    return ASSAY_ROW_OK;
  }
  const size_t positive = tokens_.id.size();
  const bool relative = filtering.normalised || filtering.order == Order::kTopKFirst;
  const double target = Keep(params, filtering.order, relative, config_, shape_, tokens_);
  if (config_.profile.boundary_token == BoundaryToken::kClipped) Clip(target);
  cdf_.Prepare(tokens_.Values(), shape_);
  // What a filter cut is renormalised; a row that survives whole is sampled as it is.
  const bool whole = tokens_.id.size() == positive;
  const bool scaled =
      !whole || filtering.normalised || config_.profile.row_sum != RowSum::kLastPositive;
  scale_ = scaled ? double{cdf_.Total()} : 1.0;
  return ASSAY_ROW_OK;
}

void Sampler::Clip(double target) {
  const double excess = std::max(double{Total(tokens_.Values(), shape_)} - target, 0.0);
  size_t last = 0;
  for (size_t i = 1; i < tokens_.id.size(); ++i)
    if (tokens_.value[i] <= tokens_.value[last]) last = i;
  tokens_.value[last] = static_cast<float>(std::max(double{tokens_.value[last]} - excess, 0.0));
}

void Sampler::PrepareLoop(const FilterParams& params, const Filtering& filtering) {
  FilterParams inside = params;
  if (filtering.order == Order::kTopKFirst) {
    inside.use_top_p = false;
    Keep(inside, filtering.order, true, config_, shape_, tokens_);
    const Normaliser normalise(Total(tokens_.Values(), shape_), config_);
    for (size_t i = 0; i < tokens_.id.size(); ++i) {
      tokens_.value[i] = normalise(tokens_.value[i]);
    }
    inside = {.top_k = 0, .use_top_p = params.use_top_p, .top_p = params.top_p};
  }
  const float sum = Total(tokens_.Values(), shape_);
  const Profile& profile = config_.profile;
  const bool joint = filtering.order == Order::kJoint;
  const bool relative = joint && profile.top_p_mass == TopPMass::kRelative;
  const bool scaled = joint && profile.row_sum != RowSum::kLastPositive;
  loop_.Prepare(tokens_.Values(), inside, relative ? params.top_p * double{sum} : params.top_p,
                scaled ? sum : 1.0f, shape_);
}

int32_t Sampler::Draw(const RowStream& stream) {
  if (!looping_) return DrawWith(stream.Uniform(0));
  return IdOf(loop_.Draw([&](uint64_t round) { return stream.Uniform(round); }));
}

int32_t Sampler::DrawWith(double uniform) {
  const bool reach = config_.profile.cdf_edge == CdfEdge::kReach;
  return IdOf(cdf_.Pick(uniform * scale_, reach));
}

}  // namespace assay::host
