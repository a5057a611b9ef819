#include "conformance/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
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

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  if (!file || !(all << file.rdbuf())) return "";
  return all.str();
}

// The lines after a header of `begin` bytes.
Kept LinesOf(const std::string& text, size_t begin) {
  Kept kept;
  kept.bytes = begin;
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

Kept Read(const std::filesystem::path& path, const std::string& header) {
  const std::string text = TextOf(path);
  if (!text.starts_with(header + "\n")) return {};
  return LinesOf(text, header.size() + 1);
}

std::string LastWritten(const std::filesystem::path& path) {
  struct stat status = {};
  std::tm utc = {};
  char out[32] = "";
  if (stat(path.c_str(), &status) == 0 && gmtime_r(&status.st_mtime, &utc) != nullptr)
    std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return out;
}

constexpr std::string_view kFirst = "{\"commit\":";  // of a header: its keys are sorted

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
                    {"of", run.selection.of},
                    {"run", nlohmann::json::parse(run.run)}});
}

std::string RunToJson(const Record& record) {
  Record run = record;
  run.machine = {};
  run.started.clear();
  run.seconds = 0;
  run.cells.clear();
  run.failures.clear();
  run.jobs.clear();
  return RecordToJson(run);
}

RunIdentity IdentityOf(const Record& record) {
  return {record.subject.sha256, record.subject.entry, record.subject.profile,
          record.spec,           record.commit,        record.tier,
          record.seed,           record.selection,     RunToJson(record)};
}

bool IsJournal(const std::filesystem::path& path) {
  const std::string text = TextOf(path);
  return text.starts_with(kFirst) &&
         text.substr(0, text.find('\n')).find("\"journal\":1") != text.npos;
}

JournalText ReadJournal(const std::filesystem::path& path) {
  const std::string text = TextOf(path);
  const size_t end = text.find('\n');
  if (end == text.npos) throw InputError(path.string() + ": the journal's first line is torn");
  const JsonReader header = JsonReader::Parse(text.substr(0, end), path.string());
  JournalText out;
  out.run = RecordFromJson(header.Object("run").Dump(), path.string()).record;
  out.run.started = LastWritten(path);
  out.results = LinesOf(text, end + 1).results;
  return out;
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
