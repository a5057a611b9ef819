#include "conformance/properties/row_checks.h"

#include <algorithm>
#include <cmath>

#include "conformance/show.h"

namespace assay {
namespace {

constexpr std::string_view kStatusNames[] = {"ok",        "empty", "NaN",  "inf",
                                             "parameter", "index", "token"};

std::string StatusName(int64_t code) {
  const bool known = code >= 0 && code < std::ssize(kStatusNames);
  return std::to_string(code) +
         (known ? " (" + std::string(kStatusNames[static_cast<size_t>(code)]) + ")" : "");
}

}  // namespace

double ReciprocalSlack(const Profile& profile) {
  return profile.reciprocal == Reciprocal::kApproximate ? 0x1p-22 : 0;
}

std::string RowName(int64_t row) { return "row " + std::to_string(row); }
std::string TokenName(int64_t row, int64_t token) {
  return RowName(row) + " token " + std::to_string(token);
}

std::optional<Finding> WrongStatus(const Trial& trial, const Tensors& out, int64_t row,
                                   RowStatus want) {
  const auto status = out.find("status");
  if (status == out.end()) return std::nullopt;
  const int64_t got = status->second.GetInt(row);
  const bool valid_form = trial.context().subject->status_form == ASSAY_STATUS_VALID;
  const int64_t code = valid_form ? want == RowStatus::kOk : static_cast<int64_t>(want);
  if (got == code) return std::nullopt;
  const auto show = [&](int64_t x) { return valid_form ? std::to_string(x) : StatusName(x); };
  return Finding{RowName(row), "status " + show(code), "status " + show(got)};
}

std::optional<Finding> WrongEntry(const Tensor& output, int64_t row,
                                  const std::vector<double>& want, double slack) {
  for (int64_t c = 0; c < output.cols(); ++c) {
    const double expected = want[static_cast<size_t>(c)], got = output.Get(row, c);
    const bool right = got == expected || std::fabs(got - expected) <= slack * std::fabs(expected);
    if (!right) return Finding{TokenName(row, c), Show(expected), Show(got)};
  }
  return std::nullopt;
}

std::vector<int32_t> NonZero(const Tensor& tensor, int64_t row) {
  std::vector<int32_t> ids;
  for (int64_t c = 0; c < tensor.cols(); ++c)
    if (tensor.Get(row, c) != 0) ids.push_back(static_cast<int32_t>(c));
  return ids;
}

Cut CutOf(const SortedRow& sorted, const KeptSet& kept, const std::vector<int32_t>& got,
          const Case& at, int64_t row) {
  constexpr int64_t kEachSide = 8;
  const int64_t size = std::ssize(sorted.order);
  Cut out = {at, RowName(row), kept.nominal - kept.first, std::ssize(got), {}};
  const int64_t first = std::max<int64_t>(kept.nominal - kEachSide, 0);
  for (int64_t i = first; i < std::min(kept.nominal + kEachSide, size); ++i) {
    const int32_t id = sorted.order[static_cast<size_t>(i)];
    out.tokens.push_back({id, sorted.value[static_cast<size_t>(i)],
                          kept.first <= i && i < kept.nominal,
                          std::ranges::binary_search(got, id)});
  }
  return out;
}

std::vector<int32_t> FirstIds(const SortedRow& sorted, int64_t count, int64_t first) {
  std::vector<int32_t> ids(sorted.order.begin() + first, sorted.order.begin() + count);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace assay
