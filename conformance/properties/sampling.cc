#include "conformance/properties/sampling.h"

#include <algorithm>
#include <cmath>

#include "conformance/fixture.h"
#include "conformance/show.h"
#include "conformance/statistics.h"

namespace assay {
namespace {

bool DrawsByCdf(const Operation& operation) { return Has(operation, "uniforms"); }

template <class Which>
std::vector<std::string_view> NamesWhere(Which which) {
  std::vector<std::string_view> names;
  for (const Operation& operation : Operations())
    if (which(operation)) names.push_back(operation.name);
  return names;
}

}  // namespace

std::vector<std::string_view> AllSamplers() {
  return NamesWhere([](const Operation& o) { return DrawsByCdf(o) || Races(o); });
}
std::vector<std::string_view> CdfSamplers(bool (*also)(const Operation&)) {
  return NamesWhere([&](const Operation& o) { return DrawsByCdf(o) && (!also || also(o)); });
}
std::vector<std::string_view> NoiseRaces() { return NamesWhere(Races); }

bool MayLoopUnder(const Operation& operation, const Profile& profile) {
  return MayLoop(operation) && profile.stream != Stream::kMidpoint32;
}

bool RowADraw(const Operation& operation) {
  return Races(operation) || Has(operation, "draft_probs");
}

bool IsLean(const Operation& operation) {
  return (DrawsByCdf(operation) || Races(operation)) && operation.name != "sampling_from_probs" &&
         operation.name != "top_k_top_p_sampling_from_probs";
}

int QuickCases(const Context& context, int cases) {
  return IsLean(*context.operation) ? cases / 4 : cases;
}

int64_t StepOf(const Context& context, int64_t rows, int64_t vocab) {
  const auto advance = context.subject->advance;
  if (advance) return advance(std::string(context.operation->name).c_str(), rows, vocab);
  return Races(*context.operation) ? vocab : 1;
}

bool ClearLead(double u, double v) {
  constexpr double kClear = 0.125;
  return std::max(u, v) < 1 && std::abs(GumbelNoise(u) - GumbelNoise(v)) > kClear;
}

void RequireFewTurned(std::string_view requirement, int64_t draws, int64_t turned, double honest,
                      int64_t row, Trial& t) {
  const double tail = BinomialUpperTail(draws, turned, std::min(honest, 1.0));
  t.Require(requirement, tail >= kTailRefuse, [&] {
    return Finding{"row " + std::to_string(row) + ", " + std::to_string(draws) + " draws",
                   "at most a share of " + Show(honest) + " turned by rounding",
                   std::to_string(turned) + " differ from the reference"};
  });
}

std::vector<int64_t> ExactFamilies(const Context& context, const std::vector<int64_t>& families) {
  std::vector<int64_t> exact;
  for (const int64_t family : families)
    if (IsExactRow(Case{.family = family}, *context.operation)) exact.push_back(family);
  return exact;
}

const std::vector<uint64_t>& ExtremeSeeds() {
  static const std::vector<uint64_t> kSeeds = LoadSeeds(FixtureDir());
  return kSeeds;
}

std::vector<Middle> MiddlesOfLargeTokens(const Cdf& cdf) {
  constexpr double kLarge = 0x1p-6;
  std::vector<Middle> middles;
  double lower = 0;
  for (size_t i = 0; i < cdf.id.size(); ++i) {
    const double upper = cdf.upper[i];
    if (upper - lower >= kLarge) middles.push_back({cdf.id[i], (lower + upper) / 2});
    lower = upper;
  }
  return middles;
}

}  // namespace assay
