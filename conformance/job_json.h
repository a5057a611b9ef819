#ifndef ASSAY_CONFORMANCE_JOB_JSON_H_
#define ASSAY_CONFORMANCE_JOB_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "conformance/job.h"
#include "conformance/json_reader.h"

namespace assay {

// The parts of a job's JSON that records and worker messages share.
nlohmann::json ToJson(const JobKey& key);
nlohmann::json ToJson(const Evidence& evidence);
nlohmann::json ToJson(const Counterexample& example);
JobKey JobKeyFrom(const JsonReader& reader);
Evidence EvidenceFrom(const JsonReader& reader);
Counterexample CounterexampleFrom(const JsonReader& reader);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JOB_JSON_H_
