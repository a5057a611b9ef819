#include "conformance/subjects/calls/verify_call.h"

#include <string>

namespace assay::calls {
namespace {

float Threshold(const DLTensor* tensor, const char* name) {
  const Elements given =
      CheckVector(tensor, name, Dtype::kF32, 1, Presence::kRequired, Rank::kVectorOrScalar);
  if (given.step != 0) throw InputError(std::string(name) + ": rank 1, expected 0");
  const float value = *reinterpret_cast<const float*>(given.data);
  if (value >= 0 && value <= 1) return value;
  throw InputError(std::string(name) + ": found " + std::to_string(value) +
                   ", expected one in [0, 1]");
}

// Any number of columns.
Matrix Rows(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows) {
  const Matrix matrix = CheckMatrix(tensor, name, dtype);
  if (matrix.rows == rows) return matrix;
  throw InputError(std::string(name) + ": " + std::to_string(matrix.rows) + " rows, expected " +
                   std::to_string(rows));
}

template <typename T>
T* Required(const DLTensor* tensor, const char* name, Dtype dtype, int64_t count) {
  return reinterpret_cast<T*>(CheckVector(tensor, name, dtype, count, Presence::kRequired).data);
}

void ReadRequests(const assay_verify_args& args, VerifyCall& call) {
  const Elements offsets =
      CheckVector(args.row_offsets, "row_offsets", Dtype::kI32, -1, Presence::kRequired);
  if (offsets.count < 1) throw InputError("row_offsets: no entries, expected one at least");
  const Elements candidates =
      CheckVector(args.candidates, "candidates", Dtype::kI32, -1, Presence::kRequired);
  call.requests = offsets.count - 1;
  call.rows = candidates.count;
  call.row_offsets = As<int32_t>(offsets);
  call.candidates = As<int32_t>(candidates);
}

void ReadLaws(const assay_verify_args& args, VerifyCall& call) {
  call.target = Rows(args.target, "target", Dtype::kF32, call.rows);
  if (args.draft)
    call.draft = CheckMatrix(args.draft, "draft", Dtype::kF32, call.rows, call.target.columns);
  else if (call.parts & kMetric)
    throw InputError("draft: absent");
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

void ReadIds(const assay_verify_args& args, VerifyCall& call) {
  const auto list = [&](const DLTensor* tensor, const char* name) {
    return As<int32_t>(CheckVector(tensor, name, Dtype::kI32, call.rows, Presence::kRequired));
  };
  if (call.parts & kTargetIds) call.target_ids = list(args.target_ids, "target_ids");
  if (!(call.parts & kTree)) return;
  call.next_token = list(args.next_token, "next_token");
  call.next_sibling = list(args.next_sibling, "next_sibling");
  call.retrieve_index = list(args.retrieve_index, "retrieve_index");
}

void ReadRule(const assay_verify_args& args, VerifyCall& call) {
  if (call.parts & kThresholds) {
    call.threshold_single = Threshold(args.threshold_single, "threshold_single");
    call.threshold_acc = Threshold(args.threshold_acc, "threshold_acc");
  }
  if (!(call.parts & kTemperature)) return;
  call.temperature = As<float>(CheckVector(args.temperature, "temperature", Dtype::kF32,
                                           call.requests, Presence::kRequired));
  if (args.method != ASSAY_METHOD_STANDARD && args.method != ASSAY_METHOD_BLOCK)
    throw InputError("method: unknown value " + std::to_string(args.method));
  call.block = args.method == ASSAY_METHOD_BLOCK;
}

void ReadOutputs(const assay_verify_args& args, VerifyCall& call) {
  const uint32_t parts = call.parts;
  call.accept_count =
      Required<int32_t>(args.accept_count, "accept_count", Dtype::kI32, call.requests);
  if (parts & kPredicts) {
    call.predicts = Required<int32_t>(args.predicts, "predicts", Dtype::kI32, call.rows);
    call.accept_index = Rows(args.accept_index, "accept_index", Dtype::kI32, call.requests);
    call.width = call.accept_index.columns;
  }
  if (parts & (kEmitted | kMatch)) {
    call.emitted = Rows(args.emitted, "emitted", Dtype::kI32, call.requests);
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

}  // namespace

VerifyCall CheckVerify(const assay_verify_args& args, uint32_t parts) {
  VerifyCall call;
  call.parts = parts;
  ReadRequests(args, call);
  ReadIds(args, call);
  if (parts & kLaws) ReadLaws(args, call);
  ReadRule(args, call);
  if (parts & (kThresholds | kStream)) ReadCoins(args, call);
  ReadOutputs(args, call);
  return call;
}

}  // namespace assay::calls
