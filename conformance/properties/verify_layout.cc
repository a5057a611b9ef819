// Where verifiers read and write, whatever their rule: rows of a request among others, tails,
// counters. Most batches are of tag rows (conformance/verify/tags.h).

#include <algorithm>
#include <map>

#include "conformance/properties/all.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/tags.h"

namespace assay {
namespace {

constexpr int32_t kOtherFill = 0x5A5A5A5A;

VerifyOutcome OutcomeFor(const VerifyBatch& batch, size_t request, const Trial& trial) {
  return Expected(batch, request, true, trial).outcomes.front();
}

std::string RequestName(size_t request) { return "request " + std::to_string(request); }

// ---- Every way to accept drafts, on tag rows. --------------------------------------------------

void TagRowsOf(const Case& at, std::span<const TagShape> shapes, Trial& t) {
  const VerifyBatch batch = TagBatch(at, t, shapes);
  const auto told = Verify(batch, t);
  const bool laws = ReadsLaws(t.operation());
  for (size_t b = 0; told && b < told->size(); ++b) {
    const Told& got = (*told)[b];
    const VerifyOutcome want = OutcomeFor(batch, b, t);
    const auto finding = [&] { return Finding{RequestName(b), Show(want), Show(got)}; };
    const bool right = laws ? SamePath(got, {.outcomes = {want}}) : Agrees(got, want, t);
    t.Require(AcceptClause(t.operation()), right, finding);
    const int64_t row = FirstRow(batch, b) + got.rows.back();
    t.Require("VERIFY-TARGET-ROWS", got.emitted.back() == TagOf(at, row), [&] {
      return Finding{RequestName(b) + ", last token after row " + std::to_string(row),
                     "the row's tag " + std::to_string(TagOf(at, row)), Show(got)};
    });
  }
}

void TagRows(const Case& at, Trial& t) {
  const std::vector<TagShape> shapes = PatternShapes(at, t);
  for (const auto& part : InCalls(shapes)) TagRowsOf(at, part, t);
}

Domain Tags(const Context& context) {
  Domain domain;
  const bool laws = ReadsLaws(*context.operation);
  domain.axes = {{&Case::drafts, {3, 0, 1, 2, 4, 5}, {6, 7, 8}},
                 {&Case::vocab, {67, 5, 32, 331}, {1031}}};
  if (laws)
    domain.axes.front().alone =
        context.tier != Tier::kQuick ? std::vector<int64_t>{6, 7, 8} : std::vector<int64_t>{6};
  domain.quick = 6;
  domain.full = 100;
  return domain;
}

// ---- What a call leaves as it was, and what it writes after the tokens. ------------------------

// The first entry of row b from `first` on that is not `want`.
std::optional<Finding> WrongTail(std::string_view name, const Tensor& tensor, int64_t b,
                                 int64_t first, int32_t want, std::string_view what) {
  for (int64_t i = first; i < tensor.cols(); ++i)
    if (tensor.GetInt(b, i) != want)
      return Finding{
          std::string(name) + " of request " + std::to_string(b) + ", entry " + std::to_string(i),
          std::to_string(want) + ", " + std::string(what), std::to_string(tensor.GetInt(b, i))};
  return std::nullopt;
}

struct Written {
  const VerifyBatch& batch;
  const Tensors& out;
  int32_t fill;
  const Trial& trial;

