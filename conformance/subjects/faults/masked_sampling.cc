// Faults of samplers that let a masked token through.

#include <cstring>

#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

using Args = assay_sample_args;

float Prob(const Args& a, int64_t row, int64_t col) {
  const int64_t at = row * a.input->strides[0] + col;
  if (a.input->dtype.bits == 32) return static_cast<const float*>(a.input->data)[at];
  const uint16_t bits = static_cast<const uint16_t*>(a.input->data)[at];
  return bits == 0 || bits == 0x8000u ? 0.0f : 1.0f;
}

int64_t RowOf(const Args& a, int64_t r) {
  return a.indices ? static_cast<const int32_t*>(a.indices->data)[r] : r;
}

// A vocabulary of 48 blocks is split; the row whose last blocks are empty falls back to the last
// id.
constexpr int64_t kBlock = 1024, kBlocks = 48;

int32_t FallsBackPastTheMask(const assay_call* call, const Args* a) {
  const int32_t code = Good().sampling_from_probs(call, a);
  const int64_t vocab = a->input->shape[1];
  if (vocab != kBlock * kBlocks) return code;
  auto* ids = static_cast<int32_t*>(a->ids->data);
  for (int64_t r = 0; r < a->ids->shape[0]; ++r) {
    bool empty = true;
    for (int64_t c = vocab - 1; empty && c >= vocab - kBlock; --c)
      empty = Prob(*a, RowOf(*a, r), c) == 0;
    const bool high = a->uniforms && static_cast<const double*>(a->uniforms->data)[r] == 1;
    if (empty && high && Dose() > 0) ids[r] = static_cast<int32_t>(vocab - 1);
  }
  return code;
}

// A row with one positive token gives the id before it, by a partition that is one off.
int32_t ForcedTokenOneOff(const assay_call* call, const Args* a) {
  const int32_t code = Good().top_k_top_p_sampling_from_probs(call, a);
  const int64_t vocab = a->input->shape[1];
  if (vocab <= kBlock * (kBlocks - 1) || vocab > kBlock * kBlocks) return code;
  int64_t seen = -1, positive = 0;
  for (int64_t r = 0; r < a->ids->shape[0]; ++r) {
    if (RowOf(*a, r) != seen) {
      seen = RowOf(*a, r);
      positive = 0;
      for (int64_t c = 0; c < vocab; ++c) positive += Prob(*a, seen, c) != 0;
    }
    int32_t& id = static_cast<int32_t*>(a->ids->data)[r];
    if (positive == 1 && id > 0) id -= Dose();
  }
  return code;
}

}  // namespace

void AddMaskedSamplingFaults(std::vector<Fault>& all) {
  all.push_back(
      {.id = "sampler-falls-back-past-mask",
       .operation = "sampling_from_probs",
       .bug = "B001",
       .what = "u = 1 gives the last id where the last block of the vocabulary is empty",
       .install = [](assay_operations& ops) { ops.sampling_from_probs = FallsBackPastTheMask; },
       .kills = {{"MASK-SAMPLE-SUPPORT", Technique::kEdge}}});
  all.push_back(
      {.id = "sampler-forced-one-off",
       .operation = "top_k_top_p_sampling_from_probs",
       .bug = "B061",
       .what = "a lone allowed token gives the id before it in split vocabularies",
       .install =
           [](assay_operations& ops) { ops.top_k_top_p_sampling_from_probs = ForcedTokenOneOff; },
       .kills = {{"MASK-SAMPLE-SUPPORT", Technique::kEdge}}});
}

}  // namespace assay::faults
