#ifndef ASSAY_CONFORMANCE_WORKER_PROTOCOL_H_
#define ASSAY_CONFORMANCE_WORKER_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/device.h"
#include "conformance/job.h"
#include "conformance/plan.h"
#include "conformance/subject_info.h"

namespace assay {

// What parent and worker say to each other: lines over two pipes that the worker finds at these
// descriptors. Requests are JSON; a reply is a word, a blank and the rest:
//   hello {subject, device}  once, when the subject is open
//   refused TEXT       once, instead: the subject cannot be opened
//   no_device TEXT     once, instead: there is no device to run it on
//   case {case}        before each case, and now and then while it runs
//   threw TEXT         the last words of a worker that an exception ends
//   result {job result}, or: conforms NAME NAME ...
inline constexpr int kRequestDescriptor = 3, kReplyDescriptor = 4;

struct Request {
  enum class Do : uint8_t {
    kRun,      // RunJob with `seed`
    kCase,     // RunCase on `at`
    kRecheck,  // RunCase on `at` under each of `profiles`: in which does `requirement` not fail?
  };
  Do what = Do::kRun;
  PlannedJob job;
  uint64_t seed = 0;
  Case at;
  std::string requirement;
  std::vector<std::string> profiles;
};
std::string RequestToJson(const Request& request);
Request RequestFromJson(std::string_view json);

struct Hello {
  SubjectInfo subject;
  DeviceInfo device;
};
std::string HelloToJson(const Hello& hello);
Hello HelloFromJson(std::string_view json);

// What a job says about the requirements that the plan asks of it, and no others.
JobResult KeepClaims(const PlannedJob& job, JobResult result);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_WORKER_PROTOCOL_H_
