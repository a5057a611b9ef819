// top_n_logprobs: which tokens, in which order, with which values.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/logprob_checks.h"
#include "conformance/properties/logprob_rows.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"

namespace assay {
namespace {

using logprob::Law;

constexpr double kUlps = 0x1p-21;  // by which an approximate exp may fail to be monotone

struct List {
  std::vector<int32_t> ids;
  std::vector<double> values;
};
List ListOf(const Tensors& out, int64_t r) {
  List list{{}, out.at("top_logprobs").Row(r)};
  for (int64_t i = 0; i < out.at("top_ids").cols(); ++i)
    list.ids.push_back(static_cast<int32_t>(out.at("top_ids").GetInt(r, i)));
  return list;
}

// The worst entry of a list, and the first of a token that the law does not hold; of one whose
// logit is -inf under the mask.
struct Worst {
  logprob::Entry entry;
  size_t at = 0;
  std::optional<size_t> outside, masked;
};
Worst WorstOf(const Law& law, const List& list) {
  Worst worst;
  for (size_t i = 0; i < list.ids.size(); ++i) {
    const auto token = static_cast<size_t>(list.ids[i]);
    const logprob::Entry entry = logprob::Compare(law, token, list.values[i]);
    if (entry.outside && !worst.outside) worst.outside = i;
    if (entry.outside && !worst.masked && law.logit[token] == -HUGE_VAL) worst.masked = i;
    if (entry.use <= worst.entry.use) continue;
    worst.entry = entry;
    worst.at = i;
  }
  return worst;
}

Finding EntryFinding(const Law& law, int64_t r, size_t i, const List& list) {
  const int32_t id = list.ids[i];
  return {RowName(r) + " entry " + std::to_string(i) + " (token " + std::to_string(id) + ")",
          logprob::Expected(law, static_cast<size_t>(id)) + ", within its budget",
          Show(list.values[i])};
}

// An entry above the one before it.
std::optional<Finding> Rises(int64_t r, const std::vector<double>& values) {
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[i - 1] + kUlps * std::max(1.0, std::fabs(values[i - 1])))
      return Finding{RowName(r) + " entry " + std::to_string(i), "at most " + Show(values[i - 1]),
                     Show(values[i])};
  return std::nullopt;
}

void RequireList(const Law& law, const Tensors& out, int64_t r, Trial& t) {
  const List list = ListOf(out, r);
  logprob::ListFindings found = logprob::CheckList(law, r, list.ids);
  if (!t.Require("LOGP-TOPN-RANK", !found.distinct, [&] { return *found.distinct; })) return;
  if (!found.order) found.order = Rises(r, list.values);
  if (found.open) t.Undecided("LOGP-TOPN-RANK");
  t.Require("LOGP-TOPN-RANK", !found.order, [&] { return *found.order; });
  t.Require("LOGP-TOPN-TIES", !found.ties, [&] { return *found.ties; });
  const Worst worst = WorstOf(law, list);
  t.Require("LOGP-NORM-ONE", !worst.outside,
            [&] { return EntryFinding(law, r, *worst.outside, list); });
  t.Require("MASK-SAMPLE-ABSORB", !worst.masked,
            [&] { return EntryFinding(law, r, *worst.masked, list); });
  t.RequireWithin("LOGP-VALUE-STAGE", worst.entry.use, worst.entry.warn,
                  [&] { return EntryFinding(law, r, worst.at, list); });
}

// Of a good row's list, whatever it is about.
std::optional<Finding> WrongList(const Law& law, const Tensors& out, int64_t r, const Trial& t) {
  const List list = ListOf(out, r);
  const logprob::ListFindings found = logprob::CheckList(law, r, list.ids);
  if (found.distinct) return found.distinct;
  if (found.order) return found.order;
  if (found.ties && t.profile().top_k_ties == TopKTies::kCutLowest) return found.ties;
  const Worst worst = WorstOf(law, list);
  if (worst.outside) return EntryFinding(law, r, *worst.outside, list);
  if (worst.entry.use > 1) return EntryFinding(law, r, worst.at, list);
  return std::nullopt;
}

std::optional<Finding> WrongStatusOf(const Law& law, const Tensors& out, int64_t r,
                                     const Trial& t) {
  if (law.status != RowStatus::kOk) return logprob::WrongRefusal(t, out, r, law.status);
  return WrongStatus(t, out, r, law.status);
}

void ListsTheLargest(const Case& at, Trial& t) {
  const Inputs in = logprob::StageInputs(at, t);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const Law law = logprob::LawOf(at, r, in, t);
    const auto wrong = WrongStatusOf(law, *out, r, t);
    if (wrong || law.status != RowStatus::kOk) {
      const bool empty = law.status == RowStatus::kEmpty;
      t.Require(empty ? "ROBUST-EMPTY-ROW" : "LOGP-VALUE-STAGE", !wrong, [&] { return *wrong; });
      continue;
    }
    RequireList(law, *out, r, t);
  }
}

// The whole row is listed.
void SumsToOne(const Case& at, Trial& t) {
  Inputs in = logprob::StageInputs(at, t);
  in.numbers["n"] = at.vocab;
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const Law law = logprob::LawOf(at, r, in, t);
    if (law.status == RowStatus::kOk) logprob::RequireSum(law, r, ListOf(*out, r).values, t);
  }
}

Domain Sums(const Context& context) {
  Domain domain = logprob::AnyStage(context);
  for (Axis& axis : domain.axes)
    if (axis.field == &Case::vocab) axis = VocabAxis(context, 4097);
  domain.quick = 20;
  domain.full = 300;
  return domain;
}

void EveryVocab(const Case& at, Trial& t) {
  const Inputs in = logprob::StageInputs(at, t);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const Law law = logprob::LawOf(at, r, in, t);
    auto wrong = WrongStatusOf(law, *out, r, t);
    if (!wrong && law.status == RowStatus::kOk) wrong = WrongList(law, *out, r, t);
    t.Require("BUF-VOCAB-SWEEP", !wrong, [&] { return *wrong; });
  }
}

}  // namespace

void AddTopNProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> top_n = {"top_n_logprobs"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"top_n_rows",
                 top_n,
                 {{"LOGP-VALUE-STAGE", Technique::kCoupling},
                  {"LOGP-NORM-ONE", kExact},
                  {"LOGP-TOPN-RANK", kExact},
                  {"LOGP-TOPN-TIES", kExact},
                  {"MASK-SAMPLE-ABSORB", kExact},
                  {"ROBUST-EMPTY-ROW", kExact}},
                 logprob::AnyStage,
                 ListsTheLargest});
  all.push_back({"top_n_sums", top_n, {{"LOGP-NORM-ONE", Technique::kBounds}}, Sums, SumsToOne});
  all.push_back(
      {"top_n_vocab_sweep", top_n, {{"BUF-VOCAB-SWEEP", kExact}}, logprob::EverySize, EveryVocab});
}

}  // namespace assay
