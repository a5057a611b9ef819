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
}

}  // namespace assay::faults
