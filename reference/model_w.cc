#include "reference/model_w.h"

#include <utility>

namespace assay {
namespace {

struct Eighths {
  int row[3];
};

constexpr Eighths kTarget1 = {3, 2, 3}, kDraft1 = {2, 1, 5};
// By the token emitted first.
constexpr Eighths kTarget2[] = {{2, 3, 3}, {2, 4, 2}, {1, 3, 4}};
constexpr Eighths kDraft2[] = {{2, 1, 5}, {3, 4, 1}, {5, 2, 1}};
// By the one emitted second.
constexpr Eighths kTarget3[] = {{2, 3, 3}, {4, 3, 1}, {1, 1, 6}};

// The banned tokens, likewise: each leaves a row of quarters.
constexpr int32_t kBanned1 = 1, kBanned2[] = {0, 1, 2}, kBanned3[] = {0, 0, 2};

constexpr int32_t kCandidates[] = {0, 0, 1, 1, 2, 0};
constexpr int32_t kNextToken[] = {1, 3, 5, -1, -1, -1};
constexpr int32_t kNextSibling[] = {-1, 2, -1, 4, -1, -1};

std::vector<double> Row(const Eighths& eighths) {
  return {eighths.row[0] / 8.0, eighths.row[1] / 8.0, eighths.row[2] / 8.0};
}

}  // namespace

Model ModelW() {
  return {.vocab = 3,
          .drafts = 2,
          .target =
              [](std::span<const int32_t> prefix) {
                if (prefix.empty()) return Row(kTarget1);
                return Row((prefix.size() == 1 ? kTarget2 : kTarget3)[prefix.back()]);
              },
          .draft =
              [](std::span<const int32_t> prefix) {
                return Row(prefix.empty() ? kDraft1 : kDraft2[prefix[0]]);
              }};
}

Model MaskedModelW() {
  Model model = ModelW();
  model.target = [whole = model.target](std::span<const int32_t> prefix) {
    std::vector<double> row = whole(prefix);
    const int32_t banned =
        prefix.empty() ? kBanned1 : (prefix.size() == 1 ? kBanned2 : kBanned3)[prefix.back()];
    const double left = 1 - std::exchange(row[static_cast<size_t>(banned)], 0.0);
    for (double& p : row) p /= left;
    return row;
  };
  return model;
}

Tree ModelWTree() {
  return {.candidates = kCandidates,
          .next_token = kNextToken,
          .next_sibling = kNextSibling,
          .width = 3};
}

}  // namespace assay
