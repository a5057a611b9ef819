#include "conformance/subjects/host/verify_call.h"

#include <algorithm>
#include <string>
#include <utility>

namespace assay::host {
namespace {

[[noreturn]] void Wrong(const char* name, int64_t entry, int64_t found, const char* expected) {
  throw InputError(std::string(name) + "[" + std::to_string(entry) + "]: found " +
                   std::to_string(found) + ", expected " + expected);
}

void CheckOffsets(const VerifyCall& call) {
  if (call.row_offsets[0] != 0) Wrong("row_offsets", 0, call.row_offsets[0], "0");
  for (int64_t b = 0; b < call.requests; ++b)
    if (call.row_offsets[b + 1] <= call.row_offsets[b])
      Wrong("row_offsets", b + 1, call.row_offsets[b + 1], "more than the entry before");
  if (call.row_offsets[call.requests] != call.rows)
    Wrong("row_offsets", call.requests, call.row_offsets[call.requests], "the rows of candidates");
}

// No node is reached twice from a root: a path cannot be longer than its request.
void CheckTree(const VerifyCall& call, const Request& request) {
  std::vector<bool> reached(static_cast<size_t>(request.rows));
  std::vector<int64_t> open = {0};
  const auto reach = [&](const char* name, int64_t row, int32_t to) {
    if (to < 0) return;
    if (to == 0 || reached[static_cast<size_t>(to)]) Wrong(name, row, to, "no node twice");
    reached[static_cast<size_t>(to)] = true;
    open.push_back(to);
  };
  while (!open.empty()) {
    const int64_t node = open.back(), row = request.first + node;
    open.pop_back();
    reach("next_token", row, call.next_token[row]);
    if (node != 0) reach("next_sibling", row, call.next_sibling[row]);
  }
}

void CheckLinks(const VerifyCall& call) {
  for (int64_t b = 0; b < call.requests; ++b) {
    const Request request = call.At(b);
    const int64_t end = request.first + request.rows;
    for (int64_t row = request.first; row < end; ++row) {
      for (const auto& [name, to] : {std::pair{"next_token", call.next_token[row]},
                                     std::pair{"next_sibling", call.next_sibling[row]}})
        if (to < -1 || to >= request.rows) Wrong(name, row, to, "-1 or a node of the request");
      const int32_t index = call.retrieve_index[row];
      if (index < request.first || index >= end)
        Wrong("retrieve_index", row, index, "a row of the request");
    }
    CheckTree(call, request);
  }
}

void CheckIds(const VerifyCall& call) {
  for (int64_t row = 0; row < call.rows; ++row)
    if (call.target_ids[row] < 0) Wrong("target_ids", row, call.target_ids[row], "an id");
}

void WriteEmitted(const VerifyCall& call, int64_t request, const std::vector<int32_t>& tokens,
                  bool fill) {
  auto* emitted = call.emitted.Row<int32_t>(request);
  std::copy(tokens.begin(), tokens.end(), emitted);
  if (fill) std::fill(emitted + tokens.size(), emitted + call.width, -1);
}

}  // namespace

VerifyCall CheckVerify(const assay_verify_args& args, uint32_t parts) {
  const VerifyCall call{calls::CheckVerify(args, parts)};
  CheckOffsets(call);
  if (parts & kTargetIds) CheckIds(call);
  if (parts & kTree) CheckLinks(call);
  // A tree's path is cut at the width; the others must have room.
  for (int64_t b = 0; b < call.requests; ++b)
    if (!(parts & kTree) && call.At(b).rows > call.width)
      throw InputError("outputs: " + std::to_string(call.width) + " entries a request, expected " +
                       std::to_string(call.At(b).rows));
  return call;
}

void Write(const VerifyCall& call, int64_t request, const Answer& answer, const Profile& profile) {
  const bool added = call.accept_metric && profile.counter_mode == CounterMode::kAdded;
  const auto count = [&](int32_t* counters, int32_t value) {
    counters[request] = added ? counters[request] + value : value;
  };
  count(call.accept_count, answer.accepted);
  if (call.accept_metric) count(call.accept_metric, answer.metric);
  if (call.status) call.status[request] = answer.status;
  if (call.predicts) {
    for (size_t i = 0; i < answer.rows.size(); ++i) {
      call.predicts[answer.rows[i]] = answer.tokens[i];
      call.accept_index.Row<int32_t>(request)[i] = answer.rows[i];
    }
  } else {
    WriteEmitted(call, request, answer.tokens, profile.emitted_tail == EmittedTail::kMinusOne);
  }
}

}  // namespace assay::host
