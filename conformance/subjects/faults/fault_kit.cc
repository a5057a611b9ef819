#include "conformance/subjects/faults/fault_kit.h"

#include "conformance/subjects/host/host.h"

namespace assay::faults {
namespace {

int g_dose = 1;  // of the one subject that a process opens

}  // namespace

int Dose() { return g_dose; }
void SetDose(int dose) { g_dose = dose; }

const assay_operations& Good() {
  static const assay_operations kGood = host::Operations();
  return kGood;
}

}  // namespace assay::faults
