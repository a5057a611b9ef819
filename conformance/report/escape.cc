#include "conformance/report/escape.h"

#include <nlohmann/json.hpp>

#include "conformance/json_reader.h"

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string Entities(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) == special.npos)
      out += c;
    else
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
  }
  return out;
}

void ReplaceAll(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size())
    text->replace(at, from.size(), to);
}

}  // namespace

std::string Html(std::string_view text) { return Entities(text, "&<>\"'`*_[]|\\"); }

std::string Xml(std::string_view text) {
  // Through JSON and back: what is not UTF-8 has become U+FFFD.
  std::string valid = nlohmann::json::parse(Canonical(std::string(text))).get<std::string>();
  ReplaceAll(&valid, "\xEF\xBF\xBE", kReplacement);
  ReplaceAll(&valid, "\xEF\xBF\xBF", kReplacement);
  std::string out;
  for (const char c : Entities(valid, "&<>\"'")) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
    out += control ? std::string(kReplacement) : std::string(1, c);
  }
  return out;
}

std::string InScript(std::string json) {
  ReplaceAll(&json, "<", "\\u003c");
  return json;
}

}  // namespace assay
