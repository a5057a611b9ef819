#ifndef ASSAY_CONFORMANCE_JSON_READER_H_
#define ASSAY_CONFORMANCE_JSON_READER_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Reads one JSON object field by field. Every error is an InputError that names the source, the
// field, what was found and what was expected. `source` is a file name or a phrase.
class JsonReader {
 public:
  static JsonReader Parse(std::string_view text, std::string source);

  bool Has(std::string_view field) const;
  std::string Text(std::string_view field) const;
  int64_t Integer(std::string_view field) const;
  double Number(std::string_view field) const;
  bool Flag(std::string_view field) const;
  JsonReader Object(std::string_view field) const;
  std::vector<JsonReader> Objects(std::string_view field) const;
  std::vector<std::string> Texts(std::string_view field) const;
  std::vector<double> Numbers(std::string_view field) const;
  std::vector<int64_t> Integers(std::string_view field) const;

  // Refuses fields that are not among `known`.
  void OnlyHas(const std::vector<std::string_view>& known) const;
  // This object again as JSON text.
  std::string Dump() const;
  [[noreturn]] void Fail(std::string_view field, std::string_view found,
                         std::string_view expected) const;

 private:
  JsonReader(std::shared_ptr<const nlohmann::json> root, const nlohmann::json* at,
             std::string source, std::string path);
  template <class Item>
  std::vector<Item> List(std::string_view field, std::string_view what,
                         bool (*is)(const nlohmann::json&)) const;
  const nlohmann::json& At(std::string_view field, std::string_view expected) const;
  std::string Path(std::string_view field) const;

  std::shared_ptr<const nlohmann::json> root_;
  const nlohmann::json* at_;
  std::string source_, path_;
};

// Compact JSON with sorted keys. Bytes that are not UTF-8 are replaced.
std::string Canonical(const nlohmann::json& value);
// JSON has no infinity: NaN and +inf become the largest double, -inf the smallest.
double Finite(double value);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JSON_READER_H_
