#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_COIN_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_COIN_KIT_H_

#include <cstdint>
#include <vector>

#include "conformance/subjects/faults/verify_args.h"

// Verifiers with other coins.
namespace assay::faults {

// Word `place` of a request's stream behind its offset, by profiles that promise the stream.
inline double WordOf(VerifyArgs args, int64_t request, int64_t place) {
  const auto entry = [&](const DLTensor* tensor) {
    return static_cast<const uint64_t*>(tensor->data)[request];
  };
  return Midpoint(
      host::PhiloxWord(entry(args->seed), 0, entry(args->offset) + static_cast<uint64_t>(place)));
}

// Coins of rows and of requests.
struct CoinValues {
  std::vector<double> test, last;
};
inline CoinValues GivenCoins(VerifyArgs args) {
  return {Values<double>(*args->coins), Values<double>(*args->final_coins)};
}
// Those of the stream. Profiles that leave it open may be given these, too.
inline CoinValues StreamCoins(VerifyArgs args) {
  CoinValues coins;
  for (int64_t b = 0; b < Requests(args); ++b) {
    coins.last.push_back(WordOf(args, b, 0));
    for (int64_t row = 0; row < RowsOf(args, b); ++row)
      coins.test.push_back(WordOf(args, b, 1 + row));
  }
  return coins;
}
inline CoinValues CoinsOf(VerifyArgs args) {
  return args->coins ? GivenCoins(args) : StreamCoins(args);
}

inline int32_t WithCoins(Verifier verifier, Call call, VerifyArgs args, const CoinValues& coins) {
  DLTensor like = *args->candidates;
  like.dtype.code = kDLFloat;
  const Column<double> test(like, coins.test), last(like, coins.last);
  assay_verify_args other = *args;
  other.coins = &test;
  other.final_coins = &last;
  return verifier(call, &other);
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_COIN_KIT_H_
