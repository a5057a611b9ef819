// gather_token_logprobs: the value at its stage, the rank, and tokens that are none.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/logprob_checks.h"
#include "conformance/properties/logprob_rows.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/transform.h"
#include "conformance/show.h"

namespace assay {
namespace {

using logprob::Law;

std::vector<Law> LawsOf(const Case& at, const Inputs& in, const Trial& t) {
  std::vector<Law> laws;
  for (int64_t r = 0; r < in.rows; ++r) laws.push_back(logprob::LawOf(at, r, in, t));
  return laws;
}

// The largest token, one at `place`, one beside the cut, or any.
int64_t TokenOf(const Case& at, int64_t r, const Law& law) {
  const int64_t any = RowToken(at, r), kind = (r + at.seed) % 4;
  if (law.status != RowStatus::kOk || kind == 0) return any;
  if (kind == 1) return PlaceOf(at.place, at.vocab);
  int64_t chosen = any;  // the deepest that is kept, or the largest
  for (size_t i = 0; i < law.depth.size(); ++i) {
    if (law.member[i] == logprob::Member::kOut) continue;
    const auto c = static_cast<size_t>(chosen);
    const bool better = kind == 2 ? law.depth[i] > law.depth[c] : law.depth[i] < law.depth[c];
    if (law.member[c] == logprob::Member::kOut || better) chosen = static_cast<int64_t>(i);
  }
  return chosen;
}

std::string NameOf(const Law& law, int64_t r, size_t token) {
  return TokenName(r, static_cast<int64_t>(token)) + " (logit " + Show(law.logit[token]) + ")";
}

// What is wrong with a row's output, by what it is about.
struct Wrong {
  std::optional<Finding> refusal, outside, rank;
  logprob::Entry entry;
  bool rank_open = false;
};
Wrong WrongOf(const Law& law, const Tensors& out, int64_t r, size_t token, const Trial& t) {
  Wrong wrong;
  wrong.refusal = law.status == RowStatus::kOk ? WrongStatus(t, out, r, law.status)
                                               : logprob::WrongRefusal(t, out, r, law.status);
  if (wrong.refusal || law.status != RowStatus::kOk) return wrong;
  const double got = out.at("logprobs").Get(0, r);
  wrong.entry = logprob::Compare(law, token, got);
  if (wrong.entry.outside)
    wrong.outside = Finding{NameOf(law, r, token), "-inf: outside of the law", Show(got)};
  const logprob::Ranks ranks = logprob::RanksOf(law, token, t.profile());
  const int64_t rank = out.at("ranks").GetInt(r);
  wrong.rank_open = ranks.least != ranks.most;
  if (rank < ranks.least || rank > ranks.most)
    wrong.rank = Finding{NameOf(law, r, token),
                         "rank " + std::to_string(ranks.least) +
                             (wrong.rank_open ? " to " + std::to_string(ranks.most) : ""),
                         "rank " + std::to_string(rank)};
  return wrong;
}

Finding ValueFinding(const Law& law, const Tensors& out, int64_t r, size_t token) {
  return {NameOf(law, r, token), logprob::Expected(law, token) + ", within its budget",
          Show(out.at("logprobs").Get(0, r))};
}

void RequireRow(const Law& law, const Tensors& out, int64_t r, size_t token, Trial& t) {
  const Wrong wrong = WrongOf(law, out, r, token, t);
  const bool empty = law.status == RowStatus::kEmpty;
  if (wrong.refusal || law.status != RowStatus::kOk) {
    t.Require(empty ? "ROBUST-EMPTY-ROW" : "LOGP-VALUE-STAGE", !wrong.refusal,
              [&] { return *wrong.refusal; });
    return;
  }
  t.Require("LOGP-NORM-ONE", !wrong.outside, [&] { return *wrong.outside; });
  if (law.logit[token] == -HUGE_VAL)
    t.Require("MASK-SAMPLE-ABSORB", !wrong.outside, [&] { return *wrong.outside; });
  if (law.member[token] == logprob::Member::kOpen) t.Undecided("LOGP-VALUE-STAGE");
  t.RequireWithin("LOGP-VALUE-STAGE", wrong.entry.use, wrong.entry.warn,
                  [&] { return ValueFinding(law, out, r, token); });
  if (wrong.rank_open) t.Undecided("LOGP-RANK");
  t.Require("LOGP-RANK", !wrong.rank, [&] { return *wrong.rank; });
}

void ValueAndRank(const Case& at, Trial& t) {
  Inputs in = logprob::StageInputs(at, t);
  const std::vector<Law> laws = LawsOf(at, in, t);
  Tensor& tokens = in.tensors.at("tokens");
  for (int64_t r = 0; r < at.rows; ++r)
    tokens.SetInt(r, TokenOf(at, r, laws[static_cast<size_t>(r)]));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r)
    RequireRow(laws[static_cast<size_t>(r)], *out, r, static_cast<size_t>(tokens.GetInt(r)), t);
}

// One row, as often as it has tokens.
void SumsToOne(const Case& at, Trial& t) {
  Case one = at;
  one.rows = 1;
  const std::vector<int64_t> copies(static_cast<size_t>(at.vocab), 0);
  Inputs in = TakeRows(logprob::StageInputs(one, t), copies, t);
  for (int64_t c = 0; c < at.vocab; ++c) in.tensors.at("tokens").SetInt(c, c);
  const Law law = logprob::LawOf(one, 0, in, t);
  const auto out = t.Call(in);
  if (!out || law.status != RowStatus::kOk) return;
  std::vector<double> entries;
  for (int64_t c = 0; c < at.vocab; ++c) entries.push_back(out->at("logprobs").Get(0, c));
  logprob::RequireSum(law, 0, entries, t);
}

// Tokens outside [0, V) between good ones.
void BadTokens(const Case& at, Trial& t) {
  const int64_t bad[] = {-1, at.vocab, INT32_MIN, INT32_MAX};
  Inputs in = logprob::StageInputs(at, t);
  Tensor& tokens = in.tensors.at("tokens");
  for (int64_t r = 0; r < at.rows; r += 2) tokens.SetInt(r, bad[(at.seed + r / 2) % 4]);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    std::optional<Finding> wrong;
    if (r % 2 == 0)
      wrong = logprob::WrongRefusal(t, *out, r, RowStatus::kToken);
    else
      wrong = WrongStatus(t, *out, r, logprob::LawOf(at, r, in, t).status);
    t.Require("ROBUST-TOKEN-REFUSE", !wrong, [&] { return *wrong; });
  }
}

