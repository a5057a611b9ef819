#include "conformance/verify/model_requests.h"

#include <algorithm>
#include <numeric>

#include "reference/model_w.h"

namespace assay {
namespace {

std::vector<int64_t> Codes(std::initializer_list<ModelUse> uses) {
  std::vector<int64_t> codes;
  for (const ModelUse use : uses) codes.push_back(static_cast<int64_t>(use));
  return codes;
}

std::vector<double> OneHot(int32_t token) {
  std::vector<double> row(kModelTokens, 0.0);
  row[static_cast<size_t>(token)] = 1;
  return row;
}

}  // namespace

std::vector<int64_t> ModelUses(const Context& context) {
  const Operation& operation = *context.operation;
  using enum ModelUse;
  if (FindField(operation, "threshold_acc")) return Codes({kPlain, kAccumulated, kSingle});
  const bool block = FindField(operation, "method") && context.subject->flags & ASSAY_BLOCK_RULE;
  return block ? Codes({kPlain, kOneHot, kBlock}) : Codes({kPlain, kOneHot});
}

const Model& ModelOf(ModelUse use) {
  static const Model kPlain = ModelW(), kMasked = MaskedModelW();
  return use == ModelUse::kMasked ? kMasked : kPlain;
}

VerifyBatch ModelBatch(ModelUse use, const Operation& operation) {
  VerifyBatch batch;
  batch.vocab = kModelTokens;
  batch.width = ModelW().drafts + 1;
  const bool optional = !FindField(operation, "accept_metric");  // draft rows
  batch.drafts = FindField(operation, "seed") && !(use == ModelUse::kOneHot && optional);
  if (use == ModelUse::kBlock) batch.method = RejectionMethod::kBlock;
  if (use == ModelUse::kAccumulated) batch.thresholds.accumulated = 0.5;
  if (use == ModelUse::kSingle) batch.thresholds.single = 0.375;
  return batch;
}

VerifyRequest ModelRequest(std::span<const int32_t> drafts, ModelUse use) {
  VerifyRequest request;
  request.candidates = {0};
  request.candidates.insert(request.candidates.end(), drafts.begin(), drafts.end());
  ModelChain chain = ChainOf(ModelOf(use), drafts);
  request.target = std::move(chain.target);
  request.draft = std::move(chain.draft);
  for (size_t i = 0; i < drafts.size() && use == ModelUse::kOneHot; ++i)
    request.draft[i] = OneHot(drafts[i]);
  request.draft.push_back(OneHot(0));  // of the last row: not read
  return request;
}

VerifyRequest ModelTreeRequest(ModelUse use) {
  const Tree tree = ModelWTree();
  const Model& model = ModelOf(use);
  VerifyRequest request;
  request.candidates.assign(tree.candidates.begin(), tree.candidates.end());
  request.next_token.assign(tree.next_token.begin(), tree.next_token.end());
  request.next_sibling.assign(tree.next_sibling.begin(), tree.next_sibling.end());
  request.node_row.resize(request.candidates.size());
  std::iota(request.node_row.begin(), request.node_row.end(), 0);
  std::vector<std::vector<int32_t>> path(request.candidates.size());
  for (size_t node = 0; node < path.size(); ++node) {
    for (int32_t child = request.next_token[node]; child >= 0;
         child = request.next_sibling[static_cast<size_t>(child)]) {
      const auto at = static_cast<size_t>(child);
      path[at] = path[node];
      path[at].push_back(request.candidates[at]);
    }
    request.target.push_back(model.target(path[node]));  // parents come first
  }
  return request;
}

int64_t RequestsACall(int64_t rows, const Context& context) {
  constexpr int64_t kMost = 1024;
  const int64_t limit = context.subject->max_rows;
  return limit > 0 ? std::clamp(limit / rows, int64_t{1}, kMost) : kMost;
}

std::vector<double> ModelTargetLaw(int32_t length) {
  std::vector<double> law;
  for (const auto& [tokens, mass] : TargetLaw(ModelW(), length)) law.push_back(mass);
  return law;  // in the order of the tokens
}

}  // namespace assay
