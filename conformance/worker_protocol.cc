#include "conformance/worker_protocol.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/job_json.h"
#include "conformance/names.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr EnumNames<Request::Do, 3> kDo = {"do", {"run", "case", "recheck"}};

}  // namespace

std::string RequestToJson(const Request& request) {
  json claims = json::array();
  for (const auto& [requirement, technique] : request.job.claims)
    claims.push_back({{"requirement", requirement}, {"technique", Name(technique)}});
  return Canonical({{"do", kDo.Of(request.what)},
                    {"job", ToJson(request.job.key)},
                    {"claims", claims},
                    {"seed", static_cast<int64_t>(request.seed)},
                    {"case", json::parse(CaseToJson(request.at))},
                    {"requirement", request.requirement},
                    {"profiles", request.profiles}});
}

Request RequestFromJson(std::string_view text) {
  const JsonReader reader = JsonReader::Parse(text, "request");
  Request out;
  out.what = kDo.Find(reader.Text("do"));
  out.job.key = JobKeyFrom(reader.Object("job"));
  for (const JsonReader& claim : reader.Objects("claims"))
    out.job.claims.emplace_back(claim.Text("requirement"), TechniqueOf(claim.Text("technique")));
  out.seed = static_cast<uint64_t>(reader.Integer("seed"));
  out.at = CaseFromJson(reader.Object("case").Dump());
  out.requirement = reader.Text("requirement");
  out.profiles = reader.Texts("profiles");
  return out;
}

std::string HelloToJson(const Hello& hello) {
  return Canonical({{"subject", ToJson(hello.subject)}, {"device", ToJson(hello.device)}});
}

Hello HelloFromJson(std::string_view text) {
  const JsonReader reader = JsonReader::Parse(text, "hello");
  return {SubjectInfoFrom(reader.Object("subject")), DeviceInfoFrom(reader.Object("device"))};
}

JobResult KeepClaims(const PlannedJob& job, JobResult result) {
  const auto foreign = [&job](const auto& item) {
    return std::ranges::none_of(
        job.claims, [&item](const auto& claim) { return claim.first == item.requirement; });
  };
  std::erase_if(result.evidence, foreign);
  std::erase_if(result.counterexamples, foreign);
  return result;
}

}  // namespace assay
