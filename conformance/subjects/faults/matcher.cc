// Faults of token_matcher. A defect is in the matcher itself, so that this is one of its own, with
// the defect as a parameter.

#include <algorithm>
#include <vector>

#include "conformance/subjects/calls/match_call.h"
#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

enum class Defect {
  kNone,
  kBit31,
  kTail,
  kOneStopId,
  kStopIsText,
  kNegativeWraps,
  kClampsIds,
  kFillsAlways,
  kZeroesRows,
  kStopNoHistory,
  kPartialState,
  kRunPastEnd,
  kShortHistory,
  kForgetsStart,
  kLeftAdvanced,
  kPopsOneMore,
  kWildDraftSticks,
  kFlatTree,
  kParentsRow,
  kIllegalEndsWindow,
  kFillsBehindEnd,
  kEndOfRunAlone,
  kAcceptsBehindEnd,
  kWindowHasNoEnd
};

constexpr int32_t kEnd = -2;

struct State {
  std::vector<int32_t> path;
  bool ended = false;  // the last state is the one before the stop id; else it is kEnd
};

class Machine {
 public:
  Machine(const calls::MatchCall& call, int64_t row, Defect defect)
      : call_(call), row_(row), defect_(Dose() > 0 ? defect : Defect::kNone) {
    state_.path = {call.start[row]};
  }

  void Run() {
    if (Is(Defect::kZeroesRows))
      std::fill_n(call_.mask.Row<uint32_t>(row_), call_.steps * call_.words, 0u);
    for (int64_t s = 0; s < call_.steps; ++s) {
      int64_t entries = 0;
      int32_t result = 0;
      switch (Op(s)) {
        case ASSAY_MATCH_ACCEPT:
          result = Accept(Arg(s), state_);
          if (Is(Defect::kFillsAlways)) Fill(state_, s);
          break;
        case ASSAY_MATCH_ROLLBACK: result = Rollback(Arg(s)); break;
        case ASSAY_MATCH_FILL: result = Fill(state_, s); break;
        case ASSAY_MATCH_RUN: result = RunEntries(s, entries = Entries(s)); break;
        case ASSAY_MATCH_WINDOW:
          result = Fill(state_, s);
          Window(s, entries = Entries(s));
          break;
        default: break;
      }
      Tell(s, result, Ended(state_));
      s += entries;
    }
  }

 private:
  bool Is(Defect defect) const { return defect_ == defect; }
  int32_t Op(int64_t s) const { return call_.op.Row<int32_t>(row_)[s]; }
  int32_t Arg(int64_t s) const { return call_.arg.Row<int32_t>(row_)[s]; }
  int32_t Parent(int64_t s) const { return call_.parent.Row<int32_t>(row_)[s]; }
  int64_t Entries(int64_t s) const {
    int64_t end = s + 1;
    while (end < call_.steps && Op(end) == ASSAY_MATCH_ENTRY) ++end;
    return end - s - 1;
  }
  void Tell(int64_t s, int32_t result, bool ended) {
    call_.result.Row<int32_t>(row_)[s] = result;
    call_.ended.Row<uint8_t>(row_)[s] = ended;
  }

  static bool Ended(const State& state) { return state.ended || state.path.back() == kEnd; }
  bool IsStop(int32_t token) const {
    for (int64_t i = 0; i < call_.stops; ++i)
      if (call_.stop_ids[i] == token) return true;
    return false;
  }
  // Of a state that has not ended.
  bool Allows(int32_t state, int32_t token) const {
    const bool next = call_.transitions.Row<int32_t>(state)[token] >= 0;
    if (!IsStop(token)) return next;
    return call_.may_end[state] != 0 || (Is(Defect::kStopIsText) && next);
  }

  int32_t Accept(int32_t token, State& state) const {
    if (Is(Defect::kNegativeWraps) && token == -1) token = static_cast<int32_t>(call_.vocab - 1);
    if (Is(Defect::kClampsIds))
      token = static_cast<int32_t>(std::min<int64_t>(token, call_.vocab - 1));
    if (token < 0 || token >= call_.vocab) return 0;
    if (Ended(state)) return Is(Defect::kAcceptsBehindEnd) && IsStop(token);
    const int32_t now = state.path.back();
    const bool refused = IsStop(token) ? call_.may_end[now] == 0 ||
                                             (Is(Defect::kOneStopId) && token != call_.stop_ids[0])
                                       : !Allows(now, token);
    if (refused) {
      if (Is(Defect::kPartialState))
        state.path.back() = (now + 1) % static_cast<int32_t>(call_.states);
      return 0;
    }
    if (IsStop(token) && Is(Defect::kStopNoHistory))
      state.ended = true;
    else
      state.path.push_back(IsStop(token) ? kEnd : call_.transitions.Row<int32_t>(now)[token]);
    return 1;
  }

