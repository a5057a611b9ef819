#include "conformance/report/untested.h"

#include <set>

#include "conformance/report/failures.h"
#include "conformance/report/terminal.h"

namespace assay {
namespace {

std::vector<std::string> LimitsOf(const SubjectInfo& subject) {
  struct Limit {
    std::string_view what;
    int64_t value;
  };
  std::vector<std::string> out;
  for (const Limit& limit :
       {Limit{"vocabularies above ", subject.max_vocab}, Limit{"more rows than ", subject.max_rows},
        Limit{"top_k above ", subject.max_top_k}})
    if (limit.value > 0) out.push_back(std::string(limit.what) + std::to_string(limit.value));
  struct Optional {
    std::string_view what;
    int64_t flag;
  };
  for (const Optional& optional : {Optional{"rows apart by a stride", ASSAY_ROW_STRIDE},
                                   Optional{"parameters as scalars", ASSAY_SCALAR_PARAMS},
                                   Optional{"calls without a row", ASSAY_ZERO_ROWS}})
    if ((subject.flags & optional.flag) == 0) out.emplace_back(optional.what);
  for (const auto& [name, bit] :
       {std::pair{"f32", ASSAY_F32}, std::pair{"f16", ASSAY_F16}, std::pair{"bf16", ASSAY_BF16}})
    if ((subject.dtypes & bit) == 0) out.push_back(std::string("dtype ") + name);
  if (subject.rng_model.empty())
    out.emplace_back("draws one by one: no RNG model is declared, statistics judge them");
  return out;
}

std::vector<std::string> Undecided(const Record& record) {
  std::vector<std::string> out;
  for (const Cell& cell : record.cells)
    if (cell.status == Status::kInconclusive || cell.status == Status::kNotRun ||
        cell.status == Status::kNotSupported)
      out.push_back(Show(cell.key) + ": " + std::string(Name(cell.status)) + ", " + cell.note);
  return out;
}

std::vector<std::string> LeftOut(const Record& record) {
  std::set<std::string> ids;
  for (const Cell& cell : record.cells) ids.insert(cell.key.requirement);
  std::vector<std::string> out;
  for (const std::string& id : ids)
    if (const Requirement* found = FindRequirement(id); found && !found->not_covered.empty())
      out.push_back(id + ": " + std::string(found->not_covered));
  return out;
}

}  // namespace

std::vector<Untested> UntestedBy(const Record& record) {
  std::vector<Untested> out;
  const auto add = [&out](const std::string& about, std::vector<std::string> lines) {
    if (!lines.empty()) out.push_back({about, std::move(lines)});
  };
  if (const std::string part = PartOf(record); !part.empty())
    add("This run is a part of the suite", {part});
  add("Operations that the subject does not offer", record.not_offered);
  add("Limits that the subject declares", LimitsOf(record.subject));
  add("Cells that were not decided", Undecided(record));
  add("What clauses leave out", LeftOut(record));
  return out;
}

}  // namespace assay
