// token_matcher: what a matcher allows and accepts, and what comes behind its end.

#include <algorithm>
#include <string>

#include "conformance/matchers.h"
#include "conformance/properties/all.h"

namespace assay {
namespace {

std::string StepName(int64_t row, int64_t step) {
  return "row " + std::to_string(row) + " step " + std::to_string(step);
}

std::vector<MatchAnswer> Expected(const MatchBatch& batch, int64_t row, const Trial& t) {
  const MatchRow& asked = batch.rows[static_cast<size_t>(row)];
  return Replay(batch.dfa, asked.start, asked.script, batch.words, t.profile());
}

// Ids to be tried: all from -1 to past the mask where they are few, else edges, stop ids, some.
std::vector<int32_t> Probes(const TokenDfa& dfa, int64_t words, CaseRandom& random) {
  constexpr int64_t kAll = 200;
  const int64_t vocab = dfa.vocab, end = 32 * words;
  std::vector<int64_t> probes;
  for (int64_t id = -1; vocab <= kAll && id <= end; ++id) probes.push_back(id);
  if (vocab > kAll) {
    probes = {-1, 0, 30, 31, 32, 63, vocab - 1, vocab, end - 1, end};
    for (const int32_t stop : dfa.stop_ids) probes.push_back(stop);
    for (int i = 0; i < 30; ++i) probes.push_back(random.Below(vocab));
  }
  probes.insert(probes.end(), {INT32_MIN, INT32_MAX});
  return {probes.begin(), probes.end()};
}

// Rows of a batch against the reference; `ended` aside, which is another clause's.
void RequireAgreement(const MatchBatch& batch, const Tensors& out, Trial& t) {
  for (int64_t r = 0; r < std::ssize(batch.rows); ++r) {
    const Script& script = batch.rows[static_cast<size_t>(r)].script;
    const std::vector<MatchAnswer> want = Expected(batch, r, t);
    std::optional<Finding> wrong;
    for (int64_t s = 0; !wrong && s < std::ssize(script); ++s) {
      MatchAnswer got = AnswerAt(out, r, s, batch.words);
      got.ended = want[static_cast<size_t>(s)].ended;
      const int32_t token = script[static_cast<size_t>(s)].arg;
      wrong =
          AnswerDiffers(StepName(r, s) + " (token " + std::to_string(token) + ")",
                        want[static_cast<size_t>(s)], got, MaskBits::kAll, batch.dfa, t.profile());
    }
    t.Require("MASK-MATCHER-AGREE", !wrong, [&] { return *wrong; });
  }
}

// Each id is asked of a matcher of its own, behind the same tokens. Case::drafts: how many those
// are; Case::special: mask words past the vocabulary.
void AllowsWhatItAccepts(const Case& at, Trial& t) {
  constexpr size_t kRows = 64;  // a call
  CaseRandom random(at, 0, 82);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, t.profile(), random),
                      .words = WordsFor(at.vocab) + at.special};
  const auto start = static_cast<int32_t>(random.Below(batch.dfa.states()));
  const std::vector<int32_t> path = LegalPath(batch.dfa, start, at.drafts, random);
  const std::vector<int32_t> probes = Probes(batch.dfa, batch.words, random);
  for (size_t i = 0; i < probes.size(); ++i) {
    MatchRow row = {.start = start};
    AddAccepts(path, &row.script);
    row.script.push_back({MatchOp::kFill});
    row.script.push_back({MatchOp::kAccept, probes[i]});
    batch.rows.push_back(std::move(row));
    if (batch.rows.size() < kRows && i + 1 < probes.size()) continue;
    if (const auto out = CallMatchers(batch, t)) RequireAgreement(batch, *out, t);
    batch.rows.clear();
  }
}

Domain Agreements(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 18;
  domain.axes = {{&Case::vocab, {33, 1, 2, 31, 32, 40, 64, 129, 1000}, {4097, 151936}},
                 {&Case::drafts, {2, 0, 1, 5}},
                 {&Case::special, {1, 0, 2}}};
  domain.quick = context.tier == Tier::kQuick ? 20 : 60;
  domain.full = 400;
  return domain;
}

// ---- Ends.

// A path to its end, then tokens of all kinds.
struct Ending {
  int32_t start = 0;
  std::vector<int32_t> whole;  // up to a stop id, or a token that no other may follow
  std::vector<int32_t> more;
};

