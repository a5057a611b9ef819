// Every choice of a profile changes what host answers to at least one of a few calls.

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "conformance/subjects/host/verify_test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;

// Bits of all answers to calls that, between them, meet every choice.
class Answers {
 public:
  explicit Answers(const Profile& profile) : config_{.profile = profile, .numerics = {}} {
    Softmaxes();
    Filters();
    Samples();
    Mask();
    MatcherRows();
    Processors();
    Ratios();
    TargetOnly();
  }
  bool operator==(const Answers& other) const { return bits_ == other.bits_; }

 private:
  void Add(const FilterResult& result) {
    bits_.push_back(static_cast<uint32_t>(result.code));
    for (const float x : result.output) bits_.push_back(__builtin_bit_cast(uint32_t, x));
    for (const uint8_t x : result.status) bits_.push_back(x);
  }
  void Add(const SampleResult& result) {
    bits_.push_back(static_cast<uint32_t>(result.code));
    for (const int32_t x : result.ids) bits_.push_back(static_cast<uint32_t>(x));
    for (const uint8_t x : result.status) bits_.push_back(x);
  }
  void Add(const VerifyResult& result) {
    bits_.push_back(static_cast<uint32_t>(result.code));
    for (const Ids* ids :
         {&result.emitted, &result.accept_count, &result.accept_metric, &result.predicts})
      for (const int32_t x : *ids) bits_.push_back(static_cast<uint32_t>(x));
    for (const float x : result.draft) bits_.push_back(__builtin_bit_cast(uint32_t, x));
    for (const uint8_t x : result.status) bits_.push_back(x);
  }
  void Softmaxes() {
    for (const float t : {0.0f, 1.0f, -1.0f}) {
      for (const Floats& row : {Floats{1, 1, 0}, {kInf, 0, kInf}, {kNan, 0, 1}}) {
        Add(Invoke(config_, &Softmax, {.values = row, .temperature = t}));
      }
    }
    Add(Invoke(config_, &Softmax, {.values = NormalRow(9 * 300, 1, 1), .rows = 9}));
  }
  void Filters() {
    const Floats rows[] = {
        {0.25f, 0.25f, 0.25f, 0.25f}, {0.7f, 0.2f, 0.1f}, {0.25f, 0.125f, 0.125f},
        {1, 1e-30f, 0x1p-140f},       {kNan, 1},          {0, 0}};
    for (const Floats& row : rows) {
      for (const int32_t k : {0, 1, 2}) {
        Add(Invoke(config_, &TopKRenormProbs, {.values = row, .top_k = k}));
      }
      for (const float p : {0.0f, 0.3f, 0.5f, 1.0f, 2.0f}) {
        Add(Invoke(config_, &TopPRenormProbs, {.values = row, .top_p = p}));
        Add(Invoke(config_, &MinPRenormProbs, {.values = row, .min_p = p}));
      }
    }
  }
  void Samples() {
    const SampleInput injected{.probs = {0.25f, 0.25f, 0.25f, 0, 0, 0, 0, 0},
                               .rows = 2,
                               .indices = {0, 0, 0, 1},
                               .uniforms = {0.25, 0.5, 0.9, 0.5}};
    Add(Invoke(config_, &SamplingFromProbs, injected));
    Add(Invoke(config_, &SamplingFromProbs, {.probs = {0.5f, 0.5f}, .uniforms = {0.5}}));
    SampleInput drawn{.probs = Floats(64, 1.0f / 64), .indices = {0, 0, 0, 0}};
    drawn.seed = {1, 2, 3, 4};
    drawn.offset = {0, 1, 2, 3};
    Add(Invoke(config_, &SamplingFromProbs, drawn));
    ParametersByRow();
  }
  // Two distribution rows with other top_k, read in the other order.
  void ParametersByRow() {
    Floats probs = {0.25f, 0.75f, 0.25f, 0.75f};
    std::vector<int32_t> indices = {1, 0}, k = {1, 2}, ids(2);
    std::vector<double> uniforms = {0.1, 0.1};
    std::vector<uint8_t> status(2);
    float one = 1;
    const Tensor p(probs, 2, 2), i(indices), top_k(k), u(uniforms), id(ids), s(status), top_p(&one);
    CallOn on(config_, 2, 2);
    assay_sample_args args = {};
    args.size = sizeof args;
    args.filter_order = ASSAY_ORDER_JOINT;
    args.input = p.Get();
    args.indices = i.Get();
    args.top_k = top_k.Get();
    args.top_p = top_p.Get();
    args.uniforms = u.Get();
    args.ids = id.Get();
    args.status = s.Get();
    const int32_t code = TopKTopPSamplingFromProbs(&on.call, &args);
    Add(SampleResult{.code = code, .ids = ids, .status = status});
  }
  void Mask() {
    Mask(40, {-1});
    Mask(32, {-1, -1});
    MaskOfListed();
  }
  // The second row of two is listed alone.
  void MaskOfListed() {
    Floats logits(64, 1.0f);
    std::vector<int32_t> words = {0, -1}, list = {1};
    const Tensor values(logits, 2, 32), bits(words, 2, 1), rows(list);
    CallOn on(config_, 2, 32);
    const assay_mask_args args = {sizeof(args), 0,          0,       values.Get(),
                                  bits.Get(),   rows.Get(), nullptr, nullptr};
    const int32_t code = ApplyTokenBitmask(&on.call, &args);
    Add(FilterResult{.code = code, .output = logits, .status = {}, .message = {}});
  }
  void Mask(int64_t columns, std::vector<int32_t> words) {
    Floats logits(static_cast<size_t>(columns), 1.0f);
    const Tensor values(logits, 1, columns), bits(words, 1, std::ssize(words));
    CallOn on(config_, 1, columns);
    const assay_mask_args args = {sizeof(args), 0,       0,       values.Get(),
                                  bits.Get(),   nullptr, nullptr, nullptr};
    const int32_t code = ApplyTokenBitmask(&on.call, &args);
    Add(FilterResult{.code = code, .output = logits, .status = {}, .message = {}});
  }
  // Two tokens, of which the second ends; a mask behind it. Texts go on with the first, or not.
  void MatcherRows() {
    MatcherRows({0, -1});
    MatcherRows({-1, -1});
  }
  void MatcherRows(std::vector<int32_t> next) {
    std::vector<int32_t> stop_ids = {1}, start = {0}, op = {1, 3}, arg = {1, 0};
    std::vector<int32_t> parent = {-1, -1}, mask = {77, 77}, result = {77, 77};
    std::vector<uint8_t> may_end = {1}, ended = {77, 77};
    const Tensor table(next, 1, 2), ends(may_end), stops(stop_ids), starts(start), ops(op, 1, 2);
    const Tensor args(arg, 1, 2), parents(parent, 1, 2), masks(mask, 1, 2), results(result, 1, 2);
    const Tensor over(ended, 1, 2);
    CallOn on(config_, 1, 2);
    const assay_match_args passed = {
        sizeof(passed), 0,          table.Get(),   ends.Get(),  stops.Get(),   starts.Get(),
        ops.Get(),      args.Get(), parents.Get(), masks.Get(), results.Get(), over.Get()};
    const int32_t code = MatchTokens(&on.call, &passed);
    Add(SampleResult{.code = code, .ids = mask, .status = ended});
    Add(SampleResult{.code = code, .ids = result, .status = ended});
  }
  // Token 0 in the prompt, token 1 in the output, a bias on it, and a word across both.
  void Processors() {
    Floats logits = {2, 2, 2}, repetition = {2}, frequency = {1}, bias = {3};
    std::vector<int32_t> index = {0}, history = {0, 1}, prompt_len = {1}, total_len = {2};
    std::vector<int32_t> ids = {1}, begin = {0, 1}, words = {0, 1, 2}, word_begin = {0, 3};
    std::vector<uint8_t> status = {77};
    const Tensor values(logits, 1, 3), i(index), h(history, 1, 2), prompt(prompt_len);
    const Tensor total(total_len), r(repetition), f(frequency), b(bias), id(ids), from(begin);
    const Tensor word(words), word_from(word_begin), s(status);
    CallOn on(config_, 1, 3);
    assay_process_args args = {};
    args.size = sizeof args;
    args.logits = values.Get();
    args.index = i.Get();
    args.history = h.Get();
    args.prompt_len = prompt.Get();
    args.total_len = total.Get();
    args.repetition = r.Get();
    args.frequency = f.Get();
    args.bias_ids = id.Get();
    args.bias_begin = from.Get();
    args.bias = b.Get();
    args.bad_words = word.Get();
    args.bad_words_begin = word_from.Get();
    args.bad_words_slot = from.Get();
    args.status = s.Get();
    const int32_t code = ApplyLogitsProcessors(&on.call, &args);
    Add(FilterResult{.code = code, .output = logits, .status = status, .message = {}});
  }
  // One draft and its coin: on the edge, of no draft probability, none, of rows that leave nothing.
  void Ratios() {
    struct Draft {
      int32_t id;
      float p, q;
      double u;
    };
    for (const auto& [id, p, q, u] :
         {Draft{1, 0.25f, 0.5f, 0.5}, {1, 0.5f, 0, 0.5}, {-1, 0.5f, 1, 0.5}, {1, 1, 1, 1}})
      Add(Invoke(config_, {.offsets = {0, 2},
                           .candidates = {0, id},
                           .target = {1 - p, p, 1, 0},
                           .draft = {1 - q, q, 1, 0},
                           .coins = {u, 0},
                           .final_coins = {0.75},
                           .counter = 3}));
    Add(Invoke(config_, {.offsets = {0, 2},
                         .candidates = {0, 1},
                         .target = {0.75f, 0.25f, 1, 0},
                         .draft = {0, 1, 1, 0},
                         .coins = {0.25, 0},
                         .final_coins = {0.75}}));
    for (int64_t seed = 0; seed < 8; ++seed)
      Add(Invoke(config_, {.offsets = {0, 2},
                           .candidates = {0, 1},
                           .target = {0.5f, 0.5f, 1, 0},
                           .draft = {0, 1, 1, 0},
                           .seed = {seed},
                           .offset = {0}}));
  }

