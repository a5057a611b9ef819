#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "conformance/record.h"
#include "conformance/report/html.h"
#include "conformance/report/markdown.h"
#include "conformance/report/terminal.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace assay {
namespace {

using Records = std::vector<NamedRecord>;

// One after another.
template <class One>
std::string Joined(const Records& records, const One& one) {
  std::string out;
  for (const NamedRecord& named : records) out += (out.empty() ? "" : "\n") + one(named);
  return out;
}

std::optional<Kills> ReadKills(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("--kills: cannot read '" + path + "'");
  return KillsFromJson(std::string(std::istreambuf_iterator<char>(in), {}), path);
}

std::string Render(const Records& records, const ReportArgs& args) {
  const auto options = [&args](const NamedRecord& named) {
    return ReportOptions{named.path, args.verbose, args.strict};
  };
  if (args.format == "html") {
    const std::optional<Kills> kills = ReadKills(args.kills);
    return HtmlReport(records, Faults(), args.strict, kills ? &*kills : nullptr);
  }
  if (args.format == "junit") return JunitReport(records, args.strict);
  if (args.format == "json")
    return Joined(records, [](const NamedRecord& n) { return RecordToJson(n.record) + "\n"; });
  if (args.format == "markdown")
    return Joined(records,
                  [&](const NamedRecord& n) { return MarkdownReport(n.record, options(n)); });
  return Joined(records,
                [&](const NamedRecord& n) { return TerminalReport(n.record, options(n)); });
}

// Wrong before undecided before right.
int Worse(int a, int b) {
  constexpr auto kBad = static_cast<int>(Verdict::kDoesNotConform);
  return a == kBad || b == kBad ? kBad : std::max(a, b);
}

}  // namespace

int ReportCommand(const ReportArgs& args) {
  if (!args.kills.empty() && args.format != "html")
    throw InputError("--kills: found --format " + args.format + ", expected html");
  Records records;
  int status = kConforming;
  for (const std::string& path : args.records) {
    LoadedRecord loaded = LoadRecord(path);
    if (loaded.digest != loaded.stated_digest)
      std::cerr << "warning: " << path << " was edited: its digest does not match\n";
    status = Worse(status, static_cast<int>(Judge(loaded.record, args.strict)));
    records.push_back({path, std::move(loaded.record)});
  }
  const std::string text = Render(records, args);
  if (args.out.empty())
    std::cout << text;
  else
    WriteFile(args.out, text);
  return status;
}

}  // namespace assay
