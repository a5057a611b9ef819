#include "conformance/report/failures.h"

#include <algorithm>
#include <vector>

#include "conformance/case_words.h"
#include "conformance/report/layout.h"

namespace assay {
namespace {

constexpr size_t kText = 14;  // column of the texts
constexpr size_t kLongest = 600;

bool SameGroup(const Cell& a, const Cell& b) {
  if (a.status != b.status || a.key.operation != b.key.operation) return false;
  return a.status == Status::kFail ? a.key.requirement == b.key.requirement
                                   : a.note == b.note && a.key.dtype == b.key.dtype;
}

// Of the cells of a group the one that failed first, in the order of jobs.
const Cell* Telling(const Record& record, const FailureGroup& group) {
  const Cell* telling = group.cells.front();
  const StoredFailure* first = nullptr;
  for (const Cell* cell : group.cells) {
    const StoredFailure* failure = FindFailure(record, cell->key);
    if (failure == nullptr || (first != nullptr && first <= failure)) continue;
    first = failure;
    telling = cell;
  }
  return telling;
}

std::string Title(const FailureGroup& group, const std::string& number) {
  const Status status = group.cells.front()->status;
  const std::string_view word = status == Status::kFail      ? "FAIL "
                                : status == Status::kTimeout ? "TIMEOUT "
                                                             : "CRASH ";
  std::string right;
  if (status == Status::kFail && group.failure != nullptr) {
    right = Name(group.failure->example.technique);
    if (group.failure->example.tries > 0)
      right += ", " + std::to_string(group.failure->example.tries) + " tries";
  } else if (status != Status::kFail && group.cells.size() > 1) {
    right = "and " + std::to_string(group.cells.size() - 1) + " more clauses of this job";
  }
  return Ends(std::string(word) + number + "   " + TitleOf(group), right);
}

std::string Show(const Record& record, const FailureGroup& group, const std::string& number,
                 const std::string& record_path) {
  const Cell& cell = *group.telling;
  const StoredFailure* failure = group.failure;
  std::string out = Title(group, number);
  const auto line = [&out](std::string_view label, const std::string& text) {
    if (!text.empty()) out += Labelled("  " + std::string(label), kText, Shortened(text, kLongest));
  };
  if (const Requirement* requirement = FindRequirement(cell.key.requirement))
    if (cell.status == Status::kFail) line("clause", std::string(requirement->clause));
  if (failure) line("case", InWords(failure->example.at));
  if (failure && cell.status == Status::kFail) {
    for (const FindingLine& shown : FindingLines(*failure)) line(shown.label, shown.text);
  } else {
    line("reason", cell.note);
  }
  if (const Waiver* waiver = WaiverOf(record, cell)) line("waived", WordsOf(*waiver));
  if (failure) line("replay", ReplayLine(record_path, cell.key));
  return out;
}

}  // namespace

std::vector<FailureGroup> FailureGroups(const Record& record) {
  std::vector<FailureGroup> out;
  for (const Cell& cell : record.cells) {
    if (!IsBad(cell.status)) continue;
    const auto at = std::ranges::find_if(out, [&](const FailureGroup& group) {
      return SameGroup(*group.cells.front(), cell) &&
             WaiverOf(record, *group.cells.front()) == WaiverOf(record, cell);
    });
    if (at == out.end())
      out.push_back({{&cell}, &cell, nullptr});
    else
      at->cells.push_back(&cell);
  }
  for (FailureGroup& group : out) {
    group.telling = Telling(record, group);
    group.failure = FindFailure(record, group.telling->key);
  }
  return out;
}

std::string TitleOf(const FailureGroup& group) {
  const Cell& first = *group.cells.front();
  std::string out = first.key.requirement + "   " + first.key.operation + "  ";
  for (const Cell* cell : group.cells)
    if (cell == &first || first.status == Status::kFail) out += " " + cell->key.dtype;
  return out;
}

std::vector<FindingLine> FindingLines(const StoredFailure& failure) {
  const Counterexample& example = failure.example;
  return {{"place", example.place}, {"input", example.input}, {"expected", example.expected},
          {"got", example.got},     {"hint", Hint(failure)},  {"like", Like(example.requirement)}};
}

std::string Hint(const StoredFailure& failure) {
  if (failure.conforms_to.empty()) return "";
  std::string out = "this case conforms to ";
  for (const std::string& profile : failure.conforms_to)
    out += (&profile == &failure.conforms_to.front() ? "" : ", ") + profile;
  return out + ". Declare it if that is what your kernel promises.";
}

std::string Show(const CellKey& key) {
  return key.requirement + "/" + key.operation + "/" + key.dtype;
}

std::string WordsOf(const Waiver& waiver) {
  return "until " + waiver.until + " by " + waiver.who + ": " + waiver.reason;
}

std::string ReplayLine(const std::string& record_path, const CellKey& key) {
  return "assay replay " + record_path + " " + Show(key);
}

std::string Like(const std::string& requirement) {
  const Requirement* found = FindRequirement(requirement);
  return found ? std::string(found->guards) : "";
}

const StoredFailure* FindFailure(const Record& record, const CellKey& key) {
  const StoredFailure* lost = nullptr;
  for (const StoredFailure& failure : record.failures) {
    const Counterexample& example = failure.example;
    if (example.job.operation != key.operation || example.job.dtype != key.dtype) continue;
    if (example.requirement == key.requirement) return &failure;
    const Property* property = FindProperty(example.job.property);
    if (property != nullptr && std::ranges::any_of(property->claims, [&key](const Claim& claim) {
          return claim.requirement == key.requirement;
        }))
      lost = &failure;
  }
  const auto cell = std::ranges::find(record.cells, key, &Cell::key);
  const bool is_lost = cell != record.cells.end() &&
                       (cell->status == Status::kCrash || cell->status == Status::kTimeout);
  return is_lost ? lost : nullptr;
}

std::string Failures(const Record& record, const std::string& record_path, int most) {
  const std::vector<FailureGroup> groups = FailureGroups(record);
  const auto count = static_cast<int>(groups.size());
  std::string out;
  for (int i = 0; i < std::min(count, most); ++i)
    out += "\n" + Show(record, groups[static_cast<size_t>(i)],
                       std::to_string(i + 1) + " of " + std::to_string(count), record_path);
  if (count > most)
    out += "\n" + std::to_string(count - most) + " more failures: assay report " + record_path +
           " -v\n";
  return out;
}

}  // namespace assay
