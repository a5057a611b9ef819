#include "conformance/compare.h"

#include <algorithm>
#include <map>
#include <set>

#include "conformance/report/layout.h"
#include "reference/error.h"

namespace assay {
namespace {

// Below these a difference is noise of another seed.
constexpr double kFewerChecks = 0.9, kWorseDistance = 1.05, kMoreBudget = 0.1;

// 2: holds, 1: neither, 0: wrong.
int Rank(Status status) {
  if (IsBad(status)) return 0;
  return status == Status::kPass || status == Status::kWarn ? 2 : 1;
}

std::string Arrow(const std::string& from, const std::string& to) { return from + " -> " + to; }

struct Sums {
  double checks = 0, use = 0, detectable = 0;
  std::set<Technique> techniques;
  explicit Sums(const Cell& cell) {
    for (const Evidence& evidence : cell.evidence) {
      checks += static_cast<double>(evidence.checks);
      use = std::max(use, evidence.budget_use);
      detectable = std::max(detectable, evidence.detectable);
      techniques.insert(evidence.technique);
    }
  }
};

std::string GradeName(const Cell& cell) {
  return cell.grade ? std::string(Name(*cell.grade)) : "none";
}

// Why the same green rests on less; empty if it does not.
std::string WhyWeaker(const Cell& before, const Cell& after) {
  if (before.status == Status::kPass && after.status == Status::kWarn) return Arrow("Pass", "Warn");
  if (before.grade < after.grade) return "grade " + Arrow(GradeName(before), GradeName(after));
  const Sums was(before), is(after);
  for (const Technique technique : was.techniques)
    if (!is.techniques.contains(technique))
      return "no longer decided by " + std::string(Name(technique));
  if (is.detectable > was.detectable * kWorseDistance && was.detectable > 0)
    return "sees " + Arrow(Short(was.detectable), Short(is.detectable));
  if (is.use > was.use + kMoreBudget)
    return "budget use " + Arrow(Short(100 * was.use) + " %", Short(100 * is.use) + " %");
  if (is.checks < was.checks * kFewerChecks)
    return "checks " + Arrow(Thousands(static_cast<int64_t>(was.checks)),
                             Thousands(static_cast<int64_t>(is.checks)));
  return "";
}

ChangedCell Changed(const Cell& before, const Cell& after) {
  ChangedCell out = {Change::kUnchanged, after.key, "", false};
  const int was = Rank(before.status), is = Rank(after.status);
  if (was == 2 && is == 2) {
    out.what = WhyWeaker(before, after);
    if (!out.what.empty()) out.change = Change::kWeaker;
    return out;
  }
  if (was == is) return out;
  out.what = Arrow(std::string(Name(before.status)), std::string(Name(after.status)));
  out.change = is < was ? Change::kRegressed : is == 2 ? Change::kRepaired : Change::kWeaker;
  return out;
}

void Demand(const std::string& what, const std::string& before, const std::string& after) {
  if (before != after)
    throw InputError("compare: " + what + " " + before + " and " + after +
                     ", expected two records of the same");
}

std::string PartName(const Selection& part) {
  return "'" + part.only + "', '" + part.dtype + "', " + std::to_string(part.shard) + "/" +
         std::to_string(part.of);
}

constexpr std::string_view kWords[] = {"REGRESSED", "WEAKER", "repaired", "new", "unchanged"};

// The same of one clause and operation in several dtypes is one line.
std::string Lines(const std::vector<ChangedCell>& cells, Change change) {
  struct Line {
    const ChangedCell* first;
    std::string dtypes;
  };
  std::vector<Line> lines;
  for (const ChangedCell& cell : cells) {
    if (cell.change != change) continue;
    const auto same = std::ranges::find_if(lines, [&cell](const Line& line) {
      return line.first->key.requirement == cell.key.requirement &&
             line.first->key.operation == cell.key.operation && line.first->what == cell.what &&
             line.first->waived == cell.waived;
    });
    if (same == lines.end())
      lines.push_back({&cell, cell.key.dtype});
    else
      same->dtypes += " " + cell.key.dtype;
  }
  std::string out;
  for (const Line& line : lines)
    out +=
        Ends(Left(kWords[static_cast<size_t>(change)], 12) + Left(line.first->key.requirement, 22) +
                 line.first->key.operation + " " + line.dtypes,
             line.first->what + (line.first->waived ? ", waived" : ""));
  return out;
}

std::string Beside(std::string_view label, const std::string& a, const std::string& b) {
  return Left(label, 12) + Left(Shortened(a, 42), 44) + Shortened(b, 42) + "\n";
}

}  // namespace

std::vector<ChangedCell> Compare(const Record& before, const Record& after) {
  Demand("specification", before.spec, after.spec);
  Demand("profile", before.subject.profile, after.subject.profile);
  Demand("tier", std::string(Name(before.tier)), std::string(Name(after.tier)));
  Demand("part of the suite", PartName(before.selection), PartName(after.selection));
  std::map<CellKey, std::pair<const Cell*, const Cell*>> both;
  for (const Cell& cell : before.cells) both[cell.key].first = &cell;
  for (const Cell& cell : after.cells) both[cell.key].second = &cell;
  std::vector<ChangedCell> out;
  for (const auto& [key, pair] : both) {
    const auto [was, is] = pair;
    if (was != nullptr && is != nullptr) {
      out.push_back(Changed(*was, *is));
    } else if (is != nullptr) {
      out.push_back({IsBad(is->status) ? Change::kRegressed : Change::kNew, key,
                     Arrow("absent", std::string(Name(is->status))), false});
    } else {
      out.push_back({Rank(was->status) == 2 ? Change::kRegressed : Change::kUnchanged, key,
                     Arrow(std::string(Name(was->status)), "absent"), false});
    }
    out.back().waived = is != nullptr && WaiverOf(after, *is) != nullptr;
  }
  return out;
}

int CompareStatus(const std::vector<ChangedCell>& cells, bool strict) {
  return std::ranges::any_of(cells, [strict](const ChangedCell& cell) {
    return (cell.change == Change::kRegressed && !cell.waived) ||
           (strict && cell.change == Change::kWeaker);
  });
}

std::string CompareReport(const Record& before, const std::string& before_path, const Record& after,
                          const std::string& after_path, const std::vector<ChangedCell>& cells,
                          bool strict) {
  const auto subject = [](const Record& r) {
    return r.subject.name + " " + r.subject.version + ", sha256 " + r.subject.sha256.substr(0, 8);
  };
  const auto run = [](const Record& r) {
    const std::string& device = r.machine.device.name;
    return (device.empty() ? r.machine.cpu : device).substr(0, 24) + ", " + r.started.substr(0, 10);
  };
  std::string out = Beside("", before_path, after_path) +
                    Beside("subject", subject(before), subject(after)) +
                    Beside("run", run(before), run(after)) +
                    Beside("spec", before.spec + ", profile " + before.subject.profile, "the same");
  std::map<Change, int> count;
  for (const ChangedCell& cell : cells) ++count[cell.change];
  std::string lines, totals;
  for (const Change change :
       {Change::kRegressed, Change::kWeaker, Change::kRepaired, Change::kNew, Change::kUnchanged}) {
    if (change != Change::kUnchanged) lines += Lines(cells, change);
    std::string word(kWords[static_cast<size_t>(change)]);
    std::ranges::transform(word, word.begin(), [](char c) { return c < 'a' ? c + 32 : c; });
    totals += (totals.empty() ? "" : "   ") + Thousands(count[change]) + " " + word;
  }
  out += (lines.empty() ? "" : "\n") + lines +
         Ends(totals, "exit " + std::to_string(CompareStatus(cells, strict)));
  std::string replays;
  for (const ChangedCell& cell : cells)
    if (cell.change == Change::kRegressed && !cell.what.ends_with("absent"))
      replays += "  assay replay " + after_path + " " + cell.key.requirement + "/" +
                 cell.key.operation + "/" + cell.key.dtype + "\n";
  return out + (replays.empty() ? "" : "\n") + replays;
}

}  // namespace assay
