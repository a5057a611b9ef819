#include "conformance/job.h"

#include <nlohmann/json.hpp>

#include "conformance/job_json.h"
#include "conformance/names.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr EnumNames<Technique, 9> kTechniques = {
    "technique",
    {"bounds", "exact", "edge", "metamorphic", "ledger", "coupling", "law", "marginal",
     "independence"}};
constexpr EnumNames<Tier, 3> kTiers = {"tier", {"quick", "full", "deep"}};
constexpr EnumNames<JobEnd, 4> kEnds = {"end", {"done", "not_supported", "crash", "timeout"}};

template <class Item>
json ListOf(const std::vector<Item>& items) {
  json out = json::array();
  for (const Item& item : items) out.push_back(ToJson(item));
  return out;
}

template <class Item>
std::vector<Item> ListFrom(const std::vector<JsonReader>& readers,
                           Item (*from)(const JsonReader&)) {
  std::vector<Item> out;
  for (const JsonReader& reader : readers) out.push_back(from(reader));
  return out;
}

}  // namespace

std::string_view Name(Technique technique) { return kTechniques.Of(technique); }
Technique TechniqueOf(std::string_view name) { return kTechniques.Find(name); }
std::string_view Name(Tier tier) { return kTiers.Of(tier); }
Tier TierOf(std::string_view name) { return kTiers.Find(name); }
std::string_view Name(JobEnd end) { return kEnds.Of(end); }
JobEnd JobEndOf(std::string_view name) { return kEnds.Find(name); }

Grade GradeOf(Technique technique) {
  if (technique <= Technique::kLedger) return Grade::kExact;
  return technique <= Technique::kLaw ? Grade::kCoupled : Grade::kStatistical;
}

json ToJson(const JobKey& key) {
  return {{"property", key.property}, {"operation", key.operation}, {"dtype", key.dtype}};
}

JobKey JobKeyFrom(const JsonReader& reader) {
  return {reader.Text("property"), reader.Text("operation"), reader.Text("dtype")};
}

json ToJson(const Evidence& evidence) {
  return {{"streams", ListOf(evidence.streams)},
          {"cuts", ListOf(evidence.cuts)},
          {"requirement", evidence.requirement},
          {"technique", Name(evidence.technique)},
          {"checks", evidence.checks},
          {"failures", evidence.failures},
          {"undecided", evidence.undecided},
          {"budget_use", Finite(evidence.budget_use)},
          {"warn", evidence.warn},
          {"draws", evidence.draws},
          {"log10_e", Finite(evidence.log10_e)},
          {"detectable", Finite(evidence.detectable)},
          {"pooling", evidence.pooling},
          {"tvd_upper", Finite(evidence.tvd_upper)},
          {"note", evidence.note}};
}

Evidence EvidenceFrom(const JsonReader& reader) {
  return {.requirement = reader.Text("requirement"),
          .technique = TechniqueOf(reader.Text("technique")),
          .checks = reader.Integer("checks"),
          .failures = reader.Integer("failures"),
          .undecided = reader.Integer("undecided"),
          .budget_use = reader.Number("budget_use"),
          .warn = reader.Flag("warn"),
          .draws = reader.Integer("draws"),
          .log10_e = reader.Number("log10_e"),
          .detectable = reader.Number("detectable"),
          .pooling = reader.Text("pooling"),
          .tvd_upper = reader.Number("tvd_upper"),
          .note = reader.Text("note"),
          .streams = ListFrom(reader.Objects("streams"), LawStreamFrom),
          .cuts = ListFrom(reader.Objects("cuts"), CutFrom)};
}

json ToJson(const Counterexample& example) {
  json out = {{"job", ToJson(example.job)},
              {"requirement", example.requirement},
              {"technique", Name(example.technique)},
              {"case", json::parse(CaseToJson(example.at))},
              {"place", example.place},
              {"input", example.input},
              {"expected", example.expected},
              {"got", example.got},
              {"tries", example.tries},
              {"rows", ListOf(example.rows)}};
  if (example.cut) out["cut"] = ToJson(*example.cut);
  return out;
}

Counterexample CounterexampleFrom(const JsonReader& reader) {
  return {.job = JobKeyFrom(reader.Object("job")),
          .requirement = reader.Text("requirement"),
          .technique = TechniqueOf(reader.Text("technique")),
          .at = CaseFromJson(reader.Object("case").Dump()),
          .place = reader.Text("place"),
          .input = reader.Text("input"),
          .expected = reader.Text("expected"),
          .got = reader.Text("got"),
          .tries = static_cast<int>(reader.Integer("tries")),
          .rows = ListFrom(reader.Objects("rows"), InputRowFrom),
          .cut = reader.Has("cut") ? std::optional(CutFrom(reader.Object("cut"))) : std::nullopt};
}

std::string JobResultToJson(const JobResult& result) {
  return Canonical({{"job", ToJson(result.job)},
                    {"end", Name(result.end)},
                    {"reason", result.reason},
                    {"cases", result.cases},
                    {"seconds", Finite(result.seconds)},
                    {"evidence", ListOf(result.evidence)},
                    {"counterexamples", ListOf(result.counterexamples)}});
}

JobResult JobResultFromJson(std::string_view text) {
  const JsonReader reader = JsonReader::Parse(text, "job result");
  return {.job = JobKeyFrom(reader.Object("job")),
          .end = JobEndOf(reader.Text("end")),
          .reason = reader.Text("reason"),
          .cases = reader.Integer("cases"),
          .seconds = reader.Number("seconds"),
          .evidence = ListFrom(reader.Objects("evidence"), EvidenceFrom),
          .counterexamples = ListFrom(reader.Objects("counterexamples"), CounterexampleFrom)};
}

}  // namespace assay
