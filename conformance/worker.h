#ifndef ASSAY_CONFORMANCE_WORKER_H_
#define ASSAY_CONFORMANCE_WORKER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/job.h"
#include "conformance/worker_protocol.h"

namespace assay {

class Desk;

struct WorkerOptions {
  // The program to start; it speaks worker_protocol.h.
  std::vector<std::string> command;
  int jobs = 1;
  double timeout = 60;  // seconds of silence after which a worker is killed
};

// Child processes that have the subject open, so that nothing it does reaches this process. A
// worker lives until it dies; then the request in flight is lost and a new worker goes on.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerOptions options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // What the first worker says of the subject. Throws InputError: it refused, or died opening it;
  // NoDeviceError.
  Hello Open();

  struct Answer {
    JobResult result;                      // of kRun and kCase
    std::vector<std::string> conforms_to;  // of kRecheck
  };
  // Answers come in the order in which work ends. Throws Interrupted after SIGINT or SIGTERM.
  using OnAnswer = std::function<void(size_t request, Answer)>;
  void Run(const std::vector<Request>& requests, const OnAnswer& on_answer);

 private:
  void Wait();

  WorkerOptions options_;
  std::vector<std::unique_ptr<Desk>> desks_;
};

// Thrown by Run when the user stopped it: the workers are dead, what was answered stands.
struct Interrupted {
  int signal;
};

// SIGINT and SIGTERM end a Run instead of this process; a second one ends it at once.
void CatchInterrupts();

// The command of a worker that runs this very program.
std::vector<std::string> WorkerCommand(const std::string& subject, const std::string& profile,
                                       Tier tier);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_WORKER_H_