Ending RandomEnding(const TokenDfa& dfa, int64_t longest, CaseRandom& random) {
  Ending ending;
  bool alone = false;
  do {
    ending.start = static_cast<int32_t>(random.Below(dfa.states()));
    ending.whole = LegalPath(dfa, ending.start, random.Below(longest + 1), random);
    Matcher matcher = MatcherIn(dfa, ending.start);
    AcceptRun(dfa, ending.whole, &matcher);
    alone = Ended(matcher);
    if (alone || dfa.may_end[static_cast<size_t>(matcher.path.back())]) break;
  } while (true);
  const auto pick = [&] {
    return dfa.stop_ids[static_cast<size_t>(random.Below(std::ssize(dfa.stop_ids)))];
  };
  if (const int32_t stop = pick(); !alone) ending.whole.push_back(stop);
  ending.more = {static_cast<int32_t>(random.Below(dfa.vocab)), pick()};
  std::swap(ending.more[0], ending.more[static_cast<size_t>(random.Below(2))]);
  return ending;
}

// The same tokens one by one, in a run, and as drafts: behind a matcher that has gone half of the
// way, and siblings of the rest.
std::vector<Script> Forms(const Ending& ending, CaseRandom& random) {
  const std::vector<int32_t>& whole = ending.whole;
  Script steps, run, drafts;
  AddAccepts(whole, &steps);
  steps.push_back({MatchOp::kFill});
  AddAccepts(ending.more, &steps);
  steps.push_back({MatchOp::kFill});
  steps.push_back({MatchOp::kWindow});
  steps.push_back({MatchOp::kEntry, ending.more[0]});

  run.push_back({MatchOp::kRun});
  for (const int32_t token : whole) run.push_back({MatchOp::kEntry, token});
  for (const int32_t token : ending.more) run.push_back({MatchOp::kEntry, token});
  run.push_back({MatchOp::kFill});

  const auto half = static_cast<size_t>(whole.empty() ? 0 : random.Below(std::ssize(whole)));
  AddAccepts({whole.begin(), whole.begin() + static_cast<int64_t>(half)}, &drafts);
  drafts.push_back({MatchOp::kWindow});
  int32_t last = -1;
  for (size_t i = half; i < whole.size(); ++i)
    drafts.push_back({MatchOp::kEntry, whole[i], last++});
  for (const int32_t token : ending.more) drafts.push_back({MatchOp::kEntry, token, last});
  return {steps, run, drafts};
}

void EndsAreSeen(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 83);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, t.profile(), random), .words = WordsFor(at.vocab)};
  for (int64_t i = 0; i < at.rows; ++i) {
    const Ending ending = RandomEnding(batch.dfa, at.history, random);
    for (Script& script : Forms(ending, random))
      batch.rows.push_back({ending.start, std::move(script)});
  }
  const auto out = CallMatchers(batch, t);
  for (int64_t r = 0; out && r < std::ssize(batch.rows); ++r) {
    const std::vector<MatchAnswer> want = Expected(batch, r, t);
    bool over = false;  // the steps from the end on; before it the end alone
    std::optional<Finding> wrong;
    for (int64_t s = 0; !wrong && s < std::ssize(want); ++s) {
      const MatchAnswer& step = want[static_cast<size_t>(s)];
      const MatchOp op = batch.rows[static_cast<size_t>(r)].script[static_cast<size_t>(s)].op;
      over |= step.ended && op != MatchOp::kRun;
      MatchAnswer got = AnswerAt(*out, r, s, batch.words);
      if (!over) {
        got.result = step.result;
        got.free = true;
        if (op == MatchOp::kWindow) got.ended = step.ended;  // what it leaves is another clause's
      }
      wrong = AnswerDiffers(StepName(r, s), step, got, MaskBits::kTokens, batch.dfa, t.profile());
    }
    t.Require("MASK-MATCHER-END", !wrong, [&] { return *wrong; });
  }
}

Domain Endings(const Context&) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::vocab, {8, 1, 2, 31, 32, 33, 129, 1000}},
                 {&Case::history, {2, 0, 1, 6}},
                 {&Case::rows, {3, 1, 8}}};
  domain.quick = 20;
  domain.full = 400;
  return domain;
}

}  // namespace

void AddMatcherProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> matcher = {"token_matcher"};
  all.push_back({"matcher_accepts",
                 matcher,
                 {{"MASK-MATCHER-AGREE", Technique::kExact}},
                 Agreements,
                 AllowsWhatItAccepts});
  all.push_back(
      {"matcher_ends", matcher, {{"MASK-MATCHER-END", Technique::kExact}}, Endings, EndsAreSeen});
}

}  // namespace assay
