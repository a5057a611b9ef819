#include "conformance/report/markdown.h"

#include <algorithm>

#include "conformance/case_words.h"
#include "conformance/report/escape.h"
#include "conformance/report/failures.h"
#include "conformance/report/layout.h"
#include "conformance/report/matrix.h"
#include "conformance/report/untested.h"

namespace assay {
namespace {

constexpr size_t kLongest = 2000;

std::string Table(const Record& record) {
  std::string out = "| operation |", rule = "|---|";
  for (const Kind kind :
       {Kind::kValues, Kind::kLaw, Kind::kSeeds, Kind::kMask, Kind::kEdges, Kind::kMemory}) {
    out += " " + std::string(Name(kind)) + " |";
    rule += "--:|";
  }
  out += "\n" + rule + "\n";
  const std::vector<MatrixLine> lines = MatrixLines(record);
  for (const MatrixLine& line : lines) {
    out += "| `" + line.operation + "` |";
    for (const std::string& entry : line.entries)
      out += entry.ends_with('!') ? " **" + entry + "** |" : " " + entry + " |";
    out += "\n";
  }
  return out + "\n<sub>" + Html(Legend(lines)) + "</sub>\n";
}

std::string Failure(const Record& record, const FailureGroup& group, const std::string& path) {
  const Cell& cell = *group.telling;
  const Waiver* waiver = WaiverOf(record, cell);
  std::string out = "\n<details><summary><b>" + std::string(waiver ? "waived " : "") +
                    std::string(Name(cell.status)) + "</b> " + Html(TitleOf(group)) +
                    "</summary>\n\n<pre>\n";
  const auto line = [&out](std::string_view label, const std::string& text) {
    if (!text.empty()) out += Html(Labelled(label, 10, Shortened(text, kLongest)));
  };
  if (const Requirement* found = FindRequirement(cell.key.requirement))
    line("clause", std::string(found->clause));
  if (const StoredFailure* failure = group.failure) {
    line("case", InWords(failure->example.at));
    for (const FindingLine& shown : FindingLines(*failure)) line(shown.label, shown.text);
  }
  line("reason", cell.note);
  if (waiver) line("waived", WordsOf(*waiver));
  if (group.failure) line("replay", ReplayLine(path, cell.key));
  return out + "</pre>\n</details>\n";
}

std::string Waivers(const Record& record) {
  std::string out;
  for (const WaiverNote& note : WaiverNotes(record)) {
    out += "- waiver <code>" + Html(Spelled(*note.waiver)) + "</code>, " +
           Html(WordsOf(*note.waiver)) + "; it waives " + std::to_string(note.waives);
    if (!note.warning.empty()) out += ". **Warning:** " + Html(note.warning);
    out += "\n";
  }
  return out.empty() ? "" : "\n" + out;
}

std::string NotTested(const Record& record) {
  std::string out;
  for (const Untested& part : UntestedBy(record)) {
    out += "\n" + part.about + ":\n\n";
    for (const std::string& line : part.lines) out += "- " + Html(line) + "\n";
  }
  if (out.empty()) return "";
  return "\n<details><summary>What was not tested</summary>\n" + out + "\n</details>\n";
}

std::string DeviceOf(const Record& record) {
  const DeviceInfo& info = record.machine.device;
  if (info.name.empty()) return record.subject.device;
  return record.subject.device + " (" + info.name + ", CUDA driver " + info.driver + ")";
}

}  // namespace

std::string MarkdownReport(const Record& record, const ReportOptions& options) {
  const SubjectInfo& subject = record.subject;
  const Counts counts = Count(record.cells);
  int64_t checks = 0;
  for (const Cell& cell : record.cells)
    for (const Evidence& evidence : cell.evidence) checks += evidence.checks;
  std::string out = "### " + Html(subject.name + " " + subject.version) + ": " +
                    Html(VerdictLine(record, options.strict)) + "\n\n" + Table(record) + "\n" +
                    std::to_string(record.cells.size()) + " cells: " + std::to_string(counts.pass) +
                    " pass, " + std::to_string(counts.warn) + " warn, " +
                    std::to_string(counts.bad) + " fail, " + std::to_string(counts.undecided) +
                    " undecided, " + std::to_string(counts.not_supported) + " not supported. " +
                    Thousands(checks) + " checks, tier " + std::string(Name(record.tier)) +
                    ", seed `" + Html(record.seed) + "`, sha256 `" +
                    Html(subject.sha256.substr(0, 16)) + "`, " + Html(DeviceOf(record)) + ".\n";
  out += Waivers(record);
  for (const FailureGroup& group : FailureGroups(record))
    out += Failure(record, group, options.record_path);
  return out + NotTested(record);
}

}  // namespace assay
