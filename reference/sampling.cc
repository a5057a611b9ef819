#include "reference/sampling.h"

#include <algorithm>
#include <limits>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Not 0: a boundary that belongs to another token is outside.
double Outside(double distance) {
  return std::max(distance, std::numeric_limits<double>::denorm_min());
}

}  // namespace

int32_t Draw(const Cdf& cdf, double u, const Profile& profile) {
  const auto begin = cdf.upper.begin(), end = cdf.upper.end();
  const auto found = profile.cdf_edge == CdfEdge::kReach ? std::lower_bound(begin, end, u)
                                                         : std::upper_bound(begin, end, u);
  return found == end ? cdf.id.back() : cdf.id[static_cast<size_t>(found - begin)];
}

double Distance(const Cdf& cdf, double u, int32_t token, const Profile& profile) {
  const auto found = std::ranges::lower_bound(cdf.id, token);
  if (found == cdf.id.end() || *found != token) return kInfinity;
  const auto i = static_cast<size_t>(found - cdf.id.begin());
  const double lower = i == 0 ? -kInfinity : cdf.upper[i - 1];
  const double upper = i + 1 == cdf.id.size() ? kInfinity : cdf.upper[i];
  const bool reach = profile.cdf_edge == CdfEdge::kReach;
  if (reach ? u <= lower : u < lower) return Outside(lower - u);
  if (reach ? u > upper : u >= upper) return Outside(u - upper);
  return 0;
}

int32_t EmptyToken(const Profile& profile) {
  if (profile.empty_row == EmptyRow::kIllegal)
    throw InputError("a row without a token: illegal in profile " + std::string(profile.name));
  return profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
}

uint32_t ModelWord(const RngModel& model, uint64_t seed, uint64_t offset, int64_t position,
                   int64_t round) {
  const uint64_t subsequence = model.subsequence_is_position ? static_cast<uint64_t>(position) : 0;
  return PhiloxWord(seed, subsequence, offset + static_cast<uint64_t>(round));
}

uint32_t RaceWord(const RngModel& model, uint64_t seed, uint64_t offset, int64_t position,
                  int64_t token, int64_t vocab) {
  const RacePlace at = RacePlaces(model, vocab)(offset, position, token);
  return PhiloxWord(seed, at.subsequence, at.offset);
}

}  // namespace assay
