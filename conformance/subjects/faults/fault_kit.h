#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_

#include <string_view>
#include <utility>
#include <vector>

#include "conformance/faults.h"
#include "conformance/subject.h"

// What the faults are made with. One function a file adds its rows; all.cc calls them.
namespace assay::faults {

// 1, or n of "fault:ID?dose=n". At 0 the same code runs with the defect switched off.
int Dose();
void SetDose(int dose);

// host's operations, which a fault calls with wrong arguments, or whose results it spoils.
const assay_operations& Good();

inline constexpr Technique kBounds = Technique::kBounds, kExact = Technique::kExact,
                           kEdge = Technique::kEdge, kMetamorphic = Technique::kMetamorphic,
                           kLedger = Technique::kLedger, kCoupling = Technique::kCoupling,
                           kLaw = Technique::kLaw, kMarginal = Technique::kMarginal,
                           kIndependence = Technique::kIndependence;
using Kills = std::vector<Claim>;

// Rows of the fault table for one operation, the entry `kEntry` of assay_operations.
template <auto kEntry>
struct FaultRows {
  std::vector<Fault>& all;
  std::string_view operation;

  // A function in place of host's. The row may be written to until the next one:
  // `rows.Add<F>(...).dtype = ""`.
  template <auto kFunction>
  Fault& Add(std::string_view id, std::string_view bug, std::string_view what, Kills kills,
             std::string_view profile = "strict") {
    all.push_back({.id = id,
                   .operation = operation,
                   .bug = bug,
                   .what = what,
                   .profile = profile,
                   .install = [](assay_operations& operations) { operations.*kEntry = kFunction; },
                   .kills = std::move(kills)});
    return all.back();
  }
  // Another choice of the profile.
  Fault& Lie(std::string_view id, std::string_view bug, std::string_view what,
             std::string_view choice, Kills kills) {
    all.push_back({.id = id,
                   .operation = operation,
                   .bug = bug,
                   .what = what,
                   .lie = choice,
                   .kills = std::move(kills)});
    return all.back();
  }
};

void AddLies(std::vector<Fault>& all);
void AddSoftmaxFaults(std::vector<Fault>& all);
void AddFilterFaults(std::vector<Fault>& all);
void AddMinPFaults(std::vector<Fault>& all);
void AddFusedFilterFaults(std::vector<Fault>& all);
void AddTopKMaskFaults(std::vector<Fault>& all);
void AddArgmaxFaults(std::vector<Fault>& all);
void AddSamplingFaults(std::vector<Fault>& all);
void AddFilteredSamplingFaults(std::vector<Fault>& all);
void AddOneFilterSamplingFaults(std::vector<Fault>& all);
void AddLogitsSamplingFaults(std::vector<Fault>& all);
void AddStreamFaults(std::vector<Fault>& all);
void AddRaceFaults(std::vector<Fault>& all);
void AddRaceNoiseFaults(std::vector<Fault>& all);
void AddLedgerFaults(std::vector<Fault>& all);
void AddTokenMaskFaults(std::vector<Fault>& all);
void AddMaskCallFaults(std::vector<Fault>& all);
void AddMaskColumnFaults(std::vector<Fault>& all);
void AddBrokenInputFaults(std::vector<Fault>& all);
void AddMatcherFaults(std::vector<Fault>& all);
void AddMaskedSamplingFaults(std::vector<Fault>& all);
void AddMaskedWriteFaults(std::vector<Fault>& all);
void AddGatherFaults(std::vector<Fault>& all);
void AddPenaltyFaults(std::vector<Fault>& all);
void AddTokenRuleFaults(std::vector<Fault>& all);
void AddRuleSlotFaults(std::vector<Fault>& all);
void AddLogprobFaults(std::vector<Fault>& all);
void AddTopNFaults(std::vector<Fault>& all);
void AddDraftFaults(std::vector<Fault>& all);
void AddVerifyCoinFaults(std::vector<Fault>& all);
void AddVerifyStreamFaults(std::vector<Fault>& all);
void AddVerifyRatioFaults(std::vector<Fault>& all);
void AddVerifyRejectionFaults(std::vector<Fault>& all);
void AddVerifyIdFaults(std::vector<Fault>& all);
void AddVerifyTreeIdFaults(std::vector<Fault>& all);
void AddVerifyTreeFaults(std::vector<Fault>& all);
void AddVerifyTargetOnlyFaults(std::vector<Fault>& all);
void AddVerifyLastTokenFaults(std::vector<Fault>& all);
void AddVerifyMaskFaults(std::vector<Fault>& all);
void AddWrapperFaults(std::vector<Fault>& all);
void AddCudaFaults(std::vector<Fault>& all);  // rows alone

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_
