// The joint law of what a verifier emits on model W, with its own stream or given tokens that the
// subject's own sampler drew, drafts drawn by the suite: e-values of fixed numbers of requests.

#include <numeric>

#include "conformance/expand.h"
#include "conformance/poolings.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/statistics.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/model_requests.h"
#include "reference/model_w.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kDistance = 0.02;
constexpr size_t kDrafts = 2;

int32_t TokenOf(const std::vector<double>& row, double u) {
  double before = 0;
  for (size_t i = 0; i + 1 < row.size(); ++i)
    if (u < (before += row[i])) return static_cast<int32_t>(i);
  return static_cast<int32_t>(row.size() - 1);
}

// The suite is the drafter: it draws by the words that draft_sample reads, draft i of a request by
// that at offset + i of its seed, where the profile or the subject says what those are. The
// verifier's offset lies behind them.
struct Drafter {
  const RngModel* words;

  explicit Drafter(const Trial& t)
      : words(t.profile().stream == Stream::kMidpoint32 ? FindRngModel("midpoint32")
              : t.context().subject->rng_model ? FindRngModel(t.context().subject->rng_model)
                                               : nullptr) {}

  VerifyRequest Draw(ModelUse use, uint64_t seed, uint64_t offset, int64_t position,
                     CaseRandom& random) const {
    static const Model kModel = ModelW();
    std::vector<int32_t> drafts;
    for (uint64_t i = 0; i < kDrafts; ++i) {
      const double own = random.Unit();
      const double u =
          words ? Uniform(words->map, ModelWord(*words, seed, offset + i, position, 0)) : own;
      drafts.push_back(TokenOf(kModel.draft(drafts), u));
    }
    VerifyRequest request = ModelRequest(drafts, use);
    request.seed = seed;
    request.offset = offset + kDrafts;
    return request;
  }
};

// What a stream of requests gave: tokens, continued by the target to three of them; drafts
// accepted.
struct Counts {
  std::vector<int64_t> triples = std::vector<int64_t>(kTriples, 0);
  std::vector<int64_t> first = std::vector<int64_t>(kModelTokens, 0);
  std::vector<int64_t> accepted = std::vector<int64_t>(kDrafts + 1, 0);

  void Add(const Told& told, CaseRandom& random) {
    static const Model kModel = ModelW();
    std::vector<int32_t> tokens = told.emitted;
    for (int32_t& token : tokens) token = std::max(token, 0);
    while (tokens.size() <= kDrafts)
      tokens.push_back(TokenOf(kModel.target(tokens), random.Unit()));
    size_t index = 0;
    for (const int32_t token : tokens) index = index * kModelTokens + static_cast<size_t>(token);
    ++triples[index];
    ++first[static_cast<size_t>(tokens[0])];
    ++accepted[static_cast<size_t>(told.accepted)];
  }
};

// ---- Tokens of the subject's own sampler. ------------------------------------------------------

// By Case::special.
constexpr std::string_view kSamplers[] = {"sampling_from_probs", "draft_sample"};

std::vector<int64_t> SamplersOf(const Context& context) {
  std::vector<int64_t> offered;
  for (int64_t i = 0; i < std::ssize(kSamplers); ++i)
    if (FindOperation(kSamplers[i]).offered(context.subject->ops)) offered.push_back(i);
  return offered;
}

// Draws the target ids of all requests in one call, row j of a request behind the words of its
// earlier rows. Whether it could; a sampler that fails is no verifier's failure.
bool DrawTargetIds(std::string_view sampler, const Trial& t, VerifyBatch& batch) {
  static const Property kSilent{"targets", {}, HarnessClaims(), nullptr, nullptr};
  Context context = t.context();
  context.operation = &FindOperation(sampler);
  Trial trial(kSilent, context);
  const int64_t rows = FirstRow(batch, batch.requests.size());
  const int64_t step = StepOf(context, rows, batch.vocab);
  SampleBatch draws;
  draws.logits = context.operation->reads == Reads::kLogits;
  draws.values = Tensor::Matrix(context.dtype, rows, batch.vocab);
  draws.temperature.assign(static_cast<size_t>(rows), 1.0f);
  for (const VerifyRequest& request : batch.requests) {
    uint64_t offset = request.offset;
    for (const std::vector<double>& row : request.target) {
      draws.SetProbs(draws.draws(), row);
      draws.Add(draws.draws(), request.seed, offset);
      offset += static_cast<uint64_t>(step);
    }
  }
  const auto ids = Sample(draws, trial);
  if (!ids) return false;
  auto next = ids->begin();
  for (VerifyRequest& request : batch.requests) {
    request.target_ids.assign(next, next + request.rows());
    next += request.rows();
  }
  return true;
}

// ---- Streams of requests. ----------------------------------------------------------------------

