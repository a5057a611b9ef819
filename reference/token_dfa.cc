#include "reference/token_dfa.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <set>

#include "reference/error.h"

namespace assay {
namespace {

int32_t AddState(TokenDfa* dfa) {
  dfa->next.resize(dfa->next.size() + static_cast<size_t>(dfa->vocab), kRefused);
  dfa->may_end.push_back(0);
  return static_cast<int32_t>(dfa->states() - 1);
}

// ---- Patterns, as the automaton of their positions (Glushkov): a position is one byte class of
// the pattern, and its followers are the positions that may match the next byte.

using Positions = std::set<int32_t>;
using ByteClass = std::bitset<256>;

struct Automaton {
  std::vector<ByteClass> bytes = {};      // of each position
  std::vector<Positions> followers = {};  // likewise
  Positions first = {}, last = {};        // of the whole pattern
  bool nullable = false;
};

// A part of a pattern.
struct Part {
  bool nullable = true;
  Positions first = {}, last = {};
};

void AddAll(const Positions& from, Positions* to) { to->insert(from.begin(), from.end()); }

class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : text_(pattern) {}

  Automaton Read() {
    const Part whole = Choice();
    if (at_ != text_.size()) Refuse("the end");
    automaton_.first = whole.first;
    automaton_.last = whole.last;
    automaton_.nullable = whole.nullable;
    return std::move(automaton_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& expected) const {
    throw InputError("pattern '" + std::string(text_) + "', byte " + std::to_string(at_) +
                     ": expected " + expected);
  }
  bool Sees(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    if (!Sees(c)) return false;
    ++at_;
    return true;
  }
  unsigned char TakeByte() {
    if (at_ == text_.size()) Refuse("a byte");
    return static_cast<unsigned char>(text_[at_++]);
  }

  void Follow(const Positions& before, const Positions& after) {
    for (const int32_t p : before) AddAll(after, &automaton_.followers[static_cast<size_t>(p)]);
  }

  Part Choice() {
    Part all = Sequence();
    while (Take('|')) {
      const Part other = Sequence();
      all.nullable |= other.nullable;
      AddAll(other.first, &all.first);
      AddAll(other.last, &all.last);
    }
    return all;
  }

  Part Sequence() {
    Part all;
    while (at_ < text_.size() && !Sees('|') && !Sees(')')) {
      const Part next = Repeated();
      Follow(all.last, next.first);
      if (all.nullable) AddAll(next.first, &all.first);
      if (!next.nullable) all.last.clear();
      AddAll(next.last, &all.last);
      all.nullable &= next.nullable;
    }
    return all;
  }

  Part Repeated() {
    Part part = Atom();
    for (;;) {
      const bool star = Take('*'), plus = !star && Take('+');
      if (star || plus) Follow(part.last, part.first);
      if (star || (!plus && Take('?')))
        part.nullable = true;
      else if (!plus)
        return part;
    }
  }

  Part Atom() {
    if (Take('(')) {
      const Part inner = Choice();
      if (!Take(')')) Refuse(")");
      return inner;
    }
    if (Sees('*') || Sees('+') || Sees('?')) Refuse("something to repeat");
    ByteClass bytes;
    if (Take('[')) {
      bytes = Class();
    } else if (Take('.')) {
      bytes.set();
    } else {
      Take('\\');
      bytes.set(TakeByte());
    }
    const auto position = static_cast<int32_t>(automaton_.bytes.size());
    automaton_.bytes.push_back(bytes);
    automaton_.followers.emplace_back();
    return {.nullable = false, .first = {position}, .last = {position}};
  }

  ByteClass Class() {
    ByteClass bytes;
    const bool others = Take('^');
    while (!Take(']')) {
      Take('\\');
      const unsigned char low = TakeByte();
      unsigned char high = low;
      if (Take('-')) high = TakeByte();
      for (int byte = low; byte <= high; ++byte) bytes.set(static_cast<size_t>(byte));
    }
    return others ? ~bytes : bytes;
  }

  std::string_view text_;
  size_t at_ = 0;
  Automaton automaton_;
};

// Where the automaton may be: the positions that matched the last byte; before any byte {-1}.
const Positions kBegin = {-1};

Positions Step(const Automaton& automaton, const Positions& at, unsigned char byte) {
  Positions to;
  for (const int32_t p : at) {
    const Positions& next = p < 0 ? automaton.first : automaton.followers[static_cast<size_t>(p)];
    for (const int32_t q : next)
      if (automaton.bytes[static_cast<size_t>(q)].test(byte)) to.insert(q);
  }
  return to;
}

bool MayEnd(const Automaton& automaton, const Positions& at) {
  return std::ranges::any_of(
      at, [&](int32_t p) { return p < 0 ? automaton.nullable : automaton.last.contains(p); });
}

}  // namespace

TokenDfa DfaOfSequences(int64_t vocab, std::span<const std::vector<int32_t>> sequences,
                        std::vector<int32_t> stop_ids) {
  TokenDfa dfa = {.vocab = vocab, .stop_ids = std::move(stop_ids)};
  AddState(&dfa);
  for (const std::vector<int32_t>& sequence : sequences) {
    int32_t state = 0;
    for (const int32_t token : sequence) {
      if (token < 0 || token >= vocab)
        throw InputError("token of a sequence: found " + std::to_string(token) +
                         ", expected one in [0, " + std::to_string(vocab) + ")");
      int32_t next = dfa.Next(state, token);
      if (next == kRefused) {
        next = AddState(&dfa);
        dfa.next[static_cast<size_t>(state * vocab + token)] = next;
      }
      state = next;
    }
    dfa.may_end[static_cast<size_t>(state)] = 1;
  }
  return dfa;
}

TokenDfa DfaOfPattern(std::string_view pattern, std::span<const std::string> vocabulary,
                      std::vector<int32_t> stop_ids) {
  const Automaton automaton = PatternReader(pattern).Read();
  // The positions behind each byte are worked out once: tokens share them.
  std::vector<Positions> sets;
  std::map<Positions, int32_t> number;
  std::vector<std::array<int32_t, 256>> by_byte;
  const auto number_of = [&](const Positions& set) {
    const auto [it, fresh] = number.emplace(set, static_cast<int32_t>(sets.size()));
    if (fresh) {
      sets.push_back(set);
      by_byte.emplace_back().fill(-2);
    }
    return it->second;
  };
  const auto behind = [&](int32_t from, unsigned char byte) {
    int32_t known = by_byte[static_cast<size_t>(from)][byte];
    if (known != -2) return known;
    const Positions set = Step(automaton, sets[static_cast<size_t>(from)], byte);
    known = set.empty() ? kRefused : number_of(set);
    by_byte[static_cast<size_t>(from)][byte] = known;
    return known;
  };

  TokenDfa dfa = {.vocab = std::ssize(vocabulary), .stop_ids = std::move(stop_ids)};
  std::vector<int32_t> set_of = {number_of(kBegin)};  // of each state
  std::map<int32_t, int32_t> state_of = {{set_of.front(), AddState(&dfa)}};
  for (size_t state = 0; state < set_of.size(); ++state) {
    dfa.may_end[state] = MayEnd(automaton, sets[static_cast<size_t>(set_of[state])]);
    for (size_t token = 0; token < vocabulary.size(); ++token) {
      int32_t at = vocabulary[token].empty() ? kRefused : set_of[state];
      for (size_t i = 0; at != kRefused && i < vocabulary[token].size(); ++i)
        at = behind(at, static_cast<unsigned char>(vocabulary[token][i]));
      if (at == kRefused) continue;
      auto it = state_of.find(at);
      if (it == state_of.end()) {
        it = state_of.emplace(at, AddState(&dfa)).first;
        set_of.push_back(at);
      }
      dfa.next[state * vocabulary.size() + token] = it->second;
    }
  }
  return dfa;
}

}  // namespace assay
