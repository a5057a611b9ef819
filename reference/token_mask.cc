#include "reference/token_mask.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "reference/error.h"

namespace assay {
namespace {

constexpr int64_t kWordBits = 32;

int64_t Bits(std::span<const int32_t> mask_row) { return std::ssize(mask_row) * kWordBits; }

void RequireRange(std::string_view what, int64_t found, int64_t low, int64_t high) {
  if (low <= found && found <= high) return;
  throw InputError(std::string(what) + ": found " + std::to_string(found) + ", expected " +
                   std::to_string(low) + " to " + std::to_string(high));
}

int32_t IndexAt(std::string_view what, std::span<const int32_t> list, size_t pair, int64_t limit) {
  const int64_t index = list.empty() ? static_cast<int64_t>(pair) : list[pair];
  RequireRange(std::string(what) + "[" + std::to_string(pair) + "]", index, 0, limit - 1);
  return static_cast<int32_t>(index);
}

}  // namespace

bool TokenAllowed(std::span<const int32_t> mask_row, int64_t token) {
  RequireRange("token", token, 0, Bits(mask_row) - 1);
  const auto word = static_cast<uint32_t>(mask_row[static_cast<size_t>(token / kWordBits)]);
  return (word >> (token % kWordBits) & 1u) != 0;
}

std::vector<bool> MaskedColumns(std::span<const int32_t> mask_row, int64_t columns, int64_t vocab,
                                const Profile& profile, std::span<const int32_t> d2t) {
  RequireRange("columns", columns, 0, INT32_MAX);
  if (profile.mask_wider != MaskWider::kIgnored && d2t.empty())
    RequireRange(profile.mask_wider == MaskWider::kRefused ? "mask words" : "words of a legal mask",
                 std::ssize(mask_row), 0, (columns + kWordBits - 1) / kWordBits);
  if (!d2t.empty()) RequireRange("d2t entries", std::ssize(d2t), columns, columns);
  const int64_t width = d2t.empty() ? std::min(columns, Bits(mask_row)) : columns;
  RequireRange("vocab", vocab, 0, width);
  const int64_t inside = vocab == 0 ? width : vocab;
  if (columns > inside && profile.mask_beyond == MaskBeyond::kIllegal) {
    throw InputError("columns: found " + std::to_string(columns) + ", expected " +
                     std::to_string(inside) + ": mask_beyond is illegal in profile " +
                     std::string(profile.name));
  }
  if (profile.mask_beyond == MaskBeyond::kRefused)
    RequireRange("columns of the mask", inside, columns, columns);
  std::vector<bool> masked(static_cast<size_t>(columns),
                           profile.mask_beyond == MaskBeyond::kNegInf);
  for (int64_t column = 0; column < inside; ++column) {
    const auto at = static_cast<size_t>(column);
    masked[at] = !TokenAllowed(mask_row, d2t.empty() ? column : column + d2t[at]);
  }
  return masked;
}

std::vector<std::vector<int32_t>> MaskRowsOf(std::span<const int32_t> logit_rows,
                                             std::span<const int32_t> mask_rows, int64_t rows,
                                             int64_t mask_count, MaskRows policy) {
  if (policy == MaskRows::kShared && mask_rows.empty()) mask_rows = logit_rows;
  if (!logit_rows.empty() && !mask_rows.empty() && logit_rows.size() != mask_rows.size()) {
    throw InputError(
        "mask_rows: found " + std::to_string(mask_rows.size()) +
        " entries, expected as many as logit_rows: " + std::to_string(logit_rows.size()));
  }
  std::vector<std::vector<int32_t>> acting(static_cast<size_t>(rows));
  const size_t listed = std::max(logit_rows.size(), mask_rows.size());
  const size_t pairs = listed > 0 ? listed : acting.size();
  for (size_t pair = 0; pair < pairs; ++pair) {
    const int32_t row = IndexAt("logit_rows", logit_rows, pair, rows);
    acting[static_cast<size_t>(row)].push_back(IndexAt("mask_rows", mask_rows, pair, mask_count));
  }
  return acting;
}

}  // namespace assay
