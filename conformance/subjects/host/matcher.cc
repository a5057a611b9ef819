#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "conformance/subjects/calls/match_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// token_matcher: a walk through the table that can be taken back. A window is walked on the matcher
// itself, from each draft to the next one by way of what their paths share.
namespace assay::host {
namespace {

using calls::MatchCall;

// What a call's matchers share: its table, and how rows behind an end look.
class Grammar {
 public:
  Grammar(const MatchCall& call, const Config& config);

  static constexpr int32_t kOver = -2;  // the state behind an end
  // The state behind `token`, or -1.
  int32_t Step(int32_t state, int32_t token) const;
  // kOver for a state where a text ends by itself.
  int32_t Reach(int32_t state) const {
    return is_last_[static_cast<size_t>(state)] ? kOver : state;
  }
  // The row of a state; false: it is not written.
  bool Fill(int32_t state, uint32_t* row) const;

 private:
  const MatchCall& call_;
  const Config& config_;
  std::vector<uint8_t> is_stop_;  // by token
  std::vector<uint8_t> is_last_;  // by state
};

Grammar::Grammar(const MatchCall& call, const Config& config)
    : call_(call),
      config_(config),
      is_stop_(static_cast<size_t>(call.vocab), 0),
      is_last_(static_cast<size_t>(call.states), 0) {
  for (int64_t i = 0; i < call.stops; ++i) is_stop_[static_cast<size_t>(call.stop_ids[i])] = 1;
  if (config.profile.matcher_end != MatcherEnd::kWholeText) return;
  for (int64_t q = 0; q < call.states; ++q) {
    const auto* next = call.transitions.Row<const int32_t>(q);
    bool goes_on = false;
    for (int64_t t = 0; t < call.vocab; ++t)
      goes_on = goes_on || (next[t] >= 0 && is_stop_[static_cast<size_t>(t)] == 0);
    is_last_[static_cast<size_t>(q)] = call.may_end[q] != 0 && !goes_on;
  }
}

int32_t Grammar::Step(int32_t state, int32_t token) const {
  if (state == kOver || token < 0 || token >= call_.vocab) return -1;
  if (is_stop_[static_cast<size_t>(token)] == 0) {
    const int32_t next = call_.transitions.Row<const int32_t>(state)[token];
    return next < 0 ? -1 : Reach(next);
  }
  return call_.may_end[state] != 0 ? kOver : -1;
}

bool Grammar::Fill(int32_t state, uint32_t* row) const {
  const bool over = state == kOver;
  const MaskAfterEnd after_end = config_.profile.mask_after_end;
  if (over && after_end == MaskAfterEnd::kUntouched) return false;
  const bool ones = config_.numerics.matching == Matching::kFromOnes;
  std::fill_n(row, call_.words, ones ? ~0u : 0u);
  const int32_t* next = over ? nullptr : call_.transitions.Row<const int32_t>(state);
  const bool stops = over || call_.may_end[state] != 0;
  const bool all = over && after_end == MaskAfterEnd::kAll;
  for (int64_t t = 0; t < call_.vocab; ++t) {
    const bool stop = is_stop_[static_cast<size_t>(t)] != 0;
    const bool set = all || (stop ? stops : next != nullptr && next[t] >= 0);
    if (set != ones) row[t >> 5] ^= 1u << (t & 31);
  }
  return true;
}

// One matcher, and what takes it back.
class TokenMatcher {
 public:
  TokenMatcher(const Grammar& grammar, int32_t start, Matching matching);

  int32_t state() const { return state_; }
  bool Accept(int32_t token);
  bool Rollback(int64_t count);

