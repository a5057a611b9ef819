#include "reference/matcher_script.h"

namespace assay {
namespace {

// The entries behind step `at`.
std::span<const MatchStep> EntriesBehind(std::span<const MatchStep> script, size_t at) {
  size_t end = at + 1;
  while (end < script.size() && script[end].op == MatchOp::kEntry) ++end;
  return script.subspan(at + 1, end - at - 1);
}

}  // namespace

std::vector<MatchAnswer> Replay(const TokenDfa& dfa, int32_t start,
                                std::span<const MatchStep> script, int64_t words,
                                const Profile& profile) {
  Matcher matcher = MatcherIn(dfa, start);
  std::vector<MatchAnswer> answers(script.size());
  const auto fill = [&](MatchAnswer* answer) {
    answer->mask = MaskOf(dfa, matcher, words, profile);
    answer->result = answer->mask ? 1 : 0;
  };
  for (size_t i = 0; i < script.size(); ++i) {
    const MatchStep& step = script[i];
    MatchAnswer& answer = answers[i];
    std::span<const MatchStep> entries;
    if (step.op == MatchOp::kRun || step.op == MatchOp::kWindow) entries = EntriesBehind(script, i);
    if (step.op == MatchOp::kAccept) answer.result = Accept(dfa, step.arg, &matcher);
    if (step.op == MatchOp::kRollback) answer.result = Rollback(step.arg, &matcher);
    if (step.op == MatchOp::kFill) fill(&answer);
    if (step.op == MatchOp::kRun) {
      bool refused = false;
      for (size_t e = 0; e < entries.size(); ++e) {
        refused = refused || !Accept(dfa, entries[e].arg, &matcher);
        answers[i + 1 + e] = {.result = !refused, .ended = Ended(matcher)};
        answer.result += !refused;
      }
    }
    if (step.op == MatchOp::kWindow) {
      fill(&answer);
      std::vector<int32_t> tokens, parents;
      for (const MatchStep& entry : entries) {
        tokens.push_back(entry.arg);
        parents.push_back(entry.parent);
      }
      const auto rows = WindowRows(dfa, matcher, tokens, parents, words, profile);
      for (size_t e = 0; e < rows.size(); ++e)
        answers[i + 1 + e] = {.result = rows[e].legal,
                              .ended = rows[e].ended,
                              .mask = rows[e].mask,
                              .free = !rows[e].legal};
    }
    answer.ended = Ended(matcher);
    i += entries.size();
  }
  return answers;
}

}  // namespace assay
