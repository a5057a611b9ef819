#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_TEST_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_TEST_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/subjects/host/test_call.h"

// Calls of verifiers, for the tests of host and of its variants.
namespace assay::host {

using VerifyFunction = int32_t (*)(const assay_call*, const assay_verify_args*);

// What an operation does not read may be empty, and is absent then; rows of target and draft have
// one length. Outputs begin as -7, counters as `counter`.
struct VerifyInput {
  std::vector<int32_t> offsets, candidates, target_ids = {}, next_token = {}, next_sibling = {},
                                            rows = {};
  std::vector<float> target = {}, draft = {};
  std::vector<double> coins = {}, final_coins = {};
  std::vector<int64_t> seed = {}, offset = {};
  std::vector<float> temperature = {};
  uint32_t method = ASSAY_METHOD_STANDARD;
  int32_t counter = 0;
  float single = 1, accumulated = 1;
  int64_t width = 0;  // 0: as many as candidates
};

struct VerifyResult {
  int32_t code = 0;
  std::vector<int32_t> predicts, accept_index, accept_count, accept_metric, emitted, last_row;
  std::vector<uint8_t> accept_mask, status;
  std::vector<float> draft;  // after the call
  std::string message;
  friend bool operator==(const VerifyResult&, const VerifyResult&) = default;
};

inline VerifyResult Invoke(const Config& config, VerifyFunction function, VerifyInput in) {
  const auto rows = static_cast<int64_t>(in.candidates.size());
  const auto requests = static_cast<int64_t>(in.offsets.size()) - 1;
  const int64_t width = in.width > 0 ? in.width : rows;
  const int64_t vocab = static_cast<int64_t>(in.target.size()) / rows;
  const auto lists = static_cast<size_t>(requests), entries = static_cast<size_t>(requests * width);
  VerifyResult out;
  out.predicts.assign(in.candidates.size(), -7);
  out.accept_index.assign(entries, -7);
  out.emitted.assign(entries, -7);
  out.accept_count.assign(lists, in.counter);
  out.accept_metric.assign(lists, in.counter);
  out.last_row.assign(lists, -7);
  out.accept_mask.assign(in.candidates.size(), 77);
  out.status.assign(lists, 77);
  const Tensor offsets(in.offsets), candidates(in.candidates), ids(in.target_ids);
  const Tensor next(in.next_token), sibling(in.next_sibling), index(in.rows);
  const Tensor target(in.target, rows, vocab), draft(in.draft, rows, vocab);
  const Tensor coins(in.coins), finals(in.final_coins), single(&in.single), acc(&in.accumulated);
  const Tensor seed(in.seed), offset(in.offset), temperature(in.temperature);
  const Tensor predicts(out.predicts), accept_index(out.accept_index, requests, width);
  const Tensor count(out.accept_count), metric(out.accept_metric);
  const Tensor emitted(out.emitted, requests, width);
  const Tensor mask(out.accept_mask), last(out.last_row), status(out.status);
  const auto given = [](const auto& values, const Tensor& tensor) {
    return values.empty() ? nullptr : tensor.Get();
  };
  CallOn on(config, requests, vocab);
  assay_verify_args args = {};
  args.size = sizeof args;
  args.method = in.method;
  args.row_offsets = offsets.Get();
  args.candidates = candidates.Get();
  args.target_ids = given(in.target_ids, ids);
  args.next_token = given(in.next_token, next);
  args.next_sibling = given(in.next_sibling, sibling);
  args.retrieve_index = given(in.rows, index);
  args.target = given(in.target, target);
  args.draft = given(in.draft, draft);
  args.coins = given(in.coins, coins);
  args.final_coins = given(in.final_coins, finals);
  args.seed = given(in.seed, seed);
  args.offset = given(in.offset, offset);
  args.temperature = given(in.temperature, temperature);
  args.threshold_single = single.Get();
  args.threshold_acc = acc.Get();
  args.predicts = predicts.Get();
  args.accept_index = accept_index.Get();
  args.accept_count = count.Get();
  args.accept_metric = metric.Get();
  args.emitted = emitted.Get();
  args.accept_mask = mask.Get();
  args.last_row = last.Get();
  args.status = status.Get();
  out.code = function(&on.call, &args);
  out.draft = in.draft;
  out.message = on.message.data();
  return out;
}
// A verifier by ratios: rejection_sample if temperatures are given.
inline VerifyResult Invoke(const Config& config, const VerifyInput& in) {
  return Invoke(config, in.temperature.empty() ? &ChainSpeculativeSampling : &RejectionSample, in);
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_TEST_CALL_H_
