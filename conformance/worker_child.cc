#include "conformance/worker_child.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <string>

#include "conformance/context.h"
#include "conformance/device.h"
#include "conformance/library.h"
#include "conformance/requirements.h"
#include "conformance/run_job.h"
#include "conformance/saved_cases.h"
#include "conformance/statistics.h"
#include "conformance/worker_protocol.h"
#include "reference/error.h"

namespace assay {
namespace {

// Far from the low numbers that a subject's own files get, and closed in programs it starts.
constexpr int kHighDescriptor = 200;

int g_replies = -1;
pid_t g_worker = 0;

// A forked copy of this process must not speak for it; without its pipe a worker is of no use.
void Send(std::string line) {
  if (getpid() != g_worker) _exit(0);
  line += '\n';
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t n = write(g_replies, line.data() + sent, line.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(2);
    sent += static_cast<size_t>(n);
  }
}

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string WhatNow() {
  try {
    throw;
  } catch (const std::exception& error) {
    return OneLine(error.what());
  } catch (...) {
    return "something that is not a std::exception";
  }
}

[[noreturn]] void Terminate() {
  if (std::current_exception()) Send("threw " + WhatNow());
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

int MoveUp(int descriptor) {
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (moved < 0)
    throw InputError("assay worker: descriptor " + std::to_string(descriptor) +
                     " is not open: this command is started by assay itself");
  close(descriptor);
  return moved;
}

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  bool Next(std::string* line) {
    size_t end;
    while ((end = buffer_.find('\n')) == buffer_.npos) {
      char chunk[4096];
      const ssize_t n = read(descriptor_, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      buffer_.append(chunk, static_cast<size_t>(n));
    }
    *line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return true;
  }

 private:
  int descriptor_;
  std::string buffer_;
};

const Property& Find(const std::string& name) {
  const Property* property = FindProperty(name);
  if (property == nullptr) throw InputError("property: found '" + name + "', unknown");
  return *property;
}

bool Fails(const JobResult& result, const std::string& requirement) {
  return std::ranges::any_of(result.evidence, [&](const Evidence& evidence) {
    return evidence.requirement == requirement && Refusals(evidence) > 0;
  });
}

bool Checks(const JobResult& result, const std::string& requirement) {
  return std::ranges::any_of(result.evidence, [&](const Evidence& evidence) {
    return evidence.requirement == requirement && evidence.checks > 0;
  });
}

// What tells the parent that a job goes on: the case at hand, and again while its calls return, for
// one may make thousands.
class SignOfLife {
 public:
  void Begin(const Case& at) {
    case_ = "case " + CaseToJson(at);
    Say();
  }
  void GoOn() {
    constexpr std::chrono::milliseconds kOften(500);
    if (!case_.empty() && std::chrono::steady_clock::now() - said_ > kOften) Say();
  }

 private:
  void Say() {
    Send(case_);
    said_ = std::chrono::steady_clock::now();
  }

  std::string case_;
  std::chrono::steady_clock::time_point said_;
};

std::string Answer(const Request& request, const assay_subject& subject, const Profile& profile,
                   Tier tier) {
  const Property& property = Find(request.job.key.property);
  Context context = MakeContext(subject, request.job.key, profile, tier);
  if (request.what == Request::Do::kRecheck) {
    std::string conforms = "conforms";
    const Requirement* requirement = FindRequirement(request.requirement);
    for (const std::string& name : request.profiles) {
      context.profile = FindProfile(name);
      if (requirement && requirement->applies && !requirement->applies(context.profile)) continue;
      const JobResult result = RunCase(property, context, request.at);
      if (Checks(result, request.requirement) && !Fails(result, request.requirement))
        conforms += " " + name;
    }
    return conforms;
  }
  SignOfLife sign;
  const auto on_case = [&](const Case& at) { sign.Begin(at); };
  context.on_call = [&] { sign.GoOn(); };
  const JobResult result = request.what == Request::Do::kCase
                               ? RunCase(property, context, request.at)
                               : RunJob(property, context, request.seed, on_case);
  return "result " + JobResultToJson(KeepClaims(request.job, result));
}

}  // namespace

void ServeRequests(std::string_view subject, std::string_view profile, Tier tier) {
  // Tensors come and go by the megabyte: keep their pages.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  g_worker = getpid();
  const int requests = MoveUp(kRequestDescriptor);
  g_replies = MoveUp(kReplyDescriptor);
  std::signal(SIGPIPE, SIG_DFL);
  std::set_terminate(Terminate);
  try {
    const assay_subject* opened = nullptr;
    Profile followed;
    try {
      const SubjectRef ref = ResolveSubject(subject);
      opened = OpenSubject(ref, profile);
      followed = FindProfile(profile.empty() ? opened->profile : profile);
      SavedCases({});  // a file of them that cannot be read is an error now, not in every job
    } catch (const InputError& error) {
      Send("refused " + OneLine(error.what()));
      _exit(2);
    } catch (const NoDeviceError& error) {
      Send("no_device " + OneLine(error.what()));
      _exit(2);
    }
    Hello hello = {Describe(*opened), OpenDevice(opened->device).info()};
    hello.subject.profile = followed.name;
    Send("hello " + HelloToJson(hello));
    LineReader lines(requests);
    for (std::string line; lines.Next(&line);)
      Send(Answer(RequestFromJson(line), *opened, followed, tier));
  } catch (...) {
    Send("threw " + WhatNow());
    _exit(3);
  }
  _exit(0);
}

}  // namespace assay
