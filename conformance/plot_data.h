#ifndef ASSAY_CONFORMANCE_PLOT_DATA_H_
#define ASSAY_CONFORMANCE_PLOT_DATA_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/json_reader.h"

namespace assay {

// What reports draw. It travels with evidence and counterexamples and decides nothing.

// The head of one row of a failing call's input.
struct InputRow {
  std::string tensor;
  int64_t row = 0, size = 0;
  std::vector<double> values;  // the first kMostValues of `size`
};
inline constexpr size_t kMostValues = 64;

struct CutToken {
  int32_t id = 0;
  double value = 0;
  bool expected = false, got = false;  // kept by the reference; by the subject
};

// The kept set of one row where it ends, likeliest token first.
struct Cut {
  Case at;
  std::string place;
  int64_t expected = 0, got = 0;  // sizes of the kept sets
  std::vector<CutToken> tokens;   // a few on both sides of the cut
};
inline constexpr size_t kMostCuts = 2;  // of a cell's technique

// One stream of draws against its law, in a pooling of the portfolio.
struct LawStream {
  Case at;
  int64_t draws = 0;
  double log10_e = 0;             // of the stream, over all of its poolings
  std::string pooling;            // the one that stands here
  std::vector<double> expected;   // [bins] probabilities
  std::vector<int64_t> observed;  // [bins] draws
};

// Adds `more` and keeps the kMostCuts that show most. Neither order nor grouping matters.
void AddCuts(const std::vector<Cut>& more, std::vector<Cut>* cuts);
// Adds `more`, in the order of cases.
void AddStreams(const std::vector<LawStream>& more, std::vector<LawStream>* streams);

nlohmann::json ToJson(const InputRow& row);
nlohmann::json ToJson(const Cut& cut);
nlohmann::json ToJson(const LawStream& stream);
InputRow InputRowFrom(const JsonReader& reader);
Cut CutFrom(const JsonReader& reader);
LawStream LawStreamFrom(const JsonReader& reader);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PLOT_DATA_H_
