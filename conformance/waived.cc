// What waivers do to a record.
#include <algorithm>

#include "conformance/record.h"

namespace assay {
namespace {

std::string Show(const CellKey& key) {
  return key.requirement + "/" + key.operation + "/" + key.dtype;
}

std::string Several(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

const Waiver* WaiverOf(const Record& record, const Cell& cell) {
  if (cell.status != Status::kFail) return nullptr;
  const auto found = std::ranges::find_if(record.waivers, [&](const Waiver& waiver) {
    return Covers(waiver, cell.key) && DaysLeft(waiver, record.started) >= 0;
  });
  return found == record.waivers.end() ? nullptr : &*found;
}

std::vector<WaiverNote> WaiverNotes(const Record& record, std::string_view today) {
  const std::string_view day = today.empty() ? std::string_view(record.started) : today;
  std::vector<WaiverNote> out;
  for (const Waiver& waiver : record.waivers) {
    WaiverNote note = {&waiver, 0, false, ""};
    int cells = 0, needless = 0;
    const Cell* passes = nullptr;
    for (const Cell& cell : record.cells) {
      if (!Covers(waiver, cell.key)) continue;
      ++cells;
      note.waives += WaiverOf(record, cell) == &waiver;
      const bool green = cell.status == Status::kPass || cell.status == Status::kWarn;
      needless += green;
      if (green && passes == nullptr) passes = &cell;
    }
    const auto add = [&note](const std::string& more) {
      note.warning += (note.warning.empty() ? "" : "; ") + more;
    };
    const int left = DaysLeft(waiver, day);
    note.expired = left < 0;
    if (note.expired)
      add("it expired on " + waiver.until + " and waives nothing any more");
    else if (left <= kWarnDays)
      add("it expires in " + Several(left, "day"));
    if (cells == 0) add("it matches none of the cells of this run");
    if (passes != nullptr)
      add("it is not needed where " + Show(passes->key) + " passes" +
          (needless > 1 ? " (+" + std::to_string(needless - 1) + " more)" : ""));
    out.push_back(note);
  }
  return out;
}

Verdict Judge(const Record& record, bool strict) {
  std::vector<Cell> counted;
  for (const Cell& cell : record.cells)
    if (WaiverOf(record, cell) == nullptr) counted.push_back(cell);
  if (strict)
    for (const WaiverNote& note : WaiverNotes(record))
      if (note.expired) return Verdict::kDoesNotConform;
  return Judge(counted, strict);
}

}  // namespace assay