 private:
  const Grammar& grammar_;
  int32_t start_, state_;
  Matching matching_;
  std::vector<int32_t> undo_ = {};  // the states before; or the tokens, to go from `start_` again
};

TokenMatcher::TokenMatcher(const Grammar& grammar, int32_t start, Matching matching)
    : grammar_(grammar), start_(grammar.Reach(start)), state_(start_), matching_(matching) {}

bool TokenMatcher::Accept(int32_t token) {
  const int32_t next = grammar_.Step(state_, token);
  if (next == -1) return false;
  undo_.push_back(matching_ == Matching::kReplay ? token : state_);
  state_ = next;
  return true;
}

bool TokenMatcher::Rollback(int64_t count) {
  if (count < 0 || count > static_cast<int64_t>(undo_.size())) return false;
  if (count == 0) return true;
  const auto kept = undo_.end() - count;
  if (matching_ == Matching::kReplay) {
    state_ = start_;
    std::for_each(undo_.begin(), kept, [&](int32_t t) { state_ = grammar_.Step(state_, t); });
  } else {
    state_ = *kept;
  }
  undo_.erase(kept, undo_.end());
  return true;
}

constexpr int64_t kRoot = -1;

void CheckEntry(const char* name, int64_t value, int64_t least, int64_t end) {
  if (value >= least && value < end) return;
  throw InputError(std::string(name) + ": " + std::to_string(value) + ", expected at least " +
                   std::to_string(least) + " and less than " + std::to_string(end));
}

// Entries that follow step s of a row.
int64_t EntriesAfter(const int32_t* op, int64_t s, int64_t steps) {
  int64_t count = 0;
  while (s + 1 + count < steps && op[s + 1 + count] == ASSAY_MATCH_ENTRY) ++count;
  return count;
}

void CheckData(const MatchCall& call) {
  for (int64_t q = 0; q < call.states; ++q)
    for (int64_t t = 0; t < call.vocab; ++t)
      CheckEntry("transitions", call.transitions.Row<const int32_t>(q)[t], -1, call.states);
  for (int64_t i = 0; i < call.stops; ++i) CheckEntry("stop_ids", call.stop_ids[i], 0, call.vocab);
  for (int64_t r = 0; r < call.rows; ++r) {
    CheckEntry("start", call.start[r], 0, call.states);
    const auto* op = call.op.Row<const int32_t>(r);
    const auto* parent = call.parent.Row<const int32_t>(r);
    for (int64_t s = 0; s < call.steps; ++s) {
      if (op[s] != ASSAY_MATCH_WINDOW) continue;
      for (int64_t e = 0; e < EntriesAfter(op, s, call.steps); ++e)
        CheckEntry("parent", parent[s + 1 + e], kRoot, e);
    }
  }
}

// Fills rows, as the state had them before where `matching` keeps them.
class RowWriter {
 public:
  RowWriter(const Grammar& grammar, int64_t words, Matching matching)
      : grammar_(grammar), words_(words), matching_(matching) {}

  int32_t Write(int32_t state, uint32_t* row) {
    if (matching_ != Matching::kCached) return grammar_.Fill(state, row) ? 1 : 0;
    if (const auto known = rows_.find(state); known != rows_.end()) {
      std::ranges::copy(known->second, row);
      return 1;
    }
    const bool written = grammar_.Fill(state, row);
    if (written) rows_[state].assign(row, row + words_);
    return written ? 1 : 0;
  }
  void WriteIllegal(uint32_t* row) const {
    if (matching_ == Matching::kFromOnes) std::fill_n(row, words_, 0u);
  }

 private:
  const Grammar& grammar_;
  int64_t words_;
  Matching matching_;
  std::map<int32_t, std::vector<uint32_t>> rows_ = {};
};

// The steps of one row.
struct Script {
  const int32_t *op, *arg, *parent;
  uint32_t* mask;
  int32_t* result;
  uint8_t* ended;
};

int32_t Run(TokenMatcher& matcher, const Script& script, int64_t first, int64_t count) {
  int32_t accepted = 0;
  for (int64_t s = first; s < first + count; ++s) {
    const bool open = accepted == s - first;
    script.result[s] = open && matcher.Accept(script.arg[s]) ? 1 : 0;
    script.ended[s] = matcher.state() == Grammar::kOver;
    accepted += script.result[s];
  }
  return accepted;
}

class Window {
 public:
  Window(TokenMatcher& matcher, const Script& script, int64_t first, int64_t count)
      : matcher_(matcher), script_(script), first_(first), legal_(static_cast<size_t>(count)) {}

