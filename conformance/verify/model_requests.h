#ifndef ASSAY_CONFORMANCE_VERIFY_MODEL_REQUESTS_H_
#define ASSAY_CONFORMANCE_VERIFY_MODEL_REQUESTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/verify/answers.h"
#include "reference/joint_law.h"

namespace assay {

// Requests on model W (reference/model_w.h).

// How they are verified, Case::special. kOneHot: the drafter is certain of each draft; kBlock: by
// the block rule; kAccumulated, kSingle: with a threshold below 1; kMasked: model W's rows under
// masks.
enum class ModelUse : uint8_t { kPlain, kOneHot, kBlock, kAccumulated, kSingle, kMasked };
std::vector<int64_t> ModelUses(const Context& context);  // on model W, those of the operation
const Model& ModelOf(ModelUse use);

// A batch without requests, and a chain of the drafts in it.
VerifyBatch ModelBatch(ModelUse use, const Operation& operation);
VerifyRequest ModelRequest(std::span<const int32_t> drafts, ModelUse use);
// The model as a tree.
VerifyRequest ModelTreeRequest(ModelUse use);

// Requests of `rows` rows that one call may take.
int64_t RequestsACall(int64_t rows, const Context& context);

// The law of the first tokens, and of triples by index: token 0 counts nines, token 2 ones.
inline constexpr int32_t kModelTokens = 3, kTriples = 27;
std::vector<double> ModelTargetLaw(int32_t length);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_MODEL_REQUESTS_H_