  int32_t Rollback(int64_t count) {
    constexpr int64_t kShort = 2;
    const int64_t held = static_cast<int64_t>(state_.path.size()) - 1;
    if (count < 0 || (Is(Defect::kShortHistory) && count > kShort)) return 0;
    if (count > held) {
      if (Is(Defect::kForgetsStart)) state_.path.resize(1);
      return 0;
    }
    if (count > 0) state_.ended = false;
    state_.path.resize(static_cast<size_t>(held + 1 - count));
    return 1;
  }

  int32_t Fill(const State& state, int64_t s) {
    uint32_t* row = call_.mask.Row<uint32_t>(row_) + s * call_.words;
    std::fill_n(row, call_.words, 0u);
    const bool over = Ended(state) && !Is(Defect::kFillsBehindEnd);
    const int32_t now = state.path.back() == kEnd ? Before(state) : state.path.back();
    for (int32_t t = 0; t < call_.vocab; ++t) {
      const bool lost = Is(Defect::kBit31) && t % 32 == 31;
      if ((over ? IsStop(t) : Allows(now, t)) && !lost) row[t / 32] |= 1u << (t % 32);
    }
    for (int64_t t = call_.vocab; Is(Defect::kTail) && t < 32 * call_.words; ++t)
      row[t / 32] |= 1u << (t % 32);
    return 1;
  }
  static int32_t Before(const State& state) { return state.path[state.path.size() - 2]; }

  int32_t RunEntries(int64_t first, int64_t count) {
    int32_t accepted = 0;
    bool open = true;
    for (int64_t s = first + 1; s <= first + count; ++s) {
      const bool past_end = Is(Defect::kRunPastEnd) && open && Ended(state_) && Arg(s) >= 0;
      const int32_t result = open && (past_end || Accept(Arg(s), state_) != 0);
      open = open && result == 1;
      accepted += result;
      Tell(s, result, Ended(state_) && (!Is(Defect::kEndOfRunAlone) || s == first + count));
    }
    return accepted;
  }

  void Window(int64_t first, int64_t count) {
    std::vector<State> behind(static_cast<size_t>(count), state_);
    std::vector<bool> legal(static_cast<size_t>(count));
    State flat = state_;
    bool any_illegal = false, any_wild = false;
    for (int64_t e = 0; e < count; ++e) {
      const int64_t s = first + 1 + e;
      const auto at = static_cast<size_t>(e), parent = static_cast<size_t>(Parent(s));
      const bool root = Parent(s) < 0;
      State from = root ? state_ : behind[parent];
      if (Is(Defect::kFlatTree)) from = flat;
      behind[at] = from;
      legal[at] = (root || legal[parent]) && Accept(Arg(s), behind[at]) != 0;
      if (Is(Defect::kIllegalEndsWindow) && any_illegal) legal[at] = false;
      if (legal[at]) {
        flat = behind[at];
        Fill(Is(Defect::kParentsRow) ? from : behind[at], s);
      }
      any_illegal |= !legal[at];
      any_wild |= Arg(s) < -1 || Arg(s) > call_.vocab;
      Tell(s, legal[at], legal[at] && Ended(behind[at]) && !Is(Defect::kWindowHasNoEnd));
    }
    if (Is(Defect::kWildDraftSticks) && any_wild) state_ = flat;
    if (Is(Defect::kLeftAdvanced) && any_illegal) state_ = flat;
    if (Is(Defect::kPopsOneMore) && any_illegal && state_.path.size() > 1) state_.path.pop_back();
  }

  const calls::MatchCall& call_;
  int64_t row_;
  Defect defect_;
  State state_;
};

template <Defect kDefect>
int32_t Match(const assay_call* call, const assay_match_args* args) {
  return calls::Guarded(call, args, [&] {
    const calls::MatchCall checked = calls::CheckMatch(*args);
    for (int64_t r = 0; r < checked.rows; ++r) Machine(checked, r, kDefect).Run();
    return int32_t{ASSAY_OK};
  });
}

}  // namespace

