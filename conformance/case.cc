#include "conformance/case.h"

#include <nlohmann/json.hpp>

#include "reference/error.h"

namespace assay {
namespace {

constexpr CaseField kFields[] = {
    {"family", &Case::family, 0},
    {"rows", &Case::rows, 1},
    {"vocab", &Case::vocab, 1},
    {"top_k", &Case::top_k, 0},
    {"top_p", &Case::top_p, 0},
    {"min_p", &Case::min_p, 0},
    {"temperature", &Case::temperature, 0},
    {"order", &Case::order, 0},
    {"place", &Case::place, 0},
    {"special", &Case::special, 0},
    {"scalar", &Case::scalar, 0},
    {"pad", &Case::pad, 0},
    {"misalign", &Case::misalign, 0},
    {"offset", &Case::offset, 0},
    {"history", &Case::history, 0},
    {"drafts", &Case::drafts, 0},
    {"draws", &Case::draws, 0},
    {"seed", &Case::seed, 0},
};

}  // namespace

std::span<const CaseField> CaseFields() { return kFields; }

std::string Show(const Case& at) {
  std::string text;
  for (const CaseField& field : kFields) {
    const int64_t value = at.*field.value;
    const bool always = field.value == &Case::rows || field.value == &Case::vocab;
    if (value == field.plain && !always) continue;
    text += (text.empty() ? "" : " ") + std::string(field.name) + "=" + std::to_string(value);
  }
  return text;
}

std::string CaseToJson(const Case& at) {
  nlohmann::json json = nlohmann::json::object();
  for (const CaseField& field : kFields)
    if (at.*field.value != field.plain) json[std::string(field.name)] = at.*field.value;
  return json.dump();
}

Case CaseFromJson(std::string_view text) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(std::string("case: not JSON: ") + error.what());
  }
  if (!json.is_object())
    throw InputError("case: expected an object of integers, found " + json.dump());
  Case at;
  for (const CaseField& field : kFields) at.*field.value = field.plain;
  for (const auto& [name, value] : json.items()) {
    const CaseField* found = nullptr;
    for (const CaseField& field : kFields)
      if (field.name == name) found = &field;
    if (!found) throw InputError("case: unknown field '" + name + "'");
    if (!value.is_number_integer())
      throw InputError("case: field '" + name + "' is " + value.dump() + ", expected an integer");
    at.*found->value = value.get<int64_t>();
  }
  if (at.rows < 0 || at.vocab < 1)
    throw InputError("case: rows " + std::to_string(at.rows) + ", vocab " +
                     std::to_string(at.vocab) + ", expected rows >= 0 and vocab >= 1");
  return at;
}

}  // namespace assay
