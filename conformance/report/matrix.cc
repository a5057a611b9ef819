#include "conformance/report/matrix.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "conformance/report/layout.h"

namespace assay {
namespace {

constexpr size_t kColumn = 10, kName = kWidth - 2 - 6 * kColumn;
constexpr std::array<Kind, 6> kKinds = {Kind::kValues, Kind::kLaw,   Kind::kSeeds,
                                        Kind::kMask,   Kind::kEdges, Kind::kMemory};

// One clause over its dtypes.
struct Clause {
  bool held = true, bad = false, removed = true;
  std::optional<Grade> weakest;

  void Add(const Cell& cell) {
    if (cell.status == Status::kNotSupported) return;
    removed = false;
    bad |= IsBad(cell.status);
    held &= cell.status == Status::kPass || cell.status == Status::kWarn;
    if (cell.grade && (!weakest || *weakest < *cell.grade)) weakest = cell.grade;
  }
};

// One entry of the matrix.
struct Entry {
  std::map<std::string, Clause> clauses;

  std::string Show() const {
    int held = 0, asked = 0;
    bool bad = false;
    std::optional<Grade> weakest;
    for (const auto& [id, clause] : clauses) {
      if (clause.removed) continue;
      ++asked;
      held += clause.held;
      bad |= clause.bad;
      if (clause.weakest && (!weakest || *weakest < *clause.weakest)) weakest = clause.weakest;
    }
    if (clauses.empty()) return ".";
    if (asked == 0) return "-";
    const char letter = bad            ? '!'
                        : held < asked ? '?'
                        : weakest      ? "ECS"[static_cast<size_t>(*weakest)]
                                       : '?';
    return std::to_string(held) + (held < asked ? "/" + std::to_string(asked) : "") + " " + letter;
  }
};

using Line = std::map<Kind, Entry>;

}  // namespace

std::vector<MatrixLine> MatrixLines(const Record& record) {
  std::map<std::string, Line> found;
  for (const Cell& cell : record.cells)
    found[cell.key.operation][cell.kind].clauses[cell.key.requirement].Add(cell);
  std::vector<MatrixLine> out;
  for (const std::string& operation : record.subject.offered) {
    const auto line = found.find(operation);
    if (line == found.end()) continue;
    out.push_back({operation, {}});
    for (size_t i = 0; i < kKinds.size(); ++i)
      out.back().entries[i] = line->second[kKinds[i]].Show();
  }
  return out;
}

std::string Legend(const std::vector<MatrixLine>& lines) {
  std::set<char> letters;
  for (const MatrixLine& line : lines)
    for (const std::string& entry : line.entries) letters.insert(entry.back());
  struct Mark {
    char letter;
    std::string_view text;
  };
  constexpr Mark kMarks[] = {{'E', "E exact"},
                             {'C', "C same draws as the reference, within the fp32 budget"},
                             {'S', "S statistics"},
                             {'!', "! a failure"},
                             {'?', "? not decided"},
                             {'-', "- removed by the subject's limits"},
                             {'.', ". the specification asks nothing here"}};
  std::string marks;
  for (const Mark& mark : kMarks)
    if (letters.contains(mark.letter))
      marks += (marks.empty() ? "" : ", ") + std::string(mark.text);
  return Labelled("", 0, "n clauses hold, by the weakest evidence among them: " + marks);
}

std::string Matrix(const Record& record) {
  std::string out = Left("operation", kName);
  for (const Kind kind : kKinds) out += Right(Name(kind), kColumn);
  out += '\n';
  const std::vector<MatrixLine> lines = MatrixLines(record);
  for (const MatrixLine& line : lines) {
    out += Left(line.operation, kName);
    for (const std::string& entry : line.entries) out += Right(entry, kColumn);
    out += '\n';
  }
  return out + Legend(lines);
}

Headline HeadlineOf(const Record& record) {
  std::map<std::string, Clause> clauses;
  for (const Cell& cell : record.cells) clauses[cell.key.requirement].Add(cell);
  Headline out;
  for (const auto& [id, clause] : clauses) {
    out.removed += clause.removed;
    out.asked += !clause.removed;
    out.hold += !clause.removed && clause.held;
  }
  return out;
}

}  // namespace assay
