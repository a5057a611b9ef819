#include "conformance/json_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "reference/error.h"

namespace assay {
namespace {

using nlohmann::json;

std::string Excerpt(const json& value) {
  std::string text = Canonical(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

bool IsInt64(const json& value) {
  return value.is_number_integer() &&
         !(value.is_number_unsigned() &&
           value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()});
}

// nlohmann's message without its own prefix: "[json.exception.parse_error.101] ...".
std::string Reason(const json::exception& error) {
  const std::string_view what = error.what();
  const size_t end = what.find("] ");
  return std::string(end == what.npos ? what : what.substr(end + 2));
}

}  // namespace

JsonReader::JsonReader(std::shared_ptr<const json> root, const json* at, std::string source,
                       std::string path)
    : root_(std::move(root)), at_(at), source_(std::move(source)), path_(std::move(path)) {}

JsonReader JsonReader::Parse(std::string_view text, std::string source) {
  std::shared_ptr<const json> root;
  try {
    root = std::make_shared<const json>(json::parse(text));
  } catch (const json::exception& error) {
    throw InputError(source + ": not JSON: " + Reason(error));
  }
  if (!root->is_object())
    throw InputError(source + ": found " + Excerpt(*root) + ", expected an object");
  const json* at = root.get();
  return JsonReader(std::move(root), at, std::move(source), "");
}

std::string JsonReader::Path(std::string_view field) const {
  return path_.empty() ? std::string(field) : path_ + "." + std::string(field);
}

void JsonReader::Fail(std::string_view field, std::string_view found,
                      std::string_view expected) const {
  throw InputError(source_ + ": field " + Path(field) + ": found " + std::string(found) +
                   ", expected " + std::string(expected));
}

const json& JsonReader::At(std::string_view field, std::string_view expected) const {
  const auto found = at_->find(std::string(field));
  if (found == at_->end()) Fail(field, "nothing", expected);
  return *found;
}

bool JsonReader::Has(std::string_view field) const { return at_->contains(std::string(field)); }

std::string JsonReader::Text(std::string_view field) const {
  const json& value = At(field, "a text");
  if (!value.is_string()) Fail(field, Excerpt(value), "a text");
  return value.get<std::string>();
}

int64_t JsonReader::Integer(std::string_view field) const {
  const json& value = At(field, "an integer");
  if (!IsInt64(value)) Fail(field, Excerpt(value), "an integer");
  return value.get<int64_t>();
}

double JsonReader::Number(std::string_view field) const {
  const json& value = At(field, "a number");
  if (!value.is_number()) Fail(field, Excerpt(value), "a number");
  return value.get<double>();
}

bool JsonReader::Flag(std::string_view field) const {
  const json& value = At(field, "true or false");
  if (!value.is_boolean()) Fail(field, Excerpt(value), "true or false");
  return value.get<bool>();
}

JsonReader JsonReader::Object(std::string_view field) const {
  const json& value = At(field, "an object");
  if (!value.is_object()) Fail(field, Excerpt(value), "an object");
  return JsonReader(root_, &value, source_, Path(field));
}

std::vector<JsonReader> JsonReader::Objects(std::string_view field) const {
  const json& value = At(field, "a list of objects");
  if (!value.is_array()) Fail(field, Excerpt(value), "a list of objects");
  std::vector<JsonReader> out;
  for (const json& item : value) {
    const std::string name = std::string(field) + "[" + std::to_string(out.size()) + "]";
    if (!item.is_object()) Fail(name, Excerpt(item), "an object");
    out.push_back(JsonReader(root_, &item, source_, Path(name)));
  }
  return out;
}

template <class Item>
std::vector<Item> JsonReader::List(std::string_view field, std::string_view what,
                                   bool (*is)(const json&)) const {
  const std::string expected = "a list of " + std::string(what) + "s";
  const json& value = At(field, expected);
  if (!value.is_array()) Fail(field, Excerpt(value), expected);
  std::vector<Item> out;
  for (const json& item : value) {
    if (!is(item))
      Fail(std::string(field) + "[" + std::to_string(out.size()) + "]", Excerpt(item),
           "a " + std::string(what));
    out.push_back(item.get<Item>());
  }
  return out;
}

std::vector<std::string> JsonReader::Texts(std::string_view field) const {
  return List<std::string>(field, "text", [](const json& item) { return item.is_string(); });
}

std::vector<double> JsonReader::Numbers(std::string_view field) const {
  return List<double>(field, "number", [](const json& item) { return item.is_number(); });
}

std::vector<int64_t> JsonReader::Integers(std::string_view field) const {
  return List<int64_t>(field, "whole number", IsInt64);
}

void JsonReader::OnlyHas(const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : at_->items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      Fail(key, Excerpt(value), "no such field");
}

std::string JsonReader::Dump() const { return Canonical(*at_); }

std::string Canonical(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

double Finite(double value) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::isnan(value) ? kMax : std::clamp(value, -kMax, kMax);
}

}  // namespace assay