void AddMatcherFaults(std::vector<Fault>& all) {
  using enum Defect;
  FaultRows<&assay_operations::token_matcher> rows{all, "token_matcher"};
  const Kills kAgree = {{"MASK-MATCHER-AGREE", kExact}},
              kAlgebra = {{"MASK-MATCHER-ALGEBRA", kMetamorphic}},
              kWindow = {{"MASK-MATCHER-WINDOW", kMetamorphic}},
              kAtEnd = {{"MASK-MATCHER-END", kExact}};
  rows.Add<Match<kBit31>>("matcher-bit-31", "", "bit 31 of a mask word is lost",
                          {{"MASK-MATCHER-AGREE", kExact}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kTail>>("matcher-tail-set", "", "mask bits past the vocabulary are set", kAgree);
  rows.Add<Match<kOneStopId>>("matcher-one-stop-id", "B182",
                              "the mask allows every stop id, one is accepted",
                              {{"MASK-MATCHER-AGREE", kExact},
                               {"MASK-MATCHER-ALGEBRA", kMetamorphic},
                               {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kStopIsText>>("matcher-stop-is-text", "",
                               "a stop id is allowed where the table goes on with it", kAgree);
  rows.Add<Match<kNegativeWraps>>("matcher-negative-wraps", "", "token -1 is the last one", kAgree);
  rows.Add<Match<kClampsIds>>("matcher-clamps-ids", "",
                              "an id past the vocabulary is its last token", kAgree);
  rows.Add<Match<kFillsAlways>>("matcher-fills-always", "", "an accept writes a mask row",
                                {{"MASK-MATCHER-AGREE", kExact}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kZeroesRows>>("matcher-zeroes-rows", "B173", "rows that no step fills are zeros",
                               {{"MASK-MATCHER-AGREE", kExact}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kStopNoHistory>>("matcher-stop-no-history", "B179",
                                  "a stop id is no token of the history", kAlgebra);
  rows.Add<Match<kPartialState>>("matcher-partial-state", "B180",
                                 "a refused token leaves another state", kAlgebra);
  rows.Add<Match<kRunPastEnd>>(
      "matcher-run-past-end", "B181", "a run counts tokens behind its end",
      {{"MASK-MATCHER-ALGEBRA", kMetamorphic}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kShortHistory>>("matcher-short-history", "", "two tokens at most are taken back",
                                 kAlgebra);
  rows.Add<Match<kForgetsStart>>("matcher-rollback-clamps", "",
                                 "a rollback past the start is refused, and goes there", kAlgebra);
  rows.Add<Match<kLeftAdvanced>>("matcher-left-advanced", "B180",
                                 "an illegal draft leaves the matcher behind the legal ones",
                                 {{"MASK-MATCHER-NEUTRAL", kMetamorphic}});
  rows.Add<Match<kPopsOneMore>>(
      "matcher-pops-one-more", "", "an illegal draft takes a token of the matcher back",
      {{"MASK-MATCHER-NEUTRAL", kMetamorphic}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kWildDraftSticks>>(
      "matcher-wild-draft-sticks", "",
      "a draft far outside the vocabulary leaves the matcher behind the legal ones",
      {{"MASK-MATCHER-NEUTRAL", kMetamorphic}});
  rows.Add<Match<kFlatTree>>("matcher-flat-tree", "", "drafts of a tree follow each other in order",
                             kWindow);
  rows.Add<Match<kIllegalEndsWindow>>("matcher-illegal-ends-window", "",
                                      "drafts after an illegal one are illegal, siblings too",
                                      kWindow);
  rows.Add<Match<kParentsRow>>(
      "matcher-parents-row", "", "a draft's row is that of its parent",
      {{"MASK-MATCHER-WINDOW", kMetamorphic}, {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kFillsBehindEnd>>("matcher-fill-after-end", "B178",
                                   "a row behind the end is that before it", kAtEnd);
  rows.Add<Match<kEndOfRunAlone>>("matcher-end-of-run-alone", "B183",
                                  "an end is seen at the last token of a run alone", kAtEnd);
  rows.Add<Match<kAcceptsBehindEnd>>(
      "matcher-accepts-after-end", "", "a stop id is accepted again behind the end",
      {{"MASK-MATCHER-ALGEBRA", kMetamorphic}, {"MASK-MATCHER-END", kExact}});
  rows.Lie("matcher-ends-alone", "", "an end is also where no token goes on, and takes no stop id",
           "matcher_end=whole_text",
           {{"MASK-MATCHER-AGREE", kExact},
            {"MASK-MATCHER-ALGEBRA", kMetamorphic},
            {"MASK-MATCHER-END", kExact}});
  rows.Add<Match<kWindowHasNoEnd>>("matcher-window-has-no-end", "B183",
                                   "an end in a window is not told", kAtEnd);
}

}  // namespace assay::faults
