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

float Threshold(const DLTensor* tensor, const char* name) {
  const Elements given =
      CheckVector(tensor, name, Dtype::kF32, 1, Presence::kRequired, Rank::kVectorOrScalar);
  const float value = *reinterpret_cast<const float*>(given.data);
  if (value >= 0 && value <= 1) return value;
  throw InputError(std::string(name) + ": found " + std::to_string(value) +
                   ", expected one in [0, 1]");
}

Matrix CheckRows(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows) {
  const Matrix matrix = CheckMatrix(tensor, name, dtype);
  if (matrix.rows == rows) return matrix;
  throw InputError(std::string(name) + ": " + std::to_string(matrix.rows) + " rows, expected " +
                   std::to_string(rows));
}

template <typename T>
T* Required(const DLTensor* tensor, const char* name, Dtype dtype, int64_t count) {
  return reinterpret_cast<T*>(CheckVector(tensor, name, dtype, count, Presence::kRequired).data);
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

void ReadLaws(const assay_verify_args& args, VerifyCall& call) {
  call.target = CheckRows(args.target, "target", Dtype::kF32, call.rows);
  if (args.draft) call.draft = CheckRows(args.draft, "draft", Dtype::kF32, call.rows);
  if (args.draft && call.draft.columns != call.target.columns)
    throw InputError("draft: " + std::to_string(call.draft.columns) + " columns, expected " +
                     std::to_string(call.target.columns));
}

void ReadIds(const assay_verify_args& args, VerifyCall& call) {
  call.target_ids = As<int32_t>(
      CheckVector(args.target_ids, "target_ids", Dtype::kI32, call.rows, Presence::kRequired));
  for (int64_t row = 0; row < call.rows; ++row)
    if (call.target_ids[row] < 0) Wrong("target_ids", row, call.target_ids[row], "an id");
}

void ReadCoins(const assay_verify_args& args, VerifyCall& call) {
  const bool given = call.parts & kThresholds;
  const Presence coins = given ? Presence::kRequired : Presence::kOptional;
  call.coins = As<double>(CheckVector(args.coins, "coins", Dtype::kF64, call.rows, coins));
  call.final_coins =
      As<double>(CheckVector(args.final_coins, "final_coins", Dtype::kF64, call.requests,
                             call.coins ? Presence::kRequired : Presence::kOptional));
  if (given) return;
  const Presence stream = call.coins ? Presence::kOptional : Presence::kRequired;
  call.seed = As<uint64_t>(CheckVector(args.seed, "seed", Dtype::kI64, call.requests, stream));
  call.offset =
      As<uint64_t>(CheckVector(args.offset, "offset", Dtype::kI64, call.requests, stream));
}

void ReadTree(const assay_verify_args& args, VerifyCall& call) {
  const auto list = [&](const DLTensor* tensor, const char* name) {
    return As<int32_t>(CheckVector(tensor, name, Dtype::kI32, call.rows, Presence::kRequired));
  };
  call.next_token = list(args.next_token, "next_token");
  call.next_sibling = list(args.next_sibling, "next_sibling");
  call.retrieve_index = list(args.retrieve_index, "retrieve_index");
  CheckLinks(call);
}

void ReadOutputs(const assay_verify_args& args, VerifyCall& call) {
  const uint32_t parts = call.parts;
  call.accept_count =
      Required<int32_t>(args.accept_count, "accept_count", Dtype::kI32, call.requests);
  if (parts & kPredicts) {
    call.predicts = Required<int32_t>(args.predicts, "predicts", Dtype::kI32, call.rows);
    call.accept_index = CheckRows(args.accept_index, "accept_index", Dtype::kI32, call.requests);
    call.width = call.accept_index.columns;
  }
  if (parts & (kEmitted | kMatch)) {
    call.emitted = CheckRows(args.emitted, "emitted", Dtype::kI32, call.requests);
    call.width = call.emitted.columns;
  }
  if (parts & kMetric)
    call.accept_metric =
        Required<int32_t>(args.accept_metric, "accept_metric", Dtype::kI32, call.requests);
  if (parts & kMatch) {
    call.accept_mask = Required<uint8_t>(args.accept_mask, "accept_mask", Dtype::kU8, call.rows);
    call.last_row = Required<int32_t>(args.last_row, "last_row", Dtype::kI32, call.requests);
  }
  if (parts & kLaws)
    call.status = Required<uint8_t>(args.status, "status", Dtype::kU8, call.requests);
}

void WriteEmitted(const VerifyCall& call, int64_t request, const std::vector<int32_t>& tokens,
                  bool fill) {
  auto* emitted = call.emitted.Row<int32_t>(request);
  std::copy(tokens.begin(), tokens.end(), emitted);
  if (fill) std::fill(emitted + tokens.size(), emitted + call.width, -1);
}

}  // namespace

VerifyCall CheckVerify(const assay_verify_args& args, uint32_t parts) {
  VerifyCall call;
  call.parts = parts;
  const Elements offsets =
      CheckVector(args.row_offsets, "row_offsets", Dtype::kI32, -1, Presence::kRequired);
  if (offsets.count < 1) throw InputError("row_offsets: no entries, expected one at least");
  const Elements candidates =
      CheckVector(args.candidates, "candidates", Dtype::kI32, -1, Presence::kRequired);
  call.requests = offsets.count - 1;
  call.rows = candidates.count;
  call.row_offsets = As<int32_t>(offsets);
  call.candidates = As<int32_t>(candidates);
  CheckOffsets(call);
  if (parts & kLaws) ReadLaws(args, call);
  if (parts & kTargetIds) ReadIds(args, call);
  if (parts & kTree) ReadTree(args, call);
  if (parts & kThresholds) {
    call.threshold_single = Threshold(args.threshold_single, "threshold_single");
    call.threshold_acc = Threshold(args.threshold_acc, "threshold_acc");
  }
  if (parts & (kThresholds | kStream)) ReadCoins(args, call);
  if (parts & kTemperature)
    call.temperature = As<float>(CheckVector(args.temperature, "temperature", Dtype::kF32,
                                             call.requests, Presence::kRequired));
  ReadOutputs(args, call);
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