std::string TokensUnsupported(const Context& context) {
  return context.profile.bad_param == BadParam::kIllegal
             ? "the profile promises nothing for tokens outside the row"
             : "";
}

void EveryVocab(const Case& at, Trial& t) {
  Inputs in = logprob::StageInputs(at, t);
  Tensor& tokens = in.tensors.at("tokens");
  for (int64_t r = 0; r < at.rows; ++r)
    tokens.SetInt(r, r % 2 == 0 ? PlaceOf(at.place, at.vocab) : RowToken(at, r));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto token = static_cast<size_t>(tokens.GetInt(r));
    const Law law = logprob::LawOf(at, r, in, t);
    const Wrong wrong = WrongOf(law, *out, r, token, t);
    const bool right = !wrong.refusal && !wrong.outside && !wrong.rank && wrong.entry.use <= 1;
    t.Require("BUF-VOCAB-SWEEP", right, [&] {
      return wrong.refusal   ? *wrong.refusal
             : wrong.outside ? *wrong.outside
             : wrong.rank    ? *wrong.rank
                             : ValueFinding(law, *out, r, token);
    });
  }
}

Domain Sums(const Context& context) {
  Domain domain = logprob::AnyStage(context);
  for (Axis& axis : domain.axes) {
    if (axis.field == &Case::vocab) axis = {&Case::vocab, {33, 1, 2, 3, 8, 97}};
    if (axis.field == &Case::rows) axis.values = {1};
  }
  domain.quick = 20;
  domain.full = 300;
  return domain;
}

Domain TokenRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {33, 1, 2, 31, 32, 1025}},
                 {&Case::family, {int64_t{logits::kNarrow}}},
                 {&Case::rows, {8, 1, 3}},
                 {&Case::special, {logprob::kRaw, logprob::kMasked, logprob::kProcessed}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

}  // namespace

void AddLogprobProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> gather = {"gather_token_logprobs"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"gather_logprob_rows",
                 gather,
                 {{"LOGP-VALUE-STAGE", Technique::kCoupling},
                  {"LOGP-NORM-ONE", kExact},
                  {"LOGP-RANK", kExact},
                  {"MASK-SAMPLE-ABSORB", kExact},
                  {"ROBUST-EMPTY-ROW", kExact}},
                 logprob::AnyStage,
                 ValueAndRank});
  all.push_back(
      {"gather_logprob_sums", gather, {{"LOGP-NORM-ONE", Technique::kBounds}}, Sums, SumsToOne});
  all.push_back({"gather_logprob_tokens",
                 gather,
                 {{"ROBUST-TOKEN-REFUSE", kExact}},
                 TokenRows,
                 BadTokens,
                 TokensUnsupported});
  all.push_back({"gather_logprob_vocab_sweep",
                 gather,
                 {{"BUF-VOCAB-SWEEP", kExact}},
                 logprob::EverySize,
                 EveryVocab});
}

}  // namespace assay
