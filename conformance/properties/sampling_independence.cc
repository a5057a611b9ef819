// The independence of a sampler's draws, from row to row and step to step: a census of equal
// streams, and e-values of pairs.

#include <algorithm>
#include <array>

#include "conformance/expand.h"
#include "conformance/poolings.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"

namespace assay {
namespace {

constexpr int kSteps = 8;
using Tuple = std::array<int32_t, kSteps>;

// tokens[s][j]: stream s, neighbours in seed or position, at step j.
std::optional<std::vector<Tuple>> Streams(const SampleBatch& rows, const Case& at, Trial& t) {
  std::vector<Tuple> tokens(static_cast<size_t>(at.draws));
  CaseRandom random(at, 0, 62);
  const uint64_t seed = random.Next(), offset = random.Next() >> 8;
  const int64_t step = StepOf(t.context(), at.draws, at.vocab);
  for (int j = 0; j < kSteps; ++j) {
    SampleBatch batch = rows;
    for (int64_t s = 0; s < at.draws; ++s)
      batch.Add(0, seed + static_cast<uint64_t>(s), offset + static_cast<uint64_t>(j * step));
    const auto ids = Sample(batch, t);
    if (!ids) return std::nullopt;
    for (size_t s = 0; s < tokens.size(); ++s) tokens[s][static_cast<size_t>(j)] = (*ids)[s];
  }
  return tokens;
}

// Pairs of tokens in a table of blocks.
class Table {
 public:
  explicit Table(const Pooling& pooling)
      : pooling_(pooling), counts_(pooling.mass.size() * pooling.mass.size(), 0) {}
  void Add(int32_t first, int32_t second) {
    ++pairs_;
    const auto bin = [&](int32_t id) {
      return static_cast<size_t>(pooling_.bin[static_cast<size_t>(std::max(id, 0))]);
    };
    ++counts_[bin(first) * pooling_.mass.size() + bin(second)];
  }
  Evidence Judge() const {
    constexpr double kTarget = 0.02;
    Evidence stream;
    stream.draws = 2 * pairs_;
    stream.log10_e = IndependenceEValue(pooling_, pooling_, counts_, kTarget).log10_e;
    stream.pooling = "pairs of blocks";
    stream.detectable = DetectableDistance(static_cast<int>(counts_.size()), pairs_, 1, kTarget);
    return stream;
  }

 private:
  const Pooling& pooling_;
  std::vector<int64_t> counts_;
  int64_t pairs_ = 0;
};

// Two streams with the same eight tokens of 4,096, or of 128 where a draw is a row, are the same
// stream: 8,192 different ones have such a pair once in 2^31.
void Census(std::vector<Tuple> tokens, Trial& t) {
  std::sort(tokens.begin(), tokens.end());
  const auto twice = std::adjacent_find(tokens.begin(), tokens.end());
  t.Require("DET-INDEP-ROWS", twice == tokens.end(), [&] {
    return Finding{std::to_string(tokens.size()) + " streams", "different tokens in 8 steps",
                   "two streams with token " + std::to_string((*twice)[0]) + " and the next seven"};
  });
}

void Independence(const Case& at, Trial& t) {
  const SampleBatch rows = UnfilteredBatchOf(at, t);
  const auto tokens = Streams(rows, at, t);
  if (!tokens) return;
  Census(*tokens, t);
  const RowLaw law = LawOfRow(rows, 0, t, Slack::kNone);
  const Pooling blocks = Blocks(Probabilities(law), 16);
  Table neighbours(blocks), steps(blocks);
  for (size_t s = 0; s < tokens->size(); ++s)
    for (size_t j = 0; j < kSteps; ++j) {
      if (s % 2) neighbours.Add((*tokens)[s - 1][j], (*tokens)[s][j]);
      if (j % 2) steps.Add((*tokens)[s][j - 1], (*tokens)[s][j]);
    }
  t.Statistic("DET-INDEP-ROWS", neighbours.Judge());
  t.Statistic("DET-INDEP-STEPS", steps.Judge());
}

Domain IndependenceStreams(const Context& context) {
  const bool loops = MayLoopUnder(*context.operation, context.profile);
  const bool few = loops || IsLean(*context.operation);
  const bool law = Has(*context.operation, "draft_probs");
  Domain domain;
  const int64_t quick = law ? 4'096 : few ? 8'192 : 32'768, full = 100'000;
  const bool small = RowADraw(*context.operation);  // more streams would meet by chance
  domain.axes = {
      {&Case::vocab, {small ? 128 : 4096}},
      {&Case::family, {family::kFlat}},
      {&Case::draws,
       {std::min(CountAt(context.tier, quick, full), small ? full : kDeepTimes * full)}}};
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddSamplingIndependenceProperties(std::vector<Property>& all) {
  Property independence{
      "sampling_independence",
      AllSamplers(),
      {{"DET-INDEP-ROWS", Technique::kIndependence}, {"DET-INDEP-STEPS", Technique::kIndependence}},
      IndependenceStreams,
      Independence};
  independence.f32_only = true;
  all.push_back(independence);
}

}  // namespace assay
