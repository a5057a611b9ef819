#include "conformance/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/json_reader.h"
#include "reference/error.h"

namespace assay {
namespace {

void WriteLine(int file, const std::filesystem::path& path, std::string line) {
  line += '\n';
  // One call, so that a kill tears at most this line.
  const ssize_t n = write(file, line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size()))
    throw InputError(path.string() + ": cannot be written: " + std::strerror(errno));
}

struct Kept {
  std::vector<JobResult> results;
  size_t bytes = 0;  // of whole, readable lines
};

Kept Read(const std::filesystem::path& path, const std::string& header) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  if (!file || !(all << file.rdbuf())) return {};
  const std::string text = all.str();
  if (!text.starts_with(header + "\n")) return {};
  Kept kept;
  kept.bytes = header.size() + 1;
  for (size_t end; (end = text.find('\n', kept.bytes)) != text.npos; kept.bytes = end + 1) {
    try {
      kept.results.push_back(
          JobResultFromJson(std::string_view(text).substr(kept.bytes, end - kept.bytes)));
    } catch (const InputError&) {
      break;  // torn by a kill and then appended to: what follows runs again
    }
  }
  return kept;
}

}  // namespace

std::string RunIdentityToJson(const RunIdentity& run) {
  return Canonical({{"journal", 1},
                    {"subject", run.subject_sha256},
                    {"entry", run.entry},
                    {"profile", run.profile},
                    {"spec", run.spec},
                    {"commit", run.suite_commit},
                    {"tier", Name(run.tier)},
                    {"seed", run.seed},
                    {"only", run.selection.only},
                    {"dtype", run.selection.dtype},
                    {"shard", run.selection.shard},
                    {"of", run.selection.of}});
}

Journal::Journal(std::filesystem::path path, const RunIdentity& run) : path_(std::move(path)) {
  const auto fail = [this](const std::string& what) {
    const std::string reason = what + std::strerror(errno);
    if (file_ >= 0) close(file_);
    throw InputError(path_.string() + ": " + reason);
  };
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fail("cannot be written: ");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) fail("another run is writing it: ");
  const std::string header = RunIdentityToJson(run);
  Kept kept = Read(path_, header);
  resumed_ = std::move(kept.results);
  if (ftruncate(file_, static_cast<off_t>(kept.bytes)) != 0) fail("cannot be written: ");
  if (kept.bytes == 0) WriteLine(file_, path_, header);
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::Append(const JobResult& result) { WriteLine(file_, path_, JobResultToJson(result)); }

}  // namespace assay