  // Siblings of one id, with a coin at the mass of the first, at both, and above.
  void TargetOnly() {
    for (const double coin : {0.25, 0.375, 0.75}) {
      const VerifyInput in{.offsets = {0, 3},
                           .candidates = {9, 0, 0},
                           .next_token = {1, -1, -1},
                           .next_sibling = {-1, 2, -1},
                           .rows = {0, 1, 2},
                           .target = {0.25f, 0.75f, 1, 0, 0, 1},
                           .draft = {0, 0.5f, 0, 0, 0, 0},
                           .coins = {coin, 0, 0},
                           .final_coins = {0.5}};
      Add(Invoke(config_, &TreeSpeculativeSamplingTargetOnly, in));
    }
  }

  Config config_;
  std::vector<uint32_t> bits_;
};

TEST(Profiles, EveryChoiceChangesAnAnswer) {
  const std::function<void(Profile&)> changes[] = {
      [](Profile& p) { p.temperature_zero = TemperatureZero::kUniform; },
      [](Profile& p) { p.argmax_ties = ArgmaxTies::kHighest; },
      [](Profile& p) { p.inf_logit = InfLogit::kCertain; },
      [](Profile& p) { p.top_k_ties = TopKTies::kKeepAll; },
      [](Profile& p) { p.top_k_zero = TopKZero::kReport; },
      [](Profile& p) { p.top_p_boundary = TopPBoundary::kClosed; },
      [](Profile& p) { p.top_p_ties = TopPTies::kKeepAll; },
      [](Profile& p) { p.top_p_mass = TopPMass::kAbsolute; },
      [](Profile& p) { p.top_p_zero = TopPZero::kReport; },
      [](Profile& p) { p.top_p_one = TopPOne::kByMass; },
      [](Profile& p) { p.min_p_edge = MinPEdge::kAbove; },
      [](Profile& p) { p.row_sum = RowSum::kLastPositive; },
      [](Profile& p) { p.cdf_edge = CdfEdge::kReach; },
      [](Profile& p) { p.empty_row = EmptyRow::kTokenZero; },
      [](Profile& p) { p.nan_row = NanRow::kExclude; },
      [](Profile& p) { p.bad_param = BadParam::kOff; },
      [](Profile& p) { p.reciprocal = Reciprocal::kApproximate; },
      [](Profile& p) { p.subnormals = Subnormals::kFlush; },
      [](Profile& p) { p.param_index = ParamIndex::kOutputRow; },
      [](Profile& p) { p.seed_scope = SeedScope::kOne; },
      [](Profile& p) { p.stream = Stream::kUnstated; },
      [](Profile& p) { p.batch = Batch::kMayDiffer; },
      [](Profile& p) { p.mask_beyond = MaskBeyond::kUntouched; },
      [](Profile& p) { p.mask_wider = MaskWider::kRefused; },
      [](Profile& p) { p.mask_beyond = MaskBeyond::kRefused; },
      [](Profile& p) { p.mask_rows = MaskRows::kShared; },
      [](Profile& p) { p.matcher_end = MatcherEnd::kWholeText; },
      [](Profile& p) { p.mask_after_end = MaskAfterEnd::kAll; },
      [](Profile& p) { p.mask_after_end = MaskAfterEnd::kUntouched; },
      [](Profile& p) { p.repetition_scope = RepetitionScope::kOutput; },
      [](Profile& p) { p.processor_order = ProcessorOrder::kBiasFirst; },
      [](Profile& p) { p.processor_order = ProcessorOrder::kAdditiveFirst; },
      [](Profile& p) { p.ban_scope = BanScope::kPromptAndOutput; },
      [](Profile& p) { p.ratio_edge = AcceptEdge::kReach; },
      [](Profile& p) { p.draft_zero = DraftZero::kReject; },
      [](Profile& p) { p.no_draft = NoDraft::kReject; },
      [](Profile& p) { p.residual_empty = ResidualEmpty::kReport; },
      [](Profile& p) { p.residual_empty = ResidualEmpty::kTokenZero; },
      [](Profile& p) { p.accept_metric = AcceptMetric::kSecondChance; },
      [](Profile& p) { p.counter_mode = CounterMode::kAdded; },
      [](Profile& p) { p.emitted_tail = EmittedTail::kUnspecified; },
      [](Profile& p) { p.target_only_edge = AcceptEdge::kReach; },
      [](Profile& p) { p.target_only_draft = TargetOnlyDraft::kTakenAway; },
      [](Profile& p) { p.siblings = Siblings::kTwice; },
  };
  const Answers strict{Profile{}};
  EXPECT_TRUE(strict == Answers{Profile{}});
  for (size_t i = 0; i < std::size(changes); ++i) {
    Profile changed;
    changes[i](changed);
    EXPECT_FALSE(strict == Answers{changed}) << "change " << i;
  }
}

// A profile whose values are illegal is never asked about them; it must still not break.
TEST(Profiles, IllegalValuesAreSafe) {
  Profile illegal;
  illegal.temperature_zero = TemperatureZero::kIllegal;
  illegal.inf_logit = InfLogit::kIllegal;
  illegal.top_k_zero = TopKZero::kIllegal;
  illegal.top_p_zero = TopPZero::kIllegal;
  illegal.row_sum = RowSum::kIllegal;
  illegal.nan_row = NanRow::kIllegal;
  illegal.bad_param = BadParam::kIllegal;
  illegal.subnormals = Subnormals::kUnspecified;
  illegal.mask_beyond = MaskBeyond::kIllegal;
  illegal.mask_wider = MaskWider::kIllegal;
  illegal.no_draft = NoDraft::kIllegal;
  illegal.bad_draft = BadDraft::kIllegal;
  EXPECT_TRUE(Answers{illegal} == Answers{Profile{}});
}

}  // namespace
}  // namespace assay::host
