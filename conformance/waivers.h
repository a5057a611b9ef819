#ifndef ASSAY_CONFORMANCE_WAIVERS_H_
#define ASSAY_CONFORMANCE_WAIVERS_H_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/json_reader.h"
#include "conformance/plan.h"

namespace assay {

// Somebody answers for known failures until a day. A waiver is a note on a Fail: the cell stays
// one, the exit status ignores it. Days are UTC, "2027-01-31".
struct Waiver {
  std::string requirement, operation, dtype;  // globs
  std::string reason, until, who;             // `until` is the last day
};

// {"waivers": [{"requirement": .., "operation": "*", "dtype": "*", "reason": .., "until": ..,
// "who":
// ..}]}; operation and dtype may be absent. Throws InputError: malformed, an unknown field, an
// empty text, no day of the calendar.
std::vector<Waiver> WaiversFromJson(std::string_view json, const std::string& source);
std::vector<Waiver> LoadWaivers(const std::filesystem::path& path);

nlohmann::json ToJson(const Waiver& waiver);
Waiver WaiverFrom(const JsonReader& reader);

bool Covers(const Waiver& waiver, const CellKey& cell);
std::string Spelled(const Waiver& waiver);  // "TOPK-*/softmax/*"
// Days from `day` until the waiver ends; 0 on its last day, negative once it has expired.
int DaysLeft(const Waiver& waiver, std::string_view day);
inline constexpr int kWarnDays = 14;
std::string TodayUtc();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_WAIVERS_H_