// Given tokens of `sampler`, unless it is empty.
std::optional<Counts> CountsOf(const Case& at, ModelUse use, std::string_view sampler, Trial& t) {
  const Drafter drafter(t);
  const bool one = t.profile().seed_scope == SeedScope::kOne;
  Counts counts;
  const int64_t step = RequestsACall(kDrafts + 1, t.context());
  for (int64_t begin = 0; begin < at.draws; begin += step) {
    VerifyBatch batch = ModelBatch(use, t.operation());
    batch.injected = false;
    CaseRandom random(at, begin / step, 111);
    uint64_t seed = random.Next(), offset = random.Next() >> 8;
    for (int64_t b = 0; b < std::min(step, at.draws - begin); ++b) {
      if (!one) seed = random.Next(), offset = random.Next() >> 8;
      batch.requests.push_back(drafter.Draw(use, seed, offset, b, random));
    }
    if (!sampler.empty() && !DrawTargetIds(sampler, t, batch)) return std::nullopt;
    const auto told = Verify(batch, t);
    if (!told) return std::nullopt;
    for (const Told& one_told : *told) counts.Add(one_told, random);
  }
  return counts;
}

// The law of the number of accepted drafts.
std::vector<double> AcceptedLaw(ModelUse use, const Profile& profile) {
  const Model model = ModelW();
  const JointLaw law = EnumerateLaw([&](Decisions& decide) {
    const ModelChain chain = DrawChain(model, decide);
    return VerifyChainRatio(chain.Request(use == ModelUse::kOneHot), {}, profile, decide);
  });
  std::vector<double> accepted(kDrafts + 1, 0.0);
  for (const auto& [emission, mass] : law) accepted[static_cast<size_t>(emission.accepted)] += mass;
  return accepted;
}

void Judge(std::string_view clause, const std::string& name, const std::vector<double>& law,
           const std::vector<int64_t>& counts, const Case& at, Trial& t) {
  Pooling pooling{name, std::vector<int32_t>(law.size()), law};
  std::iota(pooling.bin.begin(), pooling.bin.end(), 0);
  const EValue value = StreamEValue(std::span(&pooling, 1), counts, kDistance);
  Evidence stream;
  stream.draws = at.draws;
  stream.log10_e = value.log10_e;
  stream.pooling = name;
  stream.detectable = DetectableDistance(pooling.bins(), at.draws, 1, kDistance);
  stream.tvd_upper = TvdUpper(law, counts);
  stream.streams.push_back({at, at.draws, value.log10_e, name, law, counts});
  t.Statistic(clause, stream);
}

void StreamsHaveTheJointLaw(const Case& at, Trial& t) {
  const auto use = static_cast<ModelUse>(at.special);
  const auto counts = CountsOf(at, use, {}, t);
  if (!counts) return;
  const std::string_view joint = use == ModelUse::kOneHot  ? "VERIFY-LAW-ONEHOT"
                                 : use == ModelUse::kBlock ? "VERIFY-BLOCK-LAW"
                                                           : "VERIFY-LAW-JOINT";
  Judge(joint, "triples", ModelTargetLaw(kDrafts + 1), counts->triples, at, t);
  if (use == ModelUse::kBlock) return;
  Judge("VERIFY-ACCEPT-RATE", "drafts accepted", AcceptedLaw(use, t.profile()), counts->accepted,
        at, t);
  if (use == ModelUse::kPlain)
    Judge("VERIFY-LAW-FIRST", "first token", ModelTargetLaw(1), counts->first, at, t);
}

void MatchesHaveTheJointLaw(const Case& at, Trial& t) {
  const auto counts = CountsOf(at, ModelUse::kPlain, kSamplers[at.special], t);
  if (counts)
    Judge("VERIFY-MATCH-LAW", "triples", ModelTargetLaw(kDrafts + 1), counts->triples, at, t);
}

Domain StreamsOf(const std::vector<int64_t>& kinds, const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, kinds}, {&Case::draws, {CountAt(context.tier, 40'000, 1 << 20)}}};
  domain.sweep_only = true;
  return domain;
}
Domain Streams(const Context& context) { return StreamsOf(ModelUses(context), context); }
Domain SampledStreams(const Context& context) { return StreamsOf(SamplersOf(context), context); }

std::string NoSampler(const Context& context) {
  return SamplersOf(context).empty() ? "offers no sampler of its own" : "";
}
bool MatchesTokens(const Operation& operation) {
  return operation.name == "verify_chain_target_sampled" || operation.name == "verify_match";
}

}  // namespace

void AddVerifyStreamProperties(std::vector<Property>& all) {
  constexpr Technique kMarginal = Technique::kMarginal;
  all.push_back(VerifyProperty("verify_stream_law", Verifiers(DrawsFromStream),
                               {{"VERIFY-LAW-JOINT", kMarginal},
                                {"VERIFY-LAW-FIRST", kMarginal},
                                {"VERIFY-ACCEPT-RATE", kMarginal},
                                {"VERIFY-LAW-ONEHOT", kMarginal},
                                {"VERIFY-BLOCK-LAW", kMarginal}},
                               Streams, StreamsHaveTheJointLaw));
  all.push_back(VerifyProperty("verify_match_law", Verifiers(MatchesTokens),
                               {{"VERIFY-MATCH-LAW", kMarginal}}, SampledStreams,
                               MatchesHaveTheJointLaw, NoSampler));
}

}  // namespace assay