  const VerifyRequest& Request(int64_t b) const { return batch.requests[static_cast<size_t>(b)]; }
};

std::optional<Finding> WrongIndex(const Written& at, int64_t b, int64_t count) {
  const Tensor& index = at.out.at("accept_index");
  const int64_t first = FirstRow(at.batch, static_cast<size_t>(b));
  for (int64_t i = 0; !ReadsLinks(at.trial.operation()) && i <= count; ++i)
    if (index.GetInt(b, i) != first + i)
      return Finding{
          "accept_index of request " + std::to_string(b) + ", entry " + std::to_string(i),
          std::to_string(first + i), std::to_string(index.GetInt(b, i))};
  return WrongTail("accept_index", index, b, count + 1, at.fill, "as it was");
}

std::optional<Finding> WrongMask(const Written& at, int64_t b, int64_t count) {
  const int64_t first = FirstRow(at.batch, static_cast<size_t>(b));
  for (int64_t i = 0; i < at.Request(b).rows(); ++i) {
    const int64_t got = at.out.at("accept_mask").GetInt(first + i);
    if (got != (i <= count))
      return Finding{"accept_mask of request " + std::to_string(b) + ", row " + std::to_string(i),
                     i <= count ? "1" : "0", std::to_string(got)};
  }
  const int64_t last = at.out.at("last_row").GetInt(b);
  if (last == first + count) return std::nullopt;
  return Finding{"last_row of request " + std::to_string(b), std::to_string(first + count),
                 std::to_string(last)};
}

std::optional<Finding> WrongEmitted(const Written& at, int64_t b, int64_t tokens) {
  const Tensor& emitted = at.out.at("emitted");
  if (at.trial.profile().emitted_tail != EmittedTail::kMinusOne) return std::nullopt;
  return WrongTail("emitted", emitted, b, tokens, -1, "after the last token");
}

// Of which nothing is tested: only its row counts as committed.
std::optional<Finding> WrongPlain(const Written& at, int64_t b) {
  if (auto wrong = WrongTail("emitted", at.out.at("emitted"), b, 0, at.fill, "as it was"))
    return wrong;
  const int64_t count = at.out.at("accept_count").GetInt(b);
  if (count != at.Request(b).counter)
    return Finding{"accept_count of request " + std::to_string(b),
                   std::to_string(at.Request(b).counter) + ", as it was", std::to_string(count)};
  return WrongMask(at, b, 0);
}

std::optional<Finding> WrongLayout(const Written& at, int64_t b, const Told& told) {
  const bool mask = at.out.count("accept_mask");
  if (mask && at.Request(b).rows() == 1) return WrongPlain(at, b);
  const int64_t count = told.accepted;
  if (at.out.count("accept_index")) return WrongIndex(at, b, count);
  if (auto wrong = mask ? WrongMask(at, b, count) : std::nullopt) return wrong;
  return WrongEmitted(at, b, mask ? count : count + 1);
}

// Requests whose count is out of range are another clause's business.
void Tails(const Case& at, Trial& t) {
  const int32_t fill = at.special == 0 ? -1 : kOtherFill;
  const auto shapes = PatternShapes(at, t);
  const VerifyBatch batch = TagBatch(at, t, shapes, at.drafts + 1 + at.place);
  const auto out = t.Call(VerifyCall(batch, t, fill));
  if (!out) return;
  const std::vector<Told> told = ReadAnswers(batch, *out, t);
  for (size_t b = 0; b < told.size(); ++b) {
    if (told[b].accepted < 0 || told[b].accepted >= batch.requests[b].rows()) continue;
    const auto wrong = WrongLayout({batch, *out, fill, t}, static_cast<int64_t>(b), told[b]);
    t.Require("VERIFY-FILL-TAIL", !wrong, [&] { return *wrong; });
  }
}

Domain TailBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::drafts, {3, 0, 1, 2, 4}},
                 {&Case::vocab, {67, 5, 32}},
                 {&Case::special, {1, 0}},
                 {&Case::place, {0, 1, 5}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

// ---- Counters. ---------------------------------------------------------------------------------

constexpr int32_t kStarts[] = {7, 0, -3, 1 << 20};

// Every other request accepts all of its drafts, the others none.
void Counters(const Case& at, Trial& t) {
  std::vector<TagShape> shapes;
  for (int64_t b = 0; b < at.rows; ++b)
    shapes.push_back(ChainShape(at.drafts, b % 2 == 0 ? ~uint64_t{0} : 0));
  VerifyBatch batch = TagBatch(at, t, shapes);
  for (VerifyRequest& request : batch.requests) request.counter = kStarts[at.special];
  const auto out = t.Call(VerifyCall(batch, t));
  if (!out) return;
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    if (out->count("last_row") && at.drafts == 0) continue;
    const VerifyOutcome want = OutcomeFor(batch, b, t);
    const auto counter = [&](std::string_view name, int32_t value) {
      if (!out->count(name)) return;
      const int64_t got = out->at(name).GetInt(static_cast<int64_t>(b));
      const int64_t expected = value + (AddsCounters(t) ? batch.requests[b].counter : 0);
      t.Require("VERIFY-COUNT-COUNTER", got == expected, [&] {
        return Finding{std::string(name) + " of request " + std::to_string(b) + ", " +
                           std::to_string(batch.requests[b].counter) + " before",
                       std::to_string(expected), std::to_string(got)};
      });
    };
    counter("accept_count", want.accepted);
    counter("accept_metric", want.metric);
  }
}

Domain CounterBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::drafts, {3, 0, 1, 2, 16}},
                 {&Case::vocab, {67}},
                 {&Case::rows, {3, 1, 2, 33}},
                 {&Case::special, {0, 1, 2, 3}}};
  domain.quick = 5;
  domain.full = 50;
  return domain;
}

