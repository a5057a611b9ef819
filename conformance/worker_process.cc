#include "conformance/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "conformance/worker_protocol.h"

namespace assay {
namespace {

constexpr size_t kKept = size_t{64} << 10;
constexpr int kReplies = 1, kOut = 2, kErr = 3;

struct Pipe {
  int read = -1, write = -1;
};

Pipe MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

void CloseOnce(int* descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

// Takes at most a mebibyte at a time, so that one chatty worker does not keep the others waiting.
// Returns false at the end of the stream.
template <typename Sink>
bool ReadAll(int descriptor, const Sink& sink) {
  char chunk[65536];
  for (int i = 0; i < 16; ++i) {
    const ssize_t n = read(descriptor, chunk, sizeof chunk);
    if (n > 0) {
      sink(chunk, static_cast<size_t>(n));
    } else if (n == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

std::string ShowStatus(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? std::string("signal SIG") + name
                           : "signal " + std::to_string(WTERMSIG(status));
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void Tail::Append(const char* data, size_t size) {
  text_.append(data, size);
  if (text_.size() > 2 * kKept) text_.erase(0, text_.size() - kKept);
}

std::string Tail::Last(int lines) const {
  std::string text = text_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t start = text.size();
  for (int i = 0; i < lines && start != text.npos && start > 0; ++i)
    start = text.rfind('\n', start - 1);
  if (start != text.npos && start < text.size()) text.erase(0, start + (text[start] == '\n'));
  if (text.size() > 400) text = "..." + text.substr(text.size() - 400);
  for (size_t at; (at = text.find('\n')) != text.npos;) text.replace(at, 1, " | ");
  return text;
}

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  const Pipe requests = MakePipe(), replies = MakePipe(), out = MakePipe(), err = MakePipe();
  const int child[4] = {requests.read, replies.write, out.write, err.write};
  const int parent[4] = {requests.write, replies.read, out.read, err.read};
  std::copy(std::begin(parent), std::end(parent), ends_);
  for (const int end : parent) fcntl(end, F_SETFL, O_NONBLOCK);
  pid_ = fork();
  if (pid_ == 0) Exec(command, child);
  const int error = errno;
  for (const int end : child) close(end);
  if (pid_ < 0) {
    for (int& end : ends_) CloseOnce(&end);
    throw std::runtime_error(std::string("fork: ") + std::strerror(error));
  }
  setpgid(pid_, pid_);  // here too: whoever comes first
}

void WorkerProcess::Exec(const std::vector<std::string>& command, const int (&child)[4]) const {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Above the places that they go to, so that no dup2 overwrites one that is still needed.
  int moved[4];
  for (int i = 0; i < 4; ++i) moved[i] = fcntl(child[i], F_DUPFD_CLOEXEC, 64);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(moved[kOut], STDOUT_FILENO);
  dup2(moved[kErr], STDERR_FILENO);
  dup2(moved[0], kRequestDescriptor);
  dup2(moved[kReplies], kReplyDescriptor);
  for (const int caught : {SIGINT, SIGTERM, SIGPIPE}) std::signal(caught, SIG_DFL);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

WorkerProcess::~WorkerProcess() {
  End();
  for (int& end : ends_) CloseOnce(&end);
}

void WorkerProcess::Send(const std::string& line) {
  const std::string text = line + '\n';
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(ends_[0], text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return CloseOnce(&ends_[0]);
    sent += static_cast<size_t>(n);
  }
}

void WorkerProcess::AddTo(std::vector<pollfd>* waiting) const {
  for (const int end : {ends_[kReplies], ends_[kOut], ends_[kErr]})
    if (end >= 0) waiting->push_back({end, POLLIN, 0});
}

void WorkerProcess::Drain() {
  const auto take = [](int* end, const auto& sink) {
    if (*end >= 0 && !ReadAll(*end, sink)) CloseOnce(end);
  };
  take(&ends_[kReplies], [this](const char* data, size_t size) { replies_.append(data, size); });
  take(&ends_[kOut], [this](const char* data, size_t size) { out_.Append(data, size); });
  take(&ends_[kErr], [this](const char* data, size_t size) { err_.Append(data, size); });
}

std::optional<std::string> WorkerProcess::NextLine() {
  const size_t end = replies_.find('\n');
  if (end == replies_.npos) return std::nullopt;
  std::string line = replies_.substr(0, end);
  replies_.erase(0, end + 1);
  return line;
}

bool WorkerProcess::Reap(int options) {
  if (!reaped_) reaped_ = waitpid(pid_, &status_, options) == pid_;
  return reaped_;
}

bool WorkerProcess::Gone() {
  if (!Reap(WNOHANG)) return ends_[0] < 0 || ends_[kReplies] < 0;
  Drain();  // what it wrote before it ended
  return true;
}

std::string WorkerProcess::End() {
  if (!end_.empty()) return end_;
  // A process that closed its pipes may be about to end by itself, with a better reason.
  for (int i = 0; i < 50 && ends_[kReplies] < 0 && !Reap(WNOHANG); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const bool by_itself = Reap(WNOHANG);
  kill(-pid_, SIGKILL);
  if (!by_itself) kill(pid_, SIGKILL);
  Reap(0);
  Drain();
  return end_ = by_itself ? ShowStatus(status_) : "closed its reply pipe and was killed";
}

std::string WorkerProcess::LastWords() const {
  const std::string err = err_.Last(3), out = out_.Last(3);
  return (err.empty() ? "" : "; stderr: " + err) + (out.empty() ? "" : "; stdout: " + out);
}

}  // namespace assay
