#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_RACE_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_RACE_KIT_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "conformance/subjects/faults/sample_kit.h"
#include "conformance/subjects/host/stream.h"

// What the faults of noise races share.
namespace assay::faults {

// One output row of a race: the tokens above -inf of its distribution row.
struct Racers {
  std::vector<int32_t> ids;
  std::vector<double> logits;
  int64_t vocab = 0;
};
// Those of distribution row `row`; with `all`, the -inf ones too.
Racers RacersOf(const DLTensor& logits, int64_t row, bool all);

// The words of output row r under profiles that promise the stream.
class TokenWords {
 public:
  TokenWords(Call call, SampleArgs args, int64_t r) : source_(SourceOf(call, args, r)) {}
  uint32_t operator()(int64_t token) {
    const uint64_t at = source_.offset + static_cast<uint64_t>(token);
    if (!read_ || at >> 2 != block_) words_ = host::PhiloxBlock(source_.seed, 0, at >> 2);
    read_ = true, block_ = at >> 2;
    return words_[at & 3];
  }

 private:
  Source source_;
  bool read_ = false;
  uint64_t block_ = 0;
  std::array<uint32_t, 4> words_{};
};

// Calls of so many rows take another path, host's.
inline constexpr int64_t kManyRows = 1 << 16;

// host's tokens; where a row is good, the winner by `score(logit, word)`, a later one only by more,
// a NaN by being there. `all`: -inf tokens race too, in calls of few rows. A score that rises with
// the word is asked for a run of equal logits' largest words alone.
enum Rising : bool { kMayFall, kRises };
template <Rising kRising = kMayFall, class Score>
int32_t Rescored(Call call, SampleArgs args, Score score, bool all = false) {
  constexpr int64_t kFew = 8;
  const int32_t code = Good().sampling_from_logits(call, args);
  const int64_t rows = Cols(*args->ids);
  int64_t read = -1;
  Racers racers;
  for (int64_t r = 0; code == ASSAY_OK && Dose() && rows < kManyRows && r < rows; ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const int64_t row = RowOf(args, r);
    if (row != read) racers = RacersOf(*args->input, read = row, all && rows <= kFew);
    TokenWords words(call, args, r);
    int32_t winner = racers.ids[0];
    uint32_t largest = words(winner);  // since the logits changed last
    auto best = score(racers.logits[0], largest);
    for (size_t i = 1; i < racers.ids.size() && !std::isnan(best); ++i) {
      const uint32_t word = words(racers.ids[i]);
      const bool runs_on = kRising && racers.logits[i] == racers.logits[i - 1];
      if (runs_on && word <= largest) continue;
      largest = word;
      const auto mine = score(racers.logits[i], word);
      if (!(mine > best) && !std::isnan(mine)) continue;
      best = mine;
      winner = racers.ids[i];
    }
    Set(*args->ids, 0, r, winner);
  }
  return code;
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_RACE_KIT_H_
