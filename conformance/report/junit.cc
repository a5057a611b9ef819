#include "conformance/report/junit.h"

#include <map>

#include "conformance/case_words.h"
#include "conformance/report/escape.h"
#include "conformance/report/failures.h"

namespace assay {
namespace {

struct Outcome {
  std::string element;  // "failure", "error", "skipped", or empty
  std::string message;
};

Outcome OutcomeOf(const Record& record, const Cell& cell, bool strict) {
  const std::string status(Name(cell.status));
  const std::string message = status + (cell.note.empty() ? "" : ": " + cell.note);
  if (const Waiver* waiver = WaiverOf(record, cell))
    return {"skipped", status + ", waived " + WordsOf(*waiver)};
  if (cell.status == Status::kPass) return {};
  if (cell.status == Status::kWarn && !strict) return {};
  if (cell.status == Status::kNotSupported) return {"skipped", message};
  if (cell.level != Level::kMust && !strict)
    return {"skipped", message + " (a should-level clause)"};
  const bool failure = cell.status == Status::kFail || cell.status == Status::kWarn;
  return {failure ? "failure" : "error", message};
}

std::string Details(const NamedRecord& named, const Cell& cell) {
  const StoredFailure* failure = FindFailure(named.record, cell.key);
  if (failure == nullptr) return "";
  const Counterexample& example = failure->example;
  std::string out;
  const auto line = [&out](std::string_view label, const std::string& text) {
    if (!text.empty()) out += std::string(label) + ": " + text + "\n";
  };
  line("case", InWords(example.at));
  line("place", example.place);
  line("input", example.input);
  line("expected", example.expected);
  line("got", example.got);
  line("hint", Hint(*failure));
  line("replay", ReplayLine(named.path, cell.key));
  return out;
}

std::string ClauseOf(const Cell& cell) {
  const Requirement* found = FindRequirement(cell.key.requirement);
  return found ? std::string(found->clause) : "";
}

struct Suite {
  std::map<std::string, int> count;  // by element
  int tests = 0;
  std::string cases;
  double seconds = 0;
};

void Add(const NamedRecord& named, const Cell& cell, bool strict, Suite* suite) {
  const Outcome outcome = OutcomeOf(named.record, cell, strict);
  ++suite->tests;
  ++suite->count[outcome.element];
  std::string& out = suite->cases;
  out += "    <testcase classname=\"" + Xml(cell.key.operation) + "\" name=\"" +
         Xml(cell.key.requirement + "/" + cell.key.dtype) + "\"";
  if (outcome.element.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n      <" + outcome.element + " message=\"" + Xml(outcome.message) + "\"";
  if (outcome.element != "skipped") out += " type=\"" + std::string(Name(cell.status)) + "\"";
  const std::string details = outcome.element == "skipped" ? "" : Details(named, cell);
  if (details.empty() && outcome.element == "skipped")
    out += "/>\n";
  else
    out += ">" + Xml(ClauseOf(cell) + "\n" + details) + "</" + outcome.element + ">\n";
  out += "    </testcase>\n";
}

}  // namespace

std::string JunitReport(const std::vector<NamedRecord>& records, bool strict) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\">\n";
  for (const NamedRecord& named : records) {
    const Record& record = named.record;
    std::map<std::string, Suite> suites;
    for (const Cell& cell : record.cells) Add(named, cell, strict, &suites[cell.key.operation]);
    for (const RanJob& job : record.jobs)
      if (suites.contains(job.job.operation)) suites[job.job.operation].seconds += job.seconds;
    for (auto& [operation, suite] : suites)
      out += "  <testsuite name=\"" +
             Xml(record.subject.name + " " + record.subject.profile + " " + operation) +
             "\" tests=\"" + std::to_string(suite.tests) + "\" failures=\"" +
             std::to_string(suite.count["failure"]) + "\" errors=\"" +
             std::to_string(suite.count["error"]) + "\" skipped=\"" +
             std::to_string(suite.count["skipped"]) + "\" time=\"" + std::to_string(suite.seconds) +
             "\" timestamp=\"" + Xml(record.started) + "\">\n" + suite.cases + "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace assay
