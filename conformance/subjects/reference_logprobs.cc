// gather_token_logprobs and top_n_logprobs of the subject `reference`.

#include "conformance/subjects/reference_kit.h"
#include "reference/logprobs.h"

namespace assay::reference {
namespace {

LogprobRow RowOf(const assay_logprob_args& a, const Profile& profile, int64_t row) {
  LogprobStage stage;
  if (a.bitmask) {
    const auto* words = reinterpret_cast<const int32_t*>(At(*a.bitmask, row));
    stage.mask = {words, static_cast<size_t>(a.bitmask->shape[1])};
  }
  if (a.temperature) stage.temperature = static_cast<double>(Read<float>(*a.temperature, row));
  stage.filters.order = static_cast<FilterOrder>(a.filter_order);
  stage.filters.use_top_k = a.top_k != nullptr;
  stage.filters.use_top_p = a.top_p != nullptr;
  if (a.top_k) stage.filters.top_k = Read<int32_t>(*a.top_k, row);
  if (a.top_p) stage.filters.top_p = static_cast<double>(Read<float>(*a.top_p, row));
  return Logprobs(ReadRow(*a.logits, row), stage, profile);
}

}  // namespace

int32_t GatherTokenLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Guard(call, args, [](const assay_logprob_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.logits->shape[0]; ++r) {
      const TokenLogprob token =
          LogprobOf(RowOf(a, profile, r), Read<int32_t>(*a.tokens, r), profile);
      Write(*a.logprobs, r, static_cast<float>(token.value));
      Write(*a.ranks, r, token.rank);
      Write(*a.status, r, static_cast<uint8_t>(token.status));
    }
  });
}

int32_t TopNLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Guard(call, args, [](const assay_logprob_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.logits->shape[0]; ++r) {
      const LogprobRow row = RowOf(a, profile, r);
      const TopLogprobs top = TopN(row, a.n);
      auto* ids = reinterpret_cast<int32_t*>(const_cast<char*>(At(*a.top_ids, r)));
      auto* values = reinterpret_cast<float*>(const_cast<char*>(At(*a.top_logprobs, r)));
      for (size_t i = 0; i < top.ids.size(); ++i) {
        ids[i] = top.ids[i];
        values[i] = static_cast<float>(top.values[i]);
      }
      Write(*a.status, r, static_cast<uint8_t>(row.status));
    }
  });
}

}  // namespace assay::reference
