// Verifiers that compare drafts with given tokens: they draw nothing.

#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/verify_call.h"

namespace assay::host {
namespace {

// Tokens of rows from the request's first, while they are the next draft.
Answer LongestPrefix(const VerifyCall& call, const Request& request) {
  Answer answer;
  int64_t row = request.first;
  answer.Add(call.target_ids[row], row);
  for (; row + 1 < request.first + request.rows; ++row) {
    if (call.candidates[row + 1] != call.target_ids[row]) break;
    ++answer.accepted;
    answer.Add(call.target_ids[row + 1], row + 1);
  }
  return answer;
}

Answer Walk(const VerifyCall& call, const Request& request) {
  Answer answer;
  const auto visit = [&](int64_t node) {
    const int32_t row = call.retrieve_index[request.first + node];
    answer.Add(call.target_ids[row], row);
  };
  visit(0);
  for (int32_t child = call.next_token[request.first]; child >= 0;) {
    const int64_t node = request.first + child;
    if (call.candidates[node] != answer.tokens.back()) {
      child = call.next_sibling[node];
      continue;
    }
    if (answer.accepted + 1 >= call.width) break;
    ++answer.accepted;
    visit(child);
    child = call.next_token[node];
  }
  return answer;
}

int32_t VerifyIds(const assay_call* call, const assay_verify_args* args,
                  Answer (*verify)(const VerifyCall&, const Request&), uint32_t tree = 0) {
  return Guard(call, args, [&](const Config& config) {
    const VerifyCall checked = CheckVerify(*args, kTargetIds | kPredicts | tree);
    for (int64_t b = 0; b < checked.requests; ++b)
      Write(checked, b, verify(checked, checked.At(b)), config.profile);
  });
}

void CheckOrder(const VerifyCall& call) {
  for (int64_t b = 1; b < call.requests; ++b) {
    const int64_t before = call.At(b - 1).rows, rows = call.At(b).rows;
    if (rows != before && rows != 1)
      throw InputError(
          "row_offsets: requests of one row must come last, the others be equally long");
  }
}

void WriteMatch(const VerifyCall& call, int64_t b, const Answer& answer) {
  const Request request = call.At(b);
  for (int64_t i = 0; i < request.rows; ++i)
    call.accept_mask[request.first + i] = i <= answer.accepted;
  call.last_row[b] = static_cast<int32_t>(request.first + answer.accepted);
  if (request.rows == 1) return;
  call.accept_count[b] = answer.accepted;
  auto* emitted = call.emitted.Row<int32_t>(b);
  for (int64_t i = 0; i < call.width; ++i)
    emitted[i] = i < answer.accepted ? answer.tokens[static_cast<size_t>(i)] : -1;
}

}  // namespace

int32_t VerifyChainGreedy(const assay_call* call, const assay_verify_args* args) {
  return VerifyIds(call, args, &LongestPrefix);
}
int32_t VerifyChainTargetSampled(const assay_call* call, const assay_verify_args* args) {
  return VerifyIds(call, args, &LongestPrefix);
}
int32_t VerifyTreeGreedy(const assay_call* call, const assay_verify_args* args) {
  return VerifyIds(call, args, &Walk, kTree);
}

int32_t VerifyMatch(const assay_call* call, const assay_verify_args* args) {
  return Guard(call, args, [&](const Config&) {
    const VerifyCall checked = CheckVerify(*args, kTargetIds | kMatch);
    CheckOrder(checked);
    for (int64_t b = 0; b < checked.requests; ++b)
      WriteMatch(checked, b, LongestPrefix(checked, checked.At(b)));
  });
}

}  // namespace assay::host
