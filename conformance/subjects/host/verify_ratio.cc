// Verifiers that test a draft by the ratio of target and draft probability.

#include "conformance/subjects/host/verify_ratio.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "conformance/subjects/host/argmax.h"

namespace assay::host {
namespace {

constexpr float kLargestProbability = 1 + 0x1p-22f;  // a rounded softmax may reach it

// Without seeds coins are given, and nothing is drawn.
RowStream StreamOf(const VerifyCall& call, const Config& config, int64_t request) {
  const int64_t s = config.profile.seed_scope == SeedScope::kOne ? 0 : request;
  return {config, call.seed ? call.seed[s] : 0, call.offset ? call.offset[s] : 0, request};
}

class Chain {
 public:
  Chain(const RatioRequest& request, Coins& coins, LastToken& last)
      : request_(request), profile_(request.config.profile), coins_(coins), last_(last) {}

  Answer Run() {
    int64_t row = 0;
    while (row < request_.Drafts() && Accepts(row)) {
      answer_.Add(request_.Draft(row), request_.request.first + row);
      ++row;
    }
    answer_.accepted = static_cast<int32_t>(row);
    answer_.metric = answer_.accepted;
    if (row == request_.Drafts())
      last_.Draw(request_.Whole(row), coins_.Last(), answer_);
    else
      Reject(row);
    return answer_;
  }

 private:
  bool Accepts(int64_t row) {
    return request_.Kind(row) == DraftId::kToken &&
           Passes(request_.RatioOf(row), coins_.Test(row), request_.config);
  }

  void Reject(int64_t row) {
    if (profile_.accept_metric == AcceptMetric::kSecondChance)
      for (int64_t i = row; i < request_.Drafts() && request_.Kind(i) == DraftId::kToken; ++i)
        answer_.metric += Passes(request_.RatioOf(i), coins_.Metric(i), request_.config);
    if (request_.Kind(row) == DraftId::kBad) return AddBad(request_.request.first + row, answer_);
    last_.Draw(LeftOf(row), coins_.Last(), answer_);
  }

  Left LeftOf(int64_t row) const {
    if (request_.Kind(row) == DraftId::kToken) return request_.Rejected(row);
    Left left = request_.Whole(row);
    left.take_draft = request_.call.draft.data && profile_.no_draft == NoDraft::kReject;
    return left;
  }

  const RatioRequest& request_;
  const Profile& profile_;
  Coins& coins_;
  LastToken& last_;
  Answer answer_;
};

// The largest tokens of the rows, while they are the next draft.
Answer RunGreedy(const RatioRequest& request, float* buffer) {
  Answer answer;
  for (int64_t row = 0;; ++row) {
    const int64_t at = request.request.first + row;
    const Largest largest = LargestOf(request.call.target, at, request.config, buffer);
    answer.Add(largest.id, at);
    answer.status = largest.status;
    if (largest.id < 0 || row == request.Drafts() || request.Draft(row) != largest.id)
      return answer;
    answer.metric = ++answer.accepted;
  }
}

// run(request, coins, last, buffer) of each request.
template <typename Run>
int32_t VerifyRatios(const assay_call* call, const assay_verify_args* args, uint32_t parts,
                     Run run) {
  return Guard(call, args, [&](const Config& config) {
    const VerifyCall checked = CheckVerify(*args, parts | kLaws | kStream | kEmitted);
    float* buffer = CheckWorkspace(*call, checked.requests, checked.target.columns);
    LastToken last(checked, config, buffer);
    for (int64_t b = 0; b < checked.requests; ++b) {
      Coins coins(checked, config, b);
      const RatioRequest request{checked, config, checked.At(b)};
      const bool greedy = checked.temperature && checked.temperature[b] == 0;
      Write(checked, b, greedy ? RunGreedy(request, buffer) : run(request, coins, last),
            config.profile);
    }
  });
}

Answer RunChain(const RatioRequest& request, Coins& coins, LastToken& last) {
  return Chain(request, coins, last).Run();
}

}  // namespace

Coins::Coins(const VerifyCall& call, const Config& config, int64_t request)
    : call_(call),
      given_(call.coins.data != nullptr),
      by_row_(config.profile.stream == Stream::kMidpoint32),
      request_(request),
      first_(call.At(request).first),
      rows_(call.At(request).rows),
      stream_(StreamOf(call, config, request)) {}

double Coins::Word(int64_t place) {
  return stream_.Uniform(by_row_ ? static_cast<uint64_t>(place) : used_++);
}

Ratio RatioRequest::RatioOf(int64_t row) const {
  const int64_t at = request.first + row;
  const int32_t id = Draft(row);
  Ratio ratio{.p = call.target.Row<float>(at)[id],
              .q = call.draft.data ? call.draft.Row<float>(at)[id] : 1.0f};
  const bool sound =
      ratio.p >= 0 && ratio.p <= FLT_MAX && ratio.q >= 0 && ratio.q <= kLargestProbability;
  const bool zero = ratio.q == 0 && config.profile.draft_zero == DraftZero::kReject;
  if (!sound || zero) ratio.p = 0;
  return ratio;
}

Left RatioRequest::Rejected(int64_t row, float scale) const {
  const int64_t at = request.first + row;
  if (call.draft.data) return {.row = at, .take_draft = true, .scale = scale, .removed = {}};
  return {.row = at,
          .take_draft = false,
          .scale = scale,
          .removed = {&call.candidates.data[(at + 1) * call.candidates.step], 1}};
}

bool Passes(const Ratio& ratio, double u, const Config& config) {
  if (!(ratio.p > 0)) return false;
  const bool reach = config.profile.ratio_edge == AcceptEdge::kReach;
  const auto below = [reach](auto a, auto b) { return reach ? a <= b : a < b; };
  switch (config.numerics.accept) {
    case Accept::kFloatProduct: return below(static_cast<float>(u) * ratio.q, ratio.p);
    case Accept::kQuotient: return below(u, double{ratio.p / ratio.q});
    case Accept::kLogarithm:
      return below(std::log(static_cast<float>(u)) + std::log(ratio.q), std::log(ratio.p));
    default: return below(u * double{ratio.q}, double{ratio.p});
  }
}

float NextRho(float rho, const Ratio& ratio, const Config& config) {
  if (!(ratio.p > 0) || rho == 0) return 0;
  switch (config.numerics.accept) {
    case Accept::kQuotient: return std::min(1.0f, rho * (ratio.p / ratio.q));
    case Accept::kLogarithm:
      return std::exp(std::min(0.0f, std::log(rho) + std::log(ratio.p) - std::log(ratio.q)));
    default: return std::min(1.0f, rho * ratio.p / ratio.q);
  }
}

int32_t ChainSpeculativeSampling(const assay_call* call, const assay_verify_args* args) {
  return VerifyRatios(call, args, kMetric, &RunChain);
}

int32_t RejectionSample(const assay_call* call, const assay_verify_args* args) {
  return VerifyRatios(call, args, kTemperature, [](const auto& request, auto& coins, auto& last) {
    return request.call.block ? RunBlock(request, coins, last) : RunChain(request, coins, last);
  });
}

}  // namespace assay::host
