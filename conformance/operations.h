#ifndef ASSAY_CONFORMANCE_OPERATIONS_H_
#define ASSAY_CONFORMANCE_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "conformance/subject.h"

namespace assay {

enum class Role : uint8_t { kIn, kOptional, kOut, kInOut, kScalar };

// One member of an argument struct: a tensor, or a plain number (kScalar, dtype u32 or i64). dtype:
// "value" stands for the job's; shape: "R V", "N", ... in the letters of subject.h.
struct ArgField {
  std::string_view name;
  size_t at;  // offset of the pointer or number
  Role role;
  std::string_view dtype, shape;
};

// What the rows of "value" dtype are. kFixed: the operation has none, all its dtypes are given.
enum class Reads : uint8_t { kLogits, kProbs, kFixed };

// What one call takes and gives; the call harness and the properties that hold for any operation
// read it. The first member of every argument struct is its size.
struct Operation {
  std::string_view name;
  Reads reads;
  bool (*offered)(const assay_operations&);
  int32_t (*invoke)(const assay_operations&, const assay_call*, const void* args);
  void (*copy)(const assay_operations& from, assay_operations& to);  // this one entry
  size_t args_size;
  std::span<const ArgField> fields;
};

std::span<const Operation> Operations();
const Operation& FindOperation(std::string_view name);  // throws InputError

const ArgField* FindField(const Operation& operation, std::string_view name);  // null: has none

// The field of "value" dtype that the operation reads.
std::string_view RowsField(const Operation& operation);

// Whether its batch is of requests with rows of their own (conformance/verify/batch.h).
bool IsVerifier(const Operation& operation);

// "R V": one entry for each row of the batch; so do N and M. Pools (P) and lists (X) have none.
bool HasRowAxis(const ArgField& field);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_OPERATIONS_H_
