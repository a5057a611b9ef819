#include "conformance/plot_data.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace assay {

using nlohmann::json;

void AddCuts(const std::vector<Cut>& more, std::vector<Cut>* cuts) {
  const auto rank = [](const Cut& cut) {
    return std::tuple(-std::ssize(cut.tokens), Show(cut.at), cut.place);
  };
  for (const Cut& cut : more) {
    const auto at = std::ranges::lower_bound(*cuts, rank(cut), {}, rank);
    if (at == cuts->end() || rank(*at) != rank(cut)) cuts->insert(at, cut);
  }
  if (cuts->size() > kMostCuts) cuts->resize(kMostCuts);
}

void AddStreams(const std::vector<LawStream>& more, std::vector<LawStream>* streams) {
  streams->insert(streams->end(), more.begin(), more.end());
  std::ranges::stable_sort(*streams, {},
                           [](const LawStream& s) { return std::tuple(Show(s.at), s.pooling); });
}

json ToJson(const InputRow& row) {
  json values = json::array();
  for (const double value : row.values) values.push_back(Finite(value));
  return {{"tensor", row.tensor}, {"row", row.row}, {"size", row.size}, {"values", values}};
}

InputRow InputRowFrom(const JsonReader& reader) {
  return {reader.Text("tensor"), reader.Integer("row"), reader.Integer("size"),
          reader.Numbers("values")};
}

json ToJson(const Cut& cut) {
  json tokens = json::array();
  for (const CutToken& token : cut.tokens)
    tokens.push_back({{"id", token.id},
                      {"value", Finite(token.value)},
                      {"expected", token.expected},
                      {"got", token.got}});
  return {{"case", json::parse(CaseToJson(cut.at))},
          {"place", cut.place},
          {"expected", cut.expected},
          {"got", cut.got},
          {"tokens", tokens}};
}

Cut CutFrom(const JsonReader& reader) {
  Cut out = {CaseFromJson(reader.Object("case").Dump()),
             reader.Text("place"),
             reader.Integer("expected"),
             reader.Integer("got"),
             {}};
  for (const JsonReader& token : reader.Objects("tokens"))
    out.tokens.push_back({static_cast<int32_t>(token.Integer("id")), token.Number("value"),
                          token.Flag("expected"), token.Flag("got")});
  return out;
}

json ToJson(const LawStream& stream) {
  return {{"case", json::parse(CaseToJson(stream.at))},
          {"draws", stream.draws},
          {"log10_e", Finite(stream.log10_e)},
          {"pooling", stream.pooling},
          {"expected", stream.expected},
          {"observed", stream.observed}};
}

LawStream LawStreamFrom(const JsonReader& reader) {
  LawStream out = {CaseFromJson(reader.Object("case").Dump()),
                   reader.Integer("draws"),
                   reader.Number("log10_e"),
                   reader.Text("pooling"),
                   reader.Numbers("expected"),
                   reader.Integers("observed")};
  if (out.expected.size() != out.observed.size())
    reader.Fail("observed", std::to_string(out.observed.size()) + " bins",
                std::to_string(out.expected.size()) + ", as many as are expected");
  return out;
}

}  // namespace assay
