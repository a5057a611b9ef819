// A record: read, written and read again, judged, checked and reported in every format. What it
// says must not get out of the HTML page's script or its markup.
#include "conformance/record.h"

#include <string>

#include "conformance/check_record.h"
#include "conformance/compare.h"
#include "conformance/report/html.h"
#include "conformance/report/junit.h"
#include "conformance/report/markdown.h"
#include "conformance/report/terminal.h"
#include "tools/fuzz/fuzz.h"

namespace assay::fuzz {
namespace {

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void Use(const LoadedRecord& loaded) {
  const std::string once = RecordToJson(loaded.record);
  const LoadedRecord again = RecordFromJson(once, "what was written");
  Demand(again.digest == again.stated_digest, "a digest of its own");
  Demand(RecordToJson(again.record) == once, "the same record again");
  for (const bool strict : {false, true}) {
    Judge(loaded.record, strict);
    CheckRecord(loaded, {}, strict, "2026-12-01");
    const ReportOptions options = {"r.json", true, strict};
    TerminalReport(loaded.record, options);
    MarkdownReport(loaded.record, options);
    JunitReport({{"r.json", loaded.record}}, strict);
    Compare(loaded.record, again.record);
  }
  static const size_t scripts = Count(HtmlReport({{"r.json", Record{}}}, {}, false), "<script");
  Demand(Count(HtmlReport({{"r.json", loaded.record}}, {}, false), "<script") == scripts,
         "no script but the viewer's");
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay;
  fuzz::IfRead([&] { return RecordFromJson(fuzz::Text(data, size), "input"); }, fuzz::Use);
  return 0;
}
