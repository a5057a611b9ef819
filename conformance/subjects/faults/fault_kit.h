#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_

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
void AddTokenMaskFaults(std::vector<Fault>& all);
void AddBrokenInputFaults(std::vector<Fault>& all);
void AddMaskedSamplingFaults(std::vector<Fault>& all);
void AddWrapperFaults(std::vector<Fault>& all);

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FAULT_KIT_H_
