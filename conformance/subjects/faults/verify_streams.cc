// Verifiers whose coins are the wrong words: the drafter's, which lie before the offset, the next
// step's, or, under profiles that leave the stream open, those of their own other decisions.

#include "conformance/subjects/faults/coin_kit.h"

namespace assay::faults {
namespace {

size_t Index(int64_t i) { return static_cast<size_t>(i); }

// Draft i was drawn by the word of row i that lies this far before the offset.
double DraftWord(VerifyArgs args, int64_t request, int64_t row) {
  return WordOf(args, request, row - (RowsOf(args, request) - 1));
}

int32_t CoinFromDraftWord(Call call, VerifyArgs args) {
  if (args->coins) return Good().chain_speculative_sampling(call, args);
  CoinValues coins = StreamCoins(args);
  for (int64_t b = 0; Dose() && b < Requests(args); ++b)
    for (int64_t row = 0; row + 1 < RowsOf(args, b); ++row)
      coins.test[Index(FirstRow(args, b) + row)] = DraftWord(args, b, row);
  return WithCoins(Good().chain_speculative_sampling, call, args, coins);
}

// Draws once to see where each request ends, then again with change(request, accepted, coins).
template <class Change>
int32_t Again(Verifier verifier, Call call, VerifyArgs args, Change change) {
  if (args->coins) return verifier(call, args);
  CoinValues coins = StreamCoins(args);
  const int32_t code = WithCoins(verifier, call, args, coins);
  if (code != ASSAY_OK || !Dose()) return code;
  for (int64_t b = 0; b < Requests(args); ++b) change(b, AcceptedOf(args, b), coins);
  return WithCoins(verifier, call, args, coins);
}

int32_t DraftNoiseInResidual(Call call, VerifyArgs args) {
  return Again(Good().chain_speculative_sampling, call, args,
               [&](int64_t b, int64_t accepted, CoinValues& coins) {
                 if (accepted + 1 < RowsOf(args, b))
                   coins.last[Index(b)] = DraftWord(args, b, accepted);
               });
}

int32_t OneCoin(Call call, VerifyArgs args) {
  if (args->coins) return Good().rejection_sample(call, args);
  CoinValues coins = StreamCoins(args);
  for (int64_t b = 0; Dose() && b < Requests(args); ++b)
    for (int64_t row = 0; row < RowsOf(args, b); ++row)
      coins.test[Index(FirstRow(args, b) + row)] = coins.test[Index(FirstRow(args, b))];
  return WithCoins(Good().rejection_sample, call, args, coins);
}

int32_t BonusReusesCoin(Call call, VerifyArgs args) {
  return Again(Good().rejection_sample, call, args,
               [&](int64_t b, int64_t accepted, CoinValues& coins) {
                 if (accepted > 0 && accepted + 1 == RowsOf(args, b))
                   coins.last[Index(b)] = coins.test[Index(FirstRow(args, b) + accepted - 1)];
               });
}

// The token after all drafts takes the first word behind those of the request, which is its next
// step's.
int32_t BonusFromNextStep(Call call, VerifyArgs args) {
  return Again(Good().chain_speculative_sampling, call, args,
               [&](int64_t b, int64_t accepted, CoinValues& coins) {
                 const int64_t rows = RowsOf(args, b);
                 if (accepted + 1 == rows) coins.last[Index(b)] = WordOf(args, b, rows);
               });
}

// The right function, of which too little is said: a rejected draft is tested again for the metric.
int32_t RightChain(Call call, VerifyArgs args) {
  return Good().chain_speculative_sampling(call, args);
}
void MovesByRows(assay_subject& subject) {
  subject.advance = [](const char*, int64_t rows, int64_t) { return rows; };
}

// Neighbouring rows of one seed are a request's: the first one's word draws them all.
int32_t RowsShareNoise(Call call, SampleArgs args) {
  if (!Dose()) return Good().sampling_from_probs(call, args);
  return WithUniforms(Good().sampling_from_probs, call, args, [&](int64_t r) {
    const Source mine = SourceOf(call, args, r);
    while (r > 0 && SourceOf(call, args, r - 1).seed == mine.seed) --r;
    return Midpoint(host::PhiloxWord(mine.seed, 0, SourceOf(call, args, r).offset));
  });
}

}  // namespace

void AddVerifyStreamFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling> chain{all, "chain_speculative_sampling"};
  chain.Add<CoinFromDraftWord>("coin-from-draft-word", "B101",
                               "the test of a draft takes the word that it was drawn by",
                               {{"DET-LEDGER-PURPOSE", kLedger},
                                {"DET-PHILOX-LAYOUT", kExact},
                                {"VERIFY-ACCEPT-RATE", kMarginal},
                                {"VERIFY-LAW-FIRST", kMarginal},
                                {"VERIFY-LAW-JOINT", kMarginal}});
  chain.Add<DraftNoiseInResidual>("shared-draft-noise", "B101",
                                  "after a rejection the word that drew the draft draws the token",
                                  {{"DET-LEDGER-PURPOSE", kLedger},
                                   {"DET-LEDGER-STEPS", kLedger},
                                   {"DET-PHILOX-LAYOUT", kExact},
                                   {"VERIFY-LAW-FIRST", kMarginal},
                                   {"VERIFY-LAW-JOINT", kMarginal}});
  chain.Add<BonusFromNextStep>("bonus-reads-next-step", "B103",
                               "after full acceptance the next step's first word draws the token",
                               {{"DET-LEDGER-CONSUME", kLedger},
                                {"DET-LEDGER-STEPS", kLedger},
                                {"DET-PHILOX-LAYOUT", kExact}});
  chain
      .Add<RightChain>("verify-short-advance", "B097",
                       "the offset moves by a word a row, a rejection may read one more",
                       {{"DET-LEDGER-CONSUME", kLedger}, {"DET-LEDGER-STEPS", kLedger}},
                       "flashinfer")
      .declare = MovesByRows;
  FaultRows<&assay_operations::rejection_sample> rejection{all, "rejection_sample"};
  rejection.Add<OneCoin>("joint-coin-shared", "B102", "one coin serves all tests of a request",
                         {{"VERIFY-LAW-JOINT", kMarginal}}, "vllm_mrv2");
  rejection.Add<BonusReusesCoin>("joint-bonus-reuses-coin", "B103",
                                 "after full acceptance the last draft's coin draws the token",
                                 {{"VERIFY-LAW-JOINT", kMarginal}}, "vllm_mrv2");
  FaultRows<&assay_operations::sampling_from_probs> sampler{all, "sampling_from_probs"};
  sampler
      .Add<RowsShareNoise>("match-rows-share-noise", "B101",
                           "the rows of one request are drawn by one word",
                           {{"VERIFY-MATCH-LAW", kMarginal}}, "vllm_v1")
      .beside = "verify_chain_target_sampled";
}

}  // namespace assay::faults
