#ifndef ASSAY_CONFORMANCE_VERSION_H_
#define ASSAY_CONFORMANCE_VERSION_H_

#include <string_view>

namespace assay {

inline constexpr std::string_view kSuiteVersion = "0.1.0";
std::string_view SuiteCommit();  // of the source tree, or "unknown"
// The seed of tier quick: published, so that a run can be repeated anywhere. The first 32 digits of
// the fraction of pi.
inline constexpr std::string_view kQuickSeed = "243f6a8885a308d313198a2e03707344";
inline constexpr int kRecordSchema = 2;

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERSION_H_
