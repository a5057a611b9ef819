// Lies: host follows another choice than the profile that it declares. No code of their own.

#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {

void AddLies(std::vector<Fault>& all) {
  all.push_back({.id = "topk-keeps-ties",
                 .operation = "top_k_renorm_probs",
                 .bug = "B030",
                 .what = "keeps the whole tie group at the cut",
                 .lie = "top_k_ties=keep_all",
                 .kills = {{"PROC-TOPK-TIES", Technique::kExact}}});
  all.push_back({.id = "sums-by-batch",
                 .operation = "softmax",
                 .bug = "B031",
                 .what = "batches above 8 rows are summed in another order",
                 .lie = "batch=may_differ",
                 .kills = {{"DET-BATCH-SIZE", Technique::kMetamorphic}}});
  all.push_back({.id = "mask-beyond-untouched",
                 .operation = "apply_token_bitmask",
                 .bug = "B172",
                 .what = "logits past the vocabulary stay as they are",
                 .lie = "mask_beyond=untouched",
                 .kills = {{"MASK-WIDTH-POLICY", Technique::kExact}}});
}

}  // namespace assay::faults
