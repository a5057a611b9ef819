// cuda_faults.so: assay_open("ID", "ID/OPERATION", either with "?dose=N").

#include <string>
#include <vector>

#include "conformance/operations.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

int g_dose = 1;  // of the one subject that a process opens

const Fault* FindRow(std::string_view id) {
  static const std::vector<Fault> kRows = [] {
    std::vector<Fault> rows;
    AddCudaFaults(rows);
    return rows;
  }();
  for (const Fault& fault : kRows)
    if (fault.id == id) return &fault;
  return nullptr;
}

const Code* FindCode(std::string_view id) {
  for (const auto codes : {StreamCodes(), GraphCodes(), ArgmaxCodes(), DrawCodes(), SoftmaxCodes(),
                           CutCodes(), MaskCodes()})
    for (const Code& code : codes)
      if (code.id == id) return &code;
  return nullptr;
}

const assay_subject* Open(std::string_view spelled) {
  static assay_subject subject;  // a process opens one
  static std::string name;
  subject = cuda::Good();
  const auto [id, operation, dose] = FaultNameOf(spelled);
  SetDose(dose);
  const Fault* fault = FindRow(id);
  const Code* code = FindCode(id);
  if (!fault || !code || (fault->operation == "all") == operation.empty()) return nullptr;
  name = "fault:" + std::string(spelled);
  assay_operations broken = subject.ops;
  code->install(broken);
  subject.ops = {};
  subject.ops.size = sizeof subject.ops;
  FindOperation(operation.empty() ? fault->operation : operation).copy(broken, subject.ops);
  subject.name = name.c_str();
  subject.dtypes = code->dtypes;
  subject.workspace_bytes = code->workspace_bytes;
  return &subject;
}

}  // namespace

int Dose() { return g_dose; }
void SetDose(int dose) { g_dose = dose; }

}  // namespace assay::faults

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(uint32_t abi,
                                                                                  const char* name,
                                                                                  const char*) {
  return abi == ASSAY_ABI && name ? assay::faults::Open(name) : nullptr;
}
