#ifndef ASSAY_CONFORMANCE_VERIFY_FIELDS_H_
#define ASSAY_CONFORMANCE_VERIFY_FIELDS_H_

#include <cstddef>

#include "conformance/operations.h"

namespace assay::verify_fields {

// The members of assay_verify_args, by name, in the rows of the verifiers. An output that a call
// may leave as it was is kInOut.

using Args = assay_verify_args;
constexpr ArgField kMethod = {"method", offsetof(Args, method), Role::kScalar, "u32", ""};
constexpr ArgField kOffsets = {"row_offsets", offsetof(Args, row_offsets), Role::kIn, "i32", "B+1"};
constexpr ArgField kCandidates = {"candidates", offsetof(Args, candidates), Role::kIn, "i32", "N"};
constexpr ArgField kTargetIds = {"target_ids", offsetof(Args, target_ids), Role::kIn, "i32", "N"};
constexpr ArgField kTarget = {"target", offsetof(Args, target), Role::kIn, "f32", "N V"};
constexpr ArgField Draft(Role role) { return {"draft", offsetof(Args, draft), role, "f32", "N V"}; }
constexpr ArgField kNextToken = {"next_token", offsetof(Args, next_token), Role::kIn, "i32", "N"};
constexpr ArgField kNextSibling = {"next_sibling", offsetof(Args, next_sibling), Role::kIn, "i32",
                                   "N"};
constexpr ArgField kRetrieve = {"retrieve_index", offsetof(Args, retrieve_index), Role::kIn, "i32",
                                "N"};
constexpr ArgField kSingle = {"threshold_single", offsetof(Args, threshold_single), Role::kIn,
                              "f32", ""};
constexpr ArgField kAcc = {"threshold_acc", offsetof(Args, threshold_acc), Role::kIn, "f32", ""};
constexpr ArgField kTemperature = {"temperature", offsetof(Args, temperature), Role::kIn, "f32",
                                   "B"};
constexpr ArgField kSeed = {"seed", offsetof(Args, seed), Role::kIn, "i64", "B"};
constexpr ArgField kOffset = {"offset", offsetof(Args, offset), Role::kIn, "i64", "B"};
constexpr ArgField Coins(Role role) { return {"coins", offsetof(Args, coins), role, "f64", "N"}; }
constexpr ArgField FinalCoins(Role role) {
  return {"final_coins", offsetof(Args, final_coins), role, "f64", "B"};
}
constexpr ArgField kPredicts = {"predicts", offsetof(Args, predicts), Role::kInOut, "i32", "N"};
constexpr ArgField kAcceptIndex = {"accept_index", offsetof(Args, accept_index), Role::kInOut,
                                   "i32", "B D"};
constexpr ArgField kCount = {"accept_count", offsetof(Args, accept_count), Role::kInOut, "i32",
                             "B"};
constexpr ArgField kEmitted = {"emitted", offsetof(Args, emitted), Role::kInOut, "i32", "B D"};
constexpr ArgField kMetric = {"accept_metric", offsetof(Args, accept_metric), Role::kInOut, "i32",
                              "B"};
constexpr ArgField kMask = {"accept_mask", offsetof(Args, accept_mask), Role::kOut, "u8", "N"};
constexpr ArgField kLastRow = {"last_row", offsetof(Args, last_row), Role::kOut, "i32", "B"};
constexpr ArgField kStatus = {"status", offsetof(Args, status), Role::kOut, "u8", "B"};

constexpr ArgField kChainIds[] = {kOffsets,  kCandidates,  kTargetIds,
                                  kPredicts, kAcceptIndex, kCount};
constexpr ArgField kTreeIds[] = {kOffsets,   kCandidates, kNextToken,   kNextSibling, kRetrieve,
                                 kTargetIds, kPredicts,   kAcceptIndex, kCount};
constexpr ArgField kMatch[] = {kOffsets, kCandidates, kTargetIds, kMask,
                               kLastRow, kEmitted,    kCount};
constexpr ArgField kChainTargetOnly[] = {
    kOffsets,         kCandidates,           kTarget,   Draft(Role::kInOut), kSingle, kAcc,
    Coins(Role::kIn), FinalCoins(Role::kIn), kPredicts, kAcceptIndex,        kCount,  kStatus};
constexpr ArgField kTreeTargetOnly[] = {kOffsets,
                                        kCandidates,
                                        kNextToken,
                                        kNextSibling,
                                        kRetrieve,
                                        kTarget,
                                        Draft(Role::kInOut),
                                        kSingle,
                                        kAcc,
                                        Coins(Role::kIn),
                                        FinalCoins(Role::kIn),
                                        kPredicts,
                                        kAcceptIndex,
                                        kCount,
                                        kStatus};
constexpr ArgField kChainRatio[] = {kOffsets,
                                    kCandidates,
                                    kTarget,
                                    Draft(Role::kIn),
                                    kSeed,
                                    kOffset,
                                    Coins(Role::kOptional),
                                    FinalCoins(Role::kOptional),
                                    kEmitted,
                                    kCount,
                                    kMetric,
                                    kStatus};
constexpr ArgField kRejection[] = {kMethod,
                                   kOffsets,
                                   kCandidates,
                                   kTarget,
                                   Draft(Role::kOptional),
                                   kTemperature,
                                   kSeed,
                                   kOffset,
                                   Coins(Role::kOptional),
                                   FinalCoins(Role::kOptional),
                                   kEmitted,
                                   kCount,
                                   kStatus};

}  // namespace assay::verify_fields

#endif  // ASSAY_CONFORMANCE_VERIFY_FIELDS_H_
