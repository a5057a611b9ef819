// token_matcher of the subject `reference`.

#include <algorithm>

#include "conformance/subjects/reference_kit.h"
#include "reference/matcher_script.h"

namespace assay::reference {
namespace {

template <class T>
T Entry(const DLTensor& tensor, int64_t row, int64_t column) {
  return *reinterpret_cast<const T*>(At(tensor, row, column));
}
template <class T>
T* Out(const DLTensor& tensor, int64_t row, int64_t column) {
  return reinterpret_cast<T*>(const_cast<char*>(At(tensor, row, column)));
}

TokenDfa ReadDfa(const assay_match_args& a, const Profile& profile) {
  TokenDfa dfa = {.vocab = a.transitions->shape[1],
                  .ends_alone = profile.matcher_end == MatcherEnd::kWholeText};
  for (int64_t q = 0; q < a.transitions->shape[0]; ++q) {
    for (int64_t t = 0; t < dfa.vocab; ++t)
      dfa.next.push_back(Entry<int32_t>(*a.transitions, q, t));
    dfa.may_end.push_back(Read<uint8_t>(*a.may_end, q));
  }
  for (int64_t i = 0; i < a.stop_ids->shape[0]; ++i)
    dfa.stop_ids.push_back(Read<int32_t>(*a.stop_ids, i));
  return dfa;
}

}  // namespace

int32_t MatchTokens(const assay_call* call, const assay_match_args* args) {
  return Guard(call, args, [](const assay_match_args& a, const Profile& profile) {
    const TokenDfa dfa = ReadDfa(a, profile);
    const int64_t steps = a.op->shape[1], words = a.mask->shape[1] / steps;
    for (int64_t r = 0; r < a.op->shape[0]; ++r) {
      std::vector<MatchStep> script;
      for (int64_t s = 0; s < steps; ++s)
        script.push_back({static_cast<MatchOp>(Entry<int32_t>(*a.op, r, s)),
                          Entry<int32_t>(*a.arg, r, s), Entry<int32_t>(*a.parent, r, s)});
      const auto answers = Replay(dfa, Read<int32_t>(*a.start, r), script, words, profile);
      for (int64_t s = 0; s < steps; ++s) {
        const MatchAnswer& answer = answers[static_cast<size_t>(s)];
        *Out<int32_t>(*a.result, r, s) = answer.result;
        *Out<uint8_t>(*a.ended, r, s) = answer.ended;
        if (answer.mask) std::ranges::copy(*answer.mask, Out<uint32_t>(*a.mask, r, s * words));
      }
    }
  });
}

}  // namespace assay::reference
