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
constexpr EnumNames<Tier, 2> kTiers = {"tier", {"quick", "full"}};
constexpr EnumNames<JobEnd, 4> kEnds = {"end", {"done", "not_supported", "crash", "timeout"}};

}  // namespace

std::string_view Name(Technique technique) { return kTechniques.Of(technique); }
Technique TechniqueOf(std::string_view name) { return kTechniques.Find(name); }
std::string_view Name(Tier tier) { return kTiers.Of(tier); }
Tier TierOf(std::string_view name) { return kTiers.Find(name); }
std::string_view Name(JobEnd end) { return kEnds.Of(end); }

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
  return {{"requirement", evidence.requirement},
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
          .note = reader.Text("note")};
}

json ToJson(const Counterexample& example) {
  return {{"job", ToJson(example.job)},
          {"requirement", example.requirement},
          {"technique", Name(example.technique)},
          {"case", json::parse(CaseToJson(example.at))},
          {"place", example.place},
          {"input", example.input},
          {"expected", example.expected},
          {"got", example.got},
          {"tries", example.tries}};
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
          .tries = static_cast<int>(reader.Integer("tries"))};
}

std::string JobResultToJson(const JobResult& result) {
  json evidence = json::array(), examples = json::array();
  for (const Evidence& item : result.evidence) evidence.push_back(ToJson(item));
  for (const Counterexample& item : result.counterexamples) examples.push_back(ToJson(item));
  return Canonical({{"job", ToJson(result.job)},
                    {"end", Name(result.end)},
                    {"reason", result.reason},
                    {"cases", result.cases},
                    {"seconds", Finite(result.seconds)},
                    {"evidence", evidence},
                    {"counterexamples", examples}});
}

JobResult JobResultFromJson(std::string_view text) {
  const JsonReader reader = JsonReader::Parse(text, "job result");
  JobResult out = {.job = JobKeyFrom(reader.Object("job")),
                   .end = kEnds.Find(reader.Text("end")),
                   .reason = reader.Text("reason"),
                   .cases = reader.Integer("cases"),
                   .seconds = reader.Number("seconds"),
                   .evidence = {},
                   .counterexamples = {}};
  for (const JsonReader& item : reader.Objects("evidence"))
    out.evidence.push_back(EvidenceFrom(item));
  for (const JsonReader& item : reader.Objects("counterexamples"))
    out.counterexamples.push_back(CounterexampleFrom(item));
  return out;
}

}  // namespace assay
