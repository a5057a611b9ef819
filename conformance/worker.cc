#include "conformance/worker.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <optional>
#include <sstream>

#include "conformance/worker_process.h"
#include "reference/error.h"

namespace assay {
namespace {

volatile std::sig_atomic_t g_signal = 0;

void OnSignal(int signal) {
  if (g_signal != 0) _exit(128 + signal);
  g_signal = signal;
}

// A reply is "word rest".
struct Reply {
  std::string word, rest;
};
Reply Split(const std::string& line) {
  const size_t blank = line.find(' ');
  if (blank == line.npos) return {line, ""};
  return {line.substr(0, blank), line.substr(blank + 1)};
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

JobResult Lost(const Request& request, JobEnd end, const std::string& reason,
               const std::optional<Case>& last) {
  JobResult out;
  out.job = request.job.key;
  out.end = end;
  out.reason = reason;
  if (last && !request.job.claims.empty()) {
    Counterexample example;
    example.job = out.job;
    example.requirement = request.job.claims.front().first;
    example.technique = request.job.claims.front().second;
    example.at = *last;
    example.expected = "an answer";
    example.got = reason;
    out.counterexamples.push_back(example);
  }
  return out;
}

}  // namespace

// A worker and what it is at.
class Desk {
 public:
  using Answer = WorkerPool::Answer;

  explicit Desk(const WorkerOptions& options) : options_(options), process_(options.command) {}

  bool idle() const { return !at_; }
  WorkerProcess& process() { return process_; }
  const std::optional<Hello>& hello() const { return hello_; }
  const std::string& refusal() const { return refusal_; }
  bool no_device() const { return no_device_; }

  void Give(size_t index, const Request& request) {
    at_ = index;
    request_ = request;
    last_case_.reset();
    started_ = std::chrono::steady_clock::now();
    process_.Heard();
    process_.Send(RequestToJson(request));
  }

  size_t Done() {
    const size_t index = *at_;
    at_.reset();
    return index;
  }

  // Reads what came. An answer if the request in flight is answered, or lost with this worker.
  std::optional<Answer> Look() {
    process_.Drain();
    const bool gone = process_.Gone();
    try {
      while (const std::optional<std::string> line = process_.NextLine()) {
        process_.Heard();
        if (std::optional<Answer> answer = Hear(Split(*line))) return answer;
      }
    } catch (const InputError& error) {
      return Lose(JobEnd::kCrash, std::string("garbage on the reply pipe: ") + error.what());
    }
    if (gone) return Lose(JobEnd::kCrash, EndedBy());
    if ((at_ || !hello_) && process_.Silence().count() > options_.timeout) {
      std::ostringstream reason;
      reason << "no sign of life for " << options_.timeout << " s";
      return Lose(JobEnd::kTimeout, reason.str());
    }
    return std::nullopt;
  }

  bool lost() const { return lost_; }

 private:
  std::optional<Answer> Hear(const Reply& reply) {
    if (reply.word == "hello") {
      hello_ = HelloFromJson(reply.rest);
    } else if (reply.word == "refused" || reply.word == "no_device") {
      refusal_ = reply.rest;
      no_device_ = reply.word == "no_device";
    } else if (reply.word == "threw") {
      threw_ = reply.rest;
    } else if (reply.word == "case") {
      last_case_ = CaseFromJson(reply.rest);
    } else if (at_ && reply.word == "result") {
      Answer answer = {JobResultFromJson(reply.rest), {}};
      answer.result.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
      return answer;
    } else if (at_ && reply.word == "conforms") {
      return Answer{{}, Words(reply.rest)};
    } else {
      throw InputError("'" + reply.word.substr(0, 40) + "'");
    }
    return std::nullopt;
  }

  std::string EndedBy() {
    const std::string end = process_.End();
    if (!refusal_.empty()) return refusal_;
    return (threw_.empty() ? end : "exception: " + threw_) + process_.LastWords();
  }

  Answer Lose(JobEnd end, std::string reason) {
    process_.End();
    lost_ = true;
    if (!hello_ && refusal_.empty()) reason = "while it was opened: " + reason;
    refusal_ = reason;
    return {at_ ? Lost(request_, end, reason, last_case_) : JobResult{}, {}};
  }

  const WorkerOptions& options_;
  WorkerProcess process_;
  std::optional<size_t> at_;
  Request request_;
  std::optional<Hello> hello_;
  std::optional<Case> last_case_;
  std::string refusal_, threw_;
  std::chrono::steady_clock::time_point started_;
  bool no_device_ = false, lost_ = false;
};

WorkerPool::WorkerPool(WorkerOptions options) : options_(std::move(options)) {
  std::signal(SIGPIPE, SIG_IGN);
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::Wait() {
  if (g_signal != 0) {
    desks_.clear();
    throw Interrupted{g_signal};
  }
  std::vector<pollfd> waiting;
  for (const auto& desk : desks_) desk->process().AddTo(&waiting);
  poll(waiting.data(), waiting.size(), 50);
}

Hello WorkerPool::Open() {
  if (desks_.empty()) desks_.push_back(std::make_unique<Desk>(options_));
  Desk& desk = *desks_.front();
  while (!desk.hello()) {
    Wait();
    if (desk.Look(); desk.lost()) {
      const std::string reason = desk.refusal();
      const bool no_device = desk.no_device();
      desks_.clear();
      if (no_device) throw NoDeviceError(reason);
      throw InputError("the subject cannot be opened: " + reason);
    }
  }
  return *desk.hello();
}

void WorkerPool::Run(const std::vector<Request>& requests, const OnAnswer& on_answer) {
  std::deque<size_t> left;
  for (size_t i = 0; i < requests.size(); ++i) left.push_back(i);
  for (size_t answered = 0; answered < requests.size();) {
    while (desks_.size() < static_cast<size_t>(options_.jobs) && desks_.size() < left.size())
      desks_.push_back(std::make_unique<Desk>(options_));
    for (const auto& desk : desks_) {
      if (left.empty() || !desk->idle() || desk->process().Gone()) continue;
      desk->Give(left.front(), requests[left.front()]);
      left.pop_front();
    }
    Wait();
    for (const auto& desk : desks_) {
      std::optional<Answer> answer = desk->Look();
      if (!answer || desk->idle()) continue;
      ++answered;
      on_answer(desk->Done(), std::move(*answer));
    }
    std::erase_if(desks_, [](const auto& desk) { return desk->lost(); });
  }
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::vector<std::string> WorkerCommand(const std::string& subject, const std::string& profile,
                                       Tier tier) {
  std::vector<std::string> out = {"/proc/self/exe", "worker", subject, "--tier",
                                  std::string(Name(tier))};
  if (!profile.empty()) out.insert(out.end(), {"--profile", profile});
  return out;
}

}  // namespace assay
