#ifndef ASSAY_REFERENCE_PHILOX_H_
#define ASSAY_REFERENCE_PHILOX_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011);
// known answers: Random123's kat_vectors.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// Stream (seed, subsequence) in cuRAND's layout: key = seed, counter = {block in the low,
// subsequence in the high 64 bits}; the word at `offset` is word offset % 4 of block offset / 4.
std::array<uint32_t, 4> PhiloxBlock(uint64_t seed, uint64_t subsequence, uint64_t block);
uint32_t PhiloxWord(uint64_t seed, uint64_t subsequence, uint64_t offset);

// How a word becomes a uniform number. The result is exact in double.
enum class UniformMap : uint8_t {
  kMidpoint32,  // (w + 1/2) 2^-32, in (0, 1): profile strict
  kCurand,      // curand_uniform in fp32: fl(fma(fl(w), 2^-32, 2^-33)), in (0, 1]
  kTorch24,     // (w mod 2^24) 2^-24, in [0, 1)
  kShrunk32,    // kMidpoint32 times 1 - 2^-23: a guard against u = 1 that cuts a race's tail
};
double Uniform(UniformMap map, uint32_t word);

// Which word of its request's stream a verifier's coin is. By row: word 0 the last token, word 1 +
// i the tests of row i, whatever is accepted (profile strict); or as they are drawn, one after the
// other (FlashInfer: the tests up to the first rejection, the metric's, the last token).
enum class WordOrder : uint8_t { kByRow, kAsDrawn };

// How a subject turns words into tokens. Descriptive, never normative: it must earn its use by a
// handshake on rows whose outcome is exact.
struct RngModel {
  std::string_view name;
  UniformMap map;
  bool subsequence_is_position;  // the output row's index; else 0
  bool seed_of_row_zero;         // every row draws with seed[0], offset[0]
  bool rejection;                // filtered samplers loop (reference/rejection.h), a word a round
  // A noise race over V tokens reads a word a token. 0: token t reads that at offset + t of its
  // row's subsequence. n > 0: that at offset + t mod g of subsequence row * V + t - t mod g, where
  // g is the common divisor of n and V.
  int64_t race_group = 0;
  WordOrder verifier_words = WordOrder::kByRow;
};
// Null for an unknown name: the stream is opaque.
const RngModel* FindRngModel(std::string_view name);

}  // namespace assay

#endif  // ASSAY_REFERENCE_PHILOX_H_