  // Draft by draft; the matcher is back at the end.
  void Walk(RowWriter& rows, int64_t words) {
    for (int64_t e = 0; e < std::ssize(legal_); ++e) {
      const int64_t s = first_ + e;
      const int64_t parent = script_.parent[s];
      bool legal = parent == kRoot || legal_[static_cast<size_t>(parent)] != 0;
      if (legal) GoTo(parent);
      legal = legal && matcher_.Accept(script_.arg[s]);
      legal_[static_cast<size_t>(e)] = legal;
      script_.result[s] = legal;
      script_.ended[s] = legal && matcher_.state() == Grammar::kOver;
      if (!legal) {
        rows.WriteIllegal(script_.mask + s * words);
        continue;
      }
      walked_.push_back(e);
      rows.Write(matcher_.state(), script_.mask + s * words);
    }
    GoTo(kRoot);
  }

 private:
  // Back to where the walked path and that to `draft` part, then on to it.
  void GoTo(int64_t draft) {
    std::vector<int64_t> path;
    for (int64_t d = draft; d != kRoot; d = script_.parent[first_ + d]) path.push_back(d);
    std::ranges::reverse(path);
    const auto [at, on] = std::ranges::mismatch(walked_, path);
    matcher_.Rollback(walked_.end() - at);
    walked_.erase(at, walked_.end());
    for (auto next = on; next != path.end(); ++next) {
      matcher_.Accept(script_.arg[first_ + *next]);
      walked_.push_back(*next);
    }
  }

  TokenMatcher& matcher_;
  const Script& script_;
  int64_t first_;
  std::vector<uint8_t> legal_;
  std::vector<int64_t> walked_ = {};
};

void RunScript(const MatchCall& call, const Script& script, TokenMatcher& matcher,
               RowWriter& rows) {
  for (int64_t s = 0; s < call.steps; ++s) {
    int64_t entries = 0;
    int32_t result = 0;
    switch (script.op[s]) {
      case ASSAY_MATCH_ACCEPT: result = matcher.Accept(script.arg[s]); break;
      case ASSAY_MATCH_ROLLBACK: result = matcher.Rollback(script.arg[s]); break;
      case ASSAY_MATCH_FILL:
        result = rows.Write(matcher.state(), script.mask + s * call.words);
        break;
      case ASSAY_MATCH_RUN:
        entries = EntriesAfter(script.op, s, call.steps);
        result = Run(matcher, script, s + 1, entries);
        break;
      case ASSAY_MATCH_WINDOW:
        entries = EntriesAfter(script.op, s, call.steps);
        result = rows.Write(matcher.state(), script.mask + s * call.words);
        Window(matcher, script, s + 1, entries).Walk(rows, call.words);
        break;
      default: break;
    }
    script.result[s] = result;
    script.ended[s] = matcher.state() == Grammar::kOver;
    s += entries;
  }
}

}  // namespace

int32_t MatchTokens(const assay_call* call, const assay_match_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const MatchCall checked = calls::CheckMatch(*args);
    CheckData(checked);
    const Grammar grammar(checked, config);
    RowWriter rows(grammar, checked.words, config.numerics.matching);
    for (int64_t r = 0; r < checked.rows; ++r) {
      const Script script = {
          checked.op.Row<const int32_t>(r),     checked.arg.Row<const int32_t>(r),
          checked.parent.Row<const int32_t>(r), checked.mask.Row<uint32_t>(r),
          checked.result.Row<int32_t>(r),       checked.ended.Row<uint8_t>(r)};
      TokenMatcher matcher(grammar, checked.start[r], config.numerics.matching);
      RunScript(checked, script, matcher, rows);
    }
  });
}

}  // namespace assay::host
