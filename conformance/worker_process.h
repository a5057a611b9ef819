#ifndef ASSAY_CONFORMANCE_WORKER_PROCESS_H_
#define ASSAY_CONFORMANCE_WORKER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace assay {

// The end of a stream: memory stays bounded whatever is written.
class Tail {
 public:
  void Append(const char* data, size_t size);
  // The last `lines` lines, joined by " | ", at most 400 bytes.
  std::string Last(int lines) const;

 private:
  std::string text_;
};

// One child, its two protocol pipes and its captured stdout and stderr. It leads a process group.
class WorkerProcess {
 public:
  // Throws std::runtime_error if the system has no process or descriptor left.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();  // kills the group
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void Send(const std::string& line);  // a worker that is gone is noticed by Gone()
  void AddTo(std::vector<pollfd>* waiting) const;
  void Drain();  // reads whatever is there, never blocks
  std::optional<std::string> NextLine();

  // Ended, or closed its reply pipe: it will not answer any more.
  bool Gone();
  // Kills the group and says how the process ended: "signal SIGSEGV", "exit status 3".
  std::string End();
  std::chrono::duration<double> Silence() const { return Clock::now() - heard_; }
  void Heard() { heard_ = Clock::now(); }
  // The last lines that the subject printed, ready to be added to a reason; or empty.
  std::string LastWords() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[noreturn]] void Exec(const std::vector<std::string>& command, const int (&child)[4]) const;
  bool Reap(int options);

  pid_t pid_ = -1;
  int ends_[4];  // requests, replies, stdout, stderr
  bool reaped_ = false;
  int status_ = 0;
  std::string replies_, end_;
  Tail out_, err_;
  Clock::time_point heard_ = Clock::now();
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_WORKER_PROCESS_H_