// ---- Requests of different lengths. ------------------------------------------------------------

// Laws on which fp32 is exact, so that the order of sums does not matter; tag rows where what a
// request draws may depend on its place in the batch, or tests round.
VerifyBatch AnyLengths(const Case& at, const Trial& t) {
  const bool laws = ReadsLaws(t.operation());
  if (!laws || (GivesCoins(t) && !t.Has(ASSAY_LOG_ACCEPT))) return ExactBatch(at, t);
  Case few = at;
  few.drafts = std::min<int64_t>(at.drafts, 4);
  return TagBatch(few, t, PatternShapes(few, t));
}

void Ragged(const Case& at, Trial& t) {
  const VerifyBatch batch = AnyLengths(at, t);
  const auto together = Verify(batch, t);
  if (!together) return;
  std::map<int64_t, std::vector<size_t>> by_rows;
  for (size_t b = 0; b < batch.requests.size(); ++b) by_rows[batch.requests[b].rows()].push_back(b);
  for (const auto& [rows, members] : by_rows) {
    VerifyBatch equal = batch;
    equal.width = WidthOf(batch);
    equal.requests.clear();
    for (const size_t b : members) equal.requests.push_back(batch.requests[b]);
    const auto apart = Verify(equal, t);
    for (size_t i = 0; apart && i < members.size(); ++i) {
      const Told &got = (*together)[members[i]], &want = (*apart)[i];
      t.Require("VERIFY-DRAFT-RAGGED", got == want, [&] {
        return Finding{RequestName(members[i]) + " of " + std::to_string(rows) + " rows",
                       "as among requests as long as it: " + Show(want), Show(got)};
      });
    }
  }
}

Domain RaggedBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::rows, {3, 2, 9, 33}},
                 {&Case::drafts, {3, 1, 2, 5, 16}},
                 {&Case::vocab, {16, 8, 33, 67}}};
  domain.quick = 20;
  domain.full = 300;
  return domain;
}

std::string EqualLengthsOnly(const Context& context) {
  return context.subject->flags & ASSAY_RAGGED ? ""
                                               : "the subject takes requests of equally many rows";
}

}  // namespace

void AddVerifyLayoutProperties(std::vector<Property>& all) {
  constexpr Technique kExact = Technique::kExact;
  all.push_back(VerifyProperty("verify_tag_rows", Verifiers(),
                               {{"VERIFY-GREEDY-RULE", kExact},
                                {"VERIFY-MATCH-RULE", kExact},
                                {"VERIFY-TREE-GREEDY", kExact},
                                {"VERIFY-ACCEPT-RULE", kExact},
                                {"VERIFY-TREE-WALK", kExact},
                                {"VERIFY-TARGET-ROWS", kExact}},
                               Tags, TagRows));
  all.push_back({"verify_tails", Verifiers(), {{"VERIFY-FILL-TAIL", kExact}}, TailBatches, Tails});
  all.push_back({"verify_counters",
                 Verifiers(),
                 {{"VERIFY-COUNT-COUNTER", kExact}},
                 CounterBatches,
                 Counters});
  all.push_back(VerifyProperty("verify_ragged", Verifiers(),
                               {{"VERIFY-DRAFT-RAGGED", Technique::kMetamorphic}}, RaggedBatches,
                               Ragged, EqualLengthsOnly));
}

}  // namespace assay
