#include "conformance/report/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "conformance/report/failures.h"
#include "conformance/report/layout.h"
#include "conformance/report/matrix.h"

namespace assay {
namespace {

constexpr size_t kText = 14;

std::string DeviceLine(const DeviceInfo& device) {
  if (device.name.empty()) return "";
  return Ends(Left("device", kText) +
                  Shortened(device.name + ", compute capability " + device.capability, 50),
              "CUDA driver " + device.driver + ", runtime " + device.runtime);
}

std::string Head(const Record& record) {
  const SubjectInfo& subject = record.subject;
  const size_t all = subject.offered.size() + record.not_offered.size();
  const Headline headline = HeadlineOf(record);
  std::string seed = record.seed;
  if (seed.size() == 32) seed.insert(16, " ");
  return Ends(Left("subject", kText) +
                  Shortened(subject.name + " " + subject.version + ", " + subject.device + ", " +
                                subject.file + " sha256 " + subject.sha256.substr(0, 8),
                            60),
              "tier " + std::string(Name(record.tier))) +
         Ends(std::string(kText, ' ') + "offers " + std::to_string(subject.offered.size()) +
                  " of " + std::to_string(all) + " operations",
              "profile " + subject.profile) +
         DeviceLine(record.machine.device) +
         Ends(Left("spec", kText) + record.spec + ", " +
                  std::to_string(headline.asked + headline.removed) + " requirements",
              "seed " + seed);
}

std::string Totals(const Record& record) {
  const Counts counts = Count(record.cells);
  int64_t checks = 0;
  for (const Cell& cell : record.cells)
    for (const Evidence& evidence : cell.evidence) checks += evidence.checks;
  std::string left = Left(std::to_string(record.cells.size()) + " cells", kText);
  left += std::to_string(counts.pass) + " pass   " + std::to_string(counts.warn) + " warn   " +
          std::to_string(counts.bad) + " fail   " + std::to_string(counts.undecided) + " undecided";
  if (counts.not_supported > 0)
    left += "   " + std::to_string(counts.not_supported) + " not supported";
  return Ends(left, Thousands(checks) + " checks in " + Duration(record.seconds));
}

std::string Budget(const Record& record) {
  const Cell* worst = nullptr;
  double use = 0;
  int64_t checks = 0, undecided = 0;
  for (const Cell& cell : record.cells) {
    for (const Evidence& evidence : cell.evidence) {
      checks += evidence.checks;
      undecided += evidence.undecided;
      if (evidence.budget_use <= use) continue;
      use = evidence.budget_use;
      worst = &cell;
    }
  }
  if (worst == nullptr && undecided == 0) return "";
  std::string text;
  if (worst != nullptr) text = "worst use " + Short(100 * use) + " % (" + Show(worst->key) + "); ";
  char decided[32];
  std::snprintf(decided, sizeof decided, "%.2f",
                100 - 100.0 * static_cast<double>(undecided) /
                          static_cast<double>(std::max<int64_t>(checks, 1)));
  return Labelled("budget", kText, text + decided + " % of the checks were decided");
}

std::string Statistics(const Record& record) {
  int cells = 0;
  int64_t draws = 0;
  const Evidence* worst = nullptr;
  for (const Cell& cell : record.cells) {
    for (const Evidence& evidence : cell.evidence) {
      if (GradeOf(evidence.technique) != Grade::kStatistical) continue;
      ++cells;
      draws += evidence.draws;
      if (!worst || evidence.detectable > worst->detectable) worst = &evidence;
    }
  }
  if (worst == nullptr) return "";
  std::string text =
      std::to_string(cells) + " cells, " + Thousands(draws) + " draws; false alarm < 1e-6 a run";
  if (worst->detectable > 0) text += "; sees a distance of " + Short(worst->detectable);
  if (worst->detectable > 0 && !worst->pooling.empty()) text += " (" + worst->pooling + ")";
  return Labelled("statistics", kText, text);
}

std::string Opaque(const Record& record) {
  const bool draws =
      std::ranges::any_of(record.cells, [](const Cell& cell) { return cell.kind == Kind::kLaw; });
  if (!draws || !record.subject.rng_model.empty()) return "";
  return Labelled("opaque", kText,
                  "the subject declares no RNG model: its draws are judged by statistics, not one "
                  "by one");
}

// The first cell of a kind, and how many more there are.
std::string Notes(const Record& record, std::string_view label, const Status status) {
  const Cell* first = nullptr;
  int count = 0;
  for (const Cell& cell : record.cells) {
    if (cell.status != status) continue;
    if (++count == 1) first = &cell;
  }
  if (first == nullptr) return "";
  std::string note = first->note;
  for (const Evidence& evidence : first->evidence)
    if (note.empty()) note = evidence.note;
  std::string text = Show(first->key) + (note.empty() ? "" : ": " + Shortened(note, 200));
  if (count > 1) text += " (+" + std::to_string(count - 1) + " more)";
  return Labelled(label, kText, text);
}

std::string Cells(const Record& record) {
  std::string out = "\n";
  for (const Cell& cell : record.cells) {
    int64_t checks = 0;
    double use = 0;
    for (const Evidence& evidence : cell.evidence) {
      checks += evidence.checks;
      use = std::max(use, evidence.budget_use);
    }
    out += Left(Name(cell.status), 13) + Left(cell.grade ? Name(*cell.grade) : "", 12) +
           Left(Show(cell.key), 56) + Right(Thousands(checks), 12);
    if (use > 0) out += Right(Short(100 * use) + " %", 7);
    out += '\n';
    if (!cell.note.empty()) out += Labelled("", kText - 1, Shortened(cell.note, 300));
  }
  return out;
}

std::string Verdicts(const Record& record, const ReportOptions& options) {
  const Verdict verdict = Judge(record, options.strict);
  return Ends(VerdictLine(record, options.strict),
              "exit " + std::to_string(static_cast<int>(verdict))) +
         (options.record_path.empty() ? "" : Left("record", kText) + options.record_path + "\n");
}

std::string Waivers(const Record& record) {
  std::string out;
  for (const WaiverNote& note : WaiverNotes(record)) {
    std::string text = Spelled(*note.waiver) + ": waives " + std::to_string(note.waives) +
                       (note.waives == 1 ? " failure" : " failures");
    if (!note.warning.empty()) text += "; WARNING: " + note.warning;
    out += Labelled("waiver", kText, text);
  }
  return out;
}

}  // namespace

std::string PartOf(const Record& record) {
  const Selection& part = record.selection;
  std::string out;
  if (!part.only.empty()) out += "only '" + part.only + "'";
  if (!part.dtype.empty()) out += (out.empty() ? "" : ", ") + ("only " + part.dtype);
  if (part.of > 1)
    out += (out.empty() ? "" : ", ") + ("shard " + std::to_string(part.shard)) + "/" +
           std::to_string(part.of);
  return out;
}

int64_t CountWaived(const Record& record) {
  return std::ranges::count_if(
      record.cells, [&record](const Cell& cell) { return WaiverOf(record, cell) != nullptr; });
}

std::string VerdictLine(const Record& record, bool strict) {
  const Verdict verdict = Judge(record, strict);
  const Headline headline = HeadlineOf(record);
  std::string out = verdict == Verdict::kConforms         ? "CONFORMS to profile "
                    : verdict == Verdict::kDoesNotConform ? "DOES NOT CONFORM to profile "
                                                          : "UNDECIDED for profile ";
  out += record.subject.profile;
  if (const std::string part = PartOf(record); !part.empty()) out += " (" + part + ")";
  out += verdict == Verdict::kConforms ? " on " : ": holds ";
  out += std::to_string(headline.hold) + " of " + std::to_string(headline.asked) + " requirements";
  if (headline.removed > 0) out += "; limits remove " + std::to_string(headline.removed);
  if (const auto waived = CountWaived(record); waived > 0)
    out += "; " + std::to_string(waived) + (waived == 1 ? " failure" : " failures") + " waived";
  return out;
}

std::string TerminalReport(const Record& record, const ReportOptions& options) {
  std::string out = Head(record) + Matrix(record);
  if (options.verbose) out += Cells(record);
  if (const std::string failures =
          Failures(record, options.record_path, options.verbose ? 1 << 30 : 10);
      !failures.empty())
    out += failures + "\n";
  out += Totals(record) + Budget(record) + Statistics(record) + Opaque(record);
  out += Notes(record, "warn", Status::kWarn) + Notes(record, "undecided", Status::kInconclusive) +
         Notes(record, "not run", Status::kNotRun) +
         Notes(record, "not supported", Status::kNotSupported);
  return out + Waivers(record) + Verdicts(record, options);
}

Progress::Progress(size_t total)
    : total_(total), shown_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_ && started_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Update(size_t done, const JobKey& job) {
  if (!shown_) return;
  if (!started_) first_ = done - 1;  // what a journal already had took no time
  started_ = true;
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double left =
      passed / static_cast<double>(done - first_) * static_cast<double>(total_ - done);
  const std::string digits = std::to_string(total_);
  std::fprintf(stderr, "\r\x1b[K[ %s/%s ]  %s  %s   about %s left",
               Right(std::to_string(done), digits.size()).c_str(), digits.c_str(),
               job.operation.c_str(), job.property.c_str(), Duration(left).c_str());
}

}  // namespace assay
