// Steps of a decoding loop refill one set of buffers: each is what it is by itself, whatever masks
// lay there before.

#include <array>
#include <string>

#include "conformance/matchers.h"
#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/properties/masked_rows.h"
#include "conformance/properties/sampling.h"
#include "conformance/properties/transform.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/masked.h"

namespace assay {
namespace {

// Three steps take turns, long enough for a subject to think that its buffers no longer change. The
// first row is alike in all of them; kOther has another one.
constexpr int64_t kMasks = 3, kSteps = 12, kOther = kMasks;

// What row `row` of a step is made from.
Case RowCase(const Case& at, int64_t row, int64_t step) {
  Case own = at;
  own.seed += row > 0 || step == kOther ? step + 1 : 0;
  own.place += own.seed - at.seed;
  return own;
}
// One row in three has no mask in a step.
bool IsPlain(int64_t row, int64_t step) { return row > 0 && (row + step) % 3 == 0; }

// ---- Rows of tokens.

std::vector<bool> MaskBits(const Case& at, int64_t row, int64_t step) {
  const bool plain = IsPlain(row, step);
  std::vector<bool> bits(static_cast<size_t>(at.vocab), plain);
  const std::vector<int32_t> allowed = masked::AllowedTokens(RowCase(at, row, step), row);
  for (const int32_t id : allowed) bits[static_cast<size_t>(id)] = true;
  return bits;
}

Inputs RowStep(const Case& at, int64_t step, const Trial& t) {
  Inputs in = AnyInputs(at, t);
  if (const auto masks = in.tensors.find("bitmask"); masks != in.tensors.end()) {
    for (int64_t r = 0; r < masks->second.rows(); ++r)
      mask::SetMask(masks->second, r, MaskBits(at, r, step));
    return in;
  }
  Tensor& values = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < values.rows(); ++r)
    if (!IsPlain(r, step)) values.SetRow(r, masked::MaskedRow(RowCase(at, r, step), r, t));
  return in;
}

// ---- Requests.

Inputs RequestStep(const Case& at, int64_t step, const Trial& t) {
  VerifyBatch batch = EmptyBatch(at, t);
  batch.injected = GivesCoins(t);
  for (int64_t b = 0; b < at.rows; ++b) {
    VerifyRequest& request = batch.requests[static_cast<size_t>(b)];
    CaseRandom random(RowCase(at, b, step), b, 131);
    std::vector<Allowed> masks(static_cast<size_t>(request.rows()));
    for (Allowed& mask : masks)
      if (!IsPlain(b, step)) mask = MaskOf(MaskKind::kTwoIds, at.vocab, random);
    PutLaws(masks, at.vocab, random, request);
    PutChain(request);
    PutDraftRows(masks, at.vocab, true, request);
    PutCoins(random, request);
  }
  return VerifyCall(batch, t);
}

// ---- Matchers. Another grammar in each step: the states have other numbers.

TokenDfa Renumbered(const TokenDfa& dfa, int64_t by) {
  TokenDfa made = dfa;
  const auto now = [&](int64_t state) { return (state + by) % dfa.states(); };
  for (int32_t state = 0; state < dfa.states(); ++state) {
    made.may_end[static_cast<size_t>(now(state))] = dfa.may_end[static_cast<size_t>(state)];
    for (int32_t token = 0; token < dfa.vocab; ++token) {
      const int32_t next = dfa.Next(state, token);
      made.next[static_cast<size_t>(now(state) * dfa.vocab + token)] =
          next == kRefused ? kRefused : static_cast<int32_t>(now(next));
    }
  }
  return made;
}

Inputs MatcherStep(const Case& at, int64_t step, const Trial& t) {
  MatchBatch batch = TypicalMatchers(RowCase(at, 0, step), t.profile());
  for (int64_t r = 1; r < at.rows; ++r) {
    const MatchBatch own = TypicalMatchers(RowCase(at, r, step), t.profile());
    batch.rows[static_cast<size_t>(r)] = own.rows[static_cast<size_t>(r)];
  }
  const int64_t states = batch.dfa.states();
  for (MatchRow& row : batch.rows) row.start = static_cast<int32_t>((row.start + step) % states);
  batch.dfa = Renumbered(batch.dfa, step);
  Inputs in;
  PutMatchers(batch, &in);
  return in;
}

Inputs StepCall(const Case& at, int64_t step, const Trial& t) {
  if (IsVerifier(t.operation())) return RequestStep(at, step, t);
  if (FindField(t.operation(), "transitions")) return MatcherStep(at, step, t);
  return RowStep(at, step, t);
}

// By itself: behind a call whose rows are all others, so that nothing of its place is known.
std::optional<Tensors> Alone(const Inputs& in, const Inputs& other, Trial& t) {
  return t.Call(other) ? t.Call(in) : std::nullopt;
}

void StepsAreFresh(const Case& at, Trial& t) {
  const Inputs other = StepCall(at, kOther, t);
  std::array<Inputs, kMasks> steps;
  std::array<Tensors, kMasks> alone;
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i] = StepCall(at, static_cast<int64_t>(i), t);
    auto out = Alone(steps[i], other, t);
    if (!out) return;
    alone[i] = std::move(*out);
  }
  std::vector<Inputs> calls;
  for (size_t i = 0; i < kSteps; ++i) calls.push_back(steps[i % steps.size()]);
  const auto out = t.CallAll(Mode::kInTurn, calls);
  for (size_t i = 0; out && i < out->size(); ++i)
    RequireSame(t, "MASK-BUFFER-FRESH", alone[i % alone.size()], (*out)[i],
                "step " + std::to_string(i + 1) + " in the buffers of the first");
}

Domain Steps(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, {3, 2, 9}, {100, 33, 1025});
  for (Axis& axis : domain.axes) {
    axis.alone.assign(axis.values.begin() + 1, axis.values.end());
    axis.values.resize(1);
    if (axis.field == &Case::family) axis = {axis.field, {family::kNormal}};
  }
  domain.axes.push_back(
      {&Case::special, {masked::kHalf}, {masked::kLone, masked::kPair, masked::kWord}});
  domain.max_elements = 1 << 14;
  domain.quick = 2;
  domain.full = 40;
  return domain;
}

std::vector<std::string_view> BehindMasks() {
  std::vector<std::string_view> names = AllSamplers();
  for (const std::string_view name : {"argmax", "apply_token_bitmask", "gather_token_logprobs",
                                      "top_n_logprobs", "token_matcher"})
    names.push_back(name);
  const std::vector<std::string_view> verifiers = Verifiers();
  names.insert(names.end(), verifiers.begin(), verifiers.end());
  return names;
}

}  // namespace

void AddMaskStepProperties(std::vector<Property>& all) {
  all.push_back({"mask_steps",
                 BehindMasks(),
                 {{"MASK-BUFFER-FRESH", Technique::kMetamorphic}},
                 Steps,
                 StepsAreFresh});
}

}  // namespace assay
