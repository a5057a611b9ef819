// cuda_variants.so: assay_open("ID"), under the profile that the variant declares.

#include "conformance/operations.h"
#include "conformance/subjects/cuda_faults/good_cuda.h"
#include "conformance/subjects/cuda_variants/kit.h"
#include "conformance/subjects/cuda_variants/table.h"

namespace assay::cuda_variants {
namespace {

const Code* FindCode(std::string_view id) {
  for (const auto codes : {SoftmaxCodes(), OnlineCodes(), FilterCodes(), ArgmaxCodes()})
    for (const Code& code : codes)
      if (code.id == id) return &code;
  return nullptr;
}

// Its own operations alone.
assay_subject Made(const Variant& variant, const Code& code) {
  assay_subject subject = cuda::Good();
  subject.name = variant.id.data();
  subject.profile = variant.profile.data();
  subject.dtypes = ASSAY_F32;
  subject.max_vocab = code.max_vocab;
  subject.workspace_bytes = code.workspace_bytes;
  subject.addition_chain = code.addition_chain;
  subject.ops = {};
  subject.ops.size = sizeof subject.ops;
  code.install(subject.ops);
  return subject;
}

}  // namespace
}  // namespace assay::cuda_variants

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  namespace variants = assay::cuda_variants;
  static assay_subject subject;  // a process opens one
  if (abi != ASSAY_ABI || name == nullptr) return nullptr;
  for (const assay::Variant& variant : variants::Rows()) {
    const variants::Code* code = variants::FindCode(variant.id);
    if (variant.id != name || code == nullptr) continue;
    if (profile != nullptr && variant.profile != profile) return nullptr;
    subject = variants::Made(variant, *code);
    return &subject;
  }
  return nullptr;
}
