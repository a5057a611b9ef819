#ifndef ASSAY_CONFORMANCE_CASE_H_
#define ASSAY_CONFORMANCE_CASE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// All that one check of a property needs, in integers: generated, shrunk, stored and replayed in
// this one form. What a field means stands in expand.h; a field that a property does not read stays
// plain. Codes point into the tables of expand.h.
struct Case {
  int64_t family = 0;       // how rows are made
  int64_t rows = 1;         // distribution rows
  int64_t vocab = 1;        // V
  int64_t top_k = 0;        // code
  int64_t top_p = 0;        // code
  int64_t min_p = 0;        // code
  int64_t temperature = 0;  // code
  int64_t order = 0;        // filter order
  int64_t place = 0;        // code: where in the row the special thing stands
  int64_t special = 0;      // code: which special value, parameter or transformation
  int64_t scalar = 0;       // 1: parameters as 0-dimensional tensors
  int64_t pad = 0;          // columns between rows
  int64_t misalign = 0;     // elements that row 0 is shifted by
  int64_t offset = 0;       // code: random offset
  int64_t history = 0;      // tokens of history
  int64_t drafts = 0;       // most drafts of a request
  int64_t draws = 0;        // draws of a statistical case
  int64_t seed = 0;         // of everything random in the case
};

struct CaseField {
  std::string_view name;
  int64_t Case::*value;
  int64_t plain;  // what shrinking aims at; a plain field is not printed
};
std::span<const CaseField> CaseFields();

std::string Show(const Case& at);  // "family=ties vocab=2 rows=1"

// One JSON object of the fields that are not plain. Reading throws InputError for an unknown field
// or a value that is not an integer.
std::string CaseToJson(const Case& at);
Case CaseFromJson(std::string_view json);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_CASE_H_
