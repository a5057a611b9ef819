#ifndef ASSAY_CONFORMANCE_VERSION_H_
#define ASSAY_CONFORMANCE_VERSION_H_

#include <string_view>

namespace assay {

inline constexpr std::string_view kSuiteVersion = "0.1.0";
// The build sets ASSAY_COMMIT.
#ifdef ASSAY_COMMIT
inline constexpr std::string_view kSuiteCommit = ASSAY_COMMIT;
#else
inline constexpr std::string_view kSuiteCommit = "unknown";
#endif
// The seed of tier quick: published, so that a run can be repeated anywhere. The first 32 digits of
// the fraction of pi.
inline constexpr std::string_view kQuickSeed = "243f6a8885a308d313198a2e03707344";
inline constexpr int kRecordSchema = 1;

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERSION_H_
