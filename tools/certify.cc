#include "conformance/certify.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <thread>

#include "conformance/report/terminal.h"
#include "conformance/run_seed.h"
#include "conformance/version.h"
#include "conformance/worker.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// "I/N".
Selection ParseSelection(const CertifyArgs& args) {
  Selection out;
  out.only = args.only;
  out.dtype = args.dtype;
  const char* const end = args.shard.data() + args.shard.size();
  const auto [slash, first] = std::from_chars(args.shard.data(), end, out.shard);
  if (first == std::errc() && slash != end && *slash == '/') {
    const auto [rest, second] = std::from_chars(slash + 1, end, out.of);
    if (second == std::errc() && rest == end) return out;
  }
  throw InputError("--shard: found '" + args.shard + "', expected I/N, such as 1/4");
}

std::string SeedOf(const CertifyArgs& args, Tier tier) {
  if (args.seed == "fresh" || (args.seed.empty() && tier != Tier::kQuick)) return FreshSeed();
  return args.seed.empty() ? std::string(kQuickSeed) : NormalSeed(args.seed);
}

fs::path DefaultPath(const SubjectInfo& subject) {
  std::string name = subject.name;
  std::ranges::replace_if(
      name,
      [](unsigned char c) {
        return !(c < 128 && (std::isalnum(c) || c == '.' || c == '_' || c == '-'));
      },
      '-');
  return name + ".json";
}

CertifyOptions::AfterJob ShowProgress(size_t total) {
  const auto progress = std::make_shared<Progress>(total);
  return [progress](size_t done, const JobKey& job) { progress->Update(done, job); };
}

}  // namespace

int CoresOr(int jobs) {
  return jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int CertifyCommand(const CertifyArgs& args) {
  CertifyOptions options;
  options.subject = args.subject;
  options.profile = args.profile;
  options.tier = TierOf(args.tier);
  options.seed = SeedOf(args, options.tier);
  options.selection = ParseSelection(args);
  options.jobs = CoresOr(args.jobs);
  options.timeout = args.timeout;
  if (!args.waivers.empty()) options.waivers = LoadWaivers(args.waivers);
  options.progress = ShowProgress;
  CatchInterrupts();
  fs::path out = args.out, journal;
  const Record record = Certify(options, [&](const SubjectInfo& subject) {
    if (out.empty()) out = DefaultPath(subject);
    if (fs::is_directory(out)) throw InputError(out.string() + ": is a folder, expected a file");
    journal = out;
    return journal += ".journal";
  });
  const std::string json = RecordToJson(record);
  WriteFile(out, json + "\n");
  std::error_code ignored;
  fs::remove(journal, ignored);
  if (args.format == "json")
    std::cout << json << '\n';
  else
    std::cout << TerminalReport(record, {out.string(), args.verbose, args.strict});
  return static_cast<int>(Judge(record, args.strict));
}

}  // namespace assay
