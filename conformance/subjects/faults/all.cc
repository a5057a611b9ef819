#include "conformance/subjects/faults/fault_kit.h"

namespace assay {

std::span<const Fault> Faults() {
  static const std::vector<Fault> kFaults = [] {
    std::vector<Fault> all;
    faults::AddLies(all);
    faults::AddSoftmaxFaults(all);
    faults::AddFilterFaults(all);
    faults::AddMinPFaults(all);
    faults::AddFusedFilterFaults(all);
    faults::AddTopKMaskFaults(all);
    faults::AddArgmaxFaults(all);
    faults::AddLogprobFaults(all);
    faults::AddTopNFaults(all);
    faults::AddBrokenInputFaults(all);
    faults::AddSamplingFaults(all);
    faults::AddFilteredSamplingFaults(all);
    faults::AddOneFilterSamplingFaults(all);
    faults::AddLogitsSamplingFaults(all);
    faults::AddStreamFaults(all);
    faults::AddRaceFaults(all);
    faults::AddRaceNoiseFaults(all);
    faults::AddLedgerFaults(all);
    faults::AddTokenMaskFaults(all);
    faults::AddMaskCallFaults(all);
    faults::AddMatcherFaults(all);
    faults::AddMaskColumnFaults(all);
    faults::AddMaskedSamplingFaults(all);
    faults::AddMaskedWriteFaults(all);
    faults::AddGatherFaults(all);
    faults::AddPenaltyFaults(all);
    faults::AddTokenRuleFaults(all);
    faults::AddRuleSlotFaults(all);
    faults::AddDraftFaults(all);
    faults::AddVerifyCoinFaults(all);
    faults::AddVerifyStreamFaults(all);
    faults::AddVerifyRatioFaults(all);
    faults::AddVerifyRejectionFaults(all);
    faults::AddVerifyIdFaults(all);
    faults::AddVerifyTreeIdFaults(all);
    faults::AddVerifyTreeFaults(all);
    faults::AddVerifyTargetOnlyFaults(all);
    faults::AddVerifyLastTokenFaults(all);
    faults::AddVerifyMaskFaults(all);
    faults::AddWrapperFaults(all);
    faults::AddCudaFaults(all);
    return all;
  }();
  return kFaults;
}

}  // namespace assay
