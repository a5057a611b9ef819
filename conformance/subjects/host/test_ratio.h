#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_RATIO_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_RATIO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/subjects/host/test_call.h"

// Calls of ratio verifiers for the tests of host and of its variants.
namespace assay::host {

struct RatioInput {
  std::vector<int32_t> offsets, candidates;
  std::vector<float> target, draft = {};  // rows of one length; no draft: absent
  std::vector<double> coins = {}, final_coins = {};
  std::vector<int64_t> seed = {}, offset = {};
  std::vector<float> temperature = {};  // rejection_sample
  uint32_t method = ASSAY_METHOD_STANDARD;
  int32_t counter = 0;  // what counters hold before
};

struct RatioResult {
  int32_t code = 0;
  std::vector<int32_t> emitted, count, metric;
  std::vector<uint8_t> status;
  std::string message;
};

// rejection_sample if temperatures are given, else chain_speculative_sampling. Entries that are not
// written are 99.
inline RatioResult Invoke(const Config& config, RatioInput in) {
  const auto rows = static_cast<int64_t>(in.candidates.size());
  const auto requests = static_cast<int64_t>(in.offsets.size()) - 1;
  const int64_t vocab = static_cast<int64_t>(in.target.size()) / rows;
  const auto count = static_cast<size_t>(requests);
  RatioResult out;
  out.emitted.assign(count * static_cast<size_t>(rows), 99);
  out.count.assign(count, in.counter);
  out.metric.assign(count, in.counter);
  out.status.assign(count, 77);
  CallOn on(config, requests, vocab);
  const Tensor offsets(in.offsets), candidates(in.candidates), target(in.target, rows, vocab);
  const Tensor draft(in.draft, rows, vocab), coins(in.coins), final_coins(in.final_coins);
  const Tensor seed(in.seed), offset(in.offset), temperature(in.temperature);
  const Tensor emitted(out.emitted, requests, rows), counts(out.count), metric(out.metric);
  const Tensor status(out.status);
  assay_verify_args args = {};
  args.size = sizeof args;
  args.method = in.method;
  args.row_offsets = offsets.Get();
  args.candidates = candidates.Get();
  args.target = target.Get();
  if (!in.draft.empty()) args.draft = draft.Get();
  if (!in.coins.empty()) args.coins = coins.Get(), args.final_coins = final_coins.Get();
  if (!in.seed.empty()) args.seed = seed.Get(), args.offset = offset.Get();
  if (!in.temperature.empty()) args.temperature = temperature.Get();
  args.emitted = emitted.Get();
  args.accept_count = counts.Get();
  args.accept_metric = metric.Get();
  args.status = status.Get();
  const auto verify = in.temperature.empty() ? &ChainSpeculativeSampling : &RejectionSample;
  out.code = verify(&on.call, &args);
  out.message = on.message.data();
  return out;
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_RATIO_H_
