#include "conformance/waivers.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "conformance/glob.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace chr = std::chrono;

std::optional<chr::sys_days> DayOf(std::string_view text) {
  int parts[3] = {};
  constexpr size_t kAt[] = {0, 5, 8}, kSize[] = {4, 2, 2};
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  for (size_t i = 0; i < 3; ++i) {
    const char* const first = text.data() + kAt[i];
    if (*first == '-') return std::nullopt;
    const auto [end, error] = std::from_chars(first, first + kSize[i], parts[i]);
    if (error != std::errc() || end != first + kSize[i]) return std::nullopt;
  }
  const chr::year_month_day day = {chr::year(parts[0]), chr::month(static_cast<unsigned>(parts[1])),
                                   chr::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok()) return std::nullopt;
  return chr::sys_days(day);
}

std::string Filled(const JsonReader& reader, std::string_view field) {
  std::string text = reader.Text(field);
  if (text.find_first_not_of(" \t\n") == text.npos) reader.Fail(field, "''", "a text that says it");
  return text;
}

std::string GlobOr(const JsonReader& reader, std::string_view field) {
  return reader.Has(field) ? Filled(reader, field) : "*";
}

}  // namespace

Waiver WaiverFrom(const JsonReader& reader) {
  reader.OnlyHas({"requirement", "operation", "dtype", "reason", "until", "who"});
  const Waiver out = {Filled(reader, "requirement"), GlobOr(reader, "operation"),
                      GlobOr(reader, "dtype"),       Filled(reader, "reason"),
                      Filled(reader, "until"),       Filled(reader, "who")};
  if (!DayOf(out.until)) reader.Fail("until", "'" + out.until + "'", "a day, such as 2027-01-31");
  return out;
}

nlohmann::json ToJson(const Waiver& waiver) {
  return {
      {"requirement", waiver.requirement}, {"operation", waiver.operation}, {"dtype", waiver.dtype},
      {"reason", waiver.reason},           {"until", waiver.until},         {"who", waiver.who}};
}

std::vector<Waiver> WaiversFromJson(std::string_view json, const std::string& source) {
  const JsonReader reader = JsonReader::Parse(json, source);
  reader.OnlyHas({"waivers"});
  std::vector<Waiver> out;
  for (const JsonReader& item : reader.Objects("waivers")) out.push_back(WaiverFrom(item));
  return out;
}

std::vector<Waiver> LoadWaivers(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw InputError(path.string() + ": cannot be read, expected waivers");
  return WaiversFromJson(text.str(), path.string());
}

bool Covers(const Waiver& waiver, const CellKey& cell) {
  return Matches(waiver.requirement, cell.requirement) &&
         Matches(waiver.operation, cell.operation) && Matches(waiver.dtype, cell.dtype);
}

std::string Spelled(const Waiver& waiver) {
  return waiver.requirement + "/" + waiver.operation + "/" + waiver.dtype;
}

int DaysLeft(const Waiver& waiver, std::string_view day) {
  const auto until = DayOf(waiver.until), now = DayOf(day.substr(0, 10));
  if (!until || !now)
    throw InputError("waiver " + Spelled(waiver) + ": found '" + waiver.until + "' and '" +
                     std::string(day) + "', expected two days");
  return static_cast<int>((*until - *now).count());
}

std::string TodayUtc() {
  const chr::year_month_day day(chr::floor<chr::days>(chr::system_clock::now()));
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()) % 10000,
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace assay
