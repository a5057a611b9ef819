// Batches of 1,025 and 65,537 rows are right in every row. In fp32 alone: how rows are numbered
// does not hang on their dtype.

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"
#include "conformance/show.h"

namespace assay {
namespace {

// Rows repeat with this period: none of the powers of two at which indices wrap, nor a warp's rows.
constexpr int64_t kPeriod = 31;

// One-hot rows (where there are values), the token moving from row to row: the result does not hang
// on the random stream or on the order of sums, so that it is known under every profile.
Inputs OneHotRows(const Case& at, const Trial& t) {
  Case base = at;
  base.rows = kPeriod;
  base.family = family::kOneHot;
  Inputs in = AnyInputs(base, t);
  if (t.operation().reads == Reads::kFixed) return in;
  const bool logits = t.operation().reads == Reads::kLogits;
  Tensor& rows = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < rows.rows(); ++r) {
    std::vector<double> row(static_cast<size_t>(at.vocab), logits ? -HUGE_VAL : 0.0);
    row[static_cast<size_t>((r * 5 + at.seed % 7) % at.vocab)] = logits ? 0.0 : 1.0;
    rows.SetRow(r, row);
  }
  AllowAll(in, t);
  if (in.tensors.count("top_p"))  // most rows without the work of a cut
    for (int64_t r = 0; r < kPeriod; ++r) in.tensors.at("top_p").Set(0, r, r % 8 == 3 ? 0.5 : 1);
  return in;
}

// Integers exactly; values, which are 0, 1 or a logarithm of those, within the error of an
// approximate reciprocal.
bool Close(const Tensors& got, int64_t row, const Tensors& want, int64_t want_row) {
  for (const auto& [name, tensor] : got) {
    const Tensor& other = want.at(name);
    const bool vector = tensor.ndim() == 1;
    for (int64_t c = 0; c < (vector ? 1 : tensor.cols()); ++c) {
      const int64_t r = vector ? 0 : row, wr = vector ? 0 : want_row;
      const int64_t col = vector ? row : c, want_col = vector ? want_row : c;
      if (tensor.Bits(r, col) == other.Bits(wr, want_col)) continue;
      if (!IsFloat(tensor.dtype())) return false;
      const double x = tensor.Get(r, col), y = other.Get(wr, want_col);
      if (!(std::fabs(x - y) <= 0x1p-21)) return false;
    }
  }
  return true;
}

// What Case::special says: shrinking would try dozens of batches in between.
int64_t RowsOf(const Case& at, const Context& context) {
  const int64_t rows = at.special == 0 ? 1025 : 65537, most = context.subject->max_rows;
  return most > 0 ? std::min(rows, most) : rows;
}

void LargeBatch(const Case& at, Trial& t) {
  const Inputs few = OneHotRows(at, t);
  const auto want = t.Call(few);
  if (!want) return;
  const int64_t count = RowsOf(at, t.context());
  std::vector<int64_t> rows(static_cast<size_t>(count));
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<int64_t>(r) % kPeriod;
  const auto out = t.Call(TakeRows(few, rows, t));
  if (t.unsupported()) return;
  t.Require("BUF-BATCH-LARGE", out.has_value(), [&] {
    return Finding{std::to_string(count) + " rows", "a call that keeps its promises",
                   "see the other findings"};
  });
  const bool bits = t.profile().batch == Batch::kInvariant;
  for (int64_t r = 0; out && r < count; ++r) {
    const int64_t same = rows[static_cast<size_t>(r)];
    const auto differs = RowDiffers(*out, r, *want, same);
    t.Require("BUF-BATCH-LARGE", !differs || (!bits && Close(*out, r, *want, same)), [&] {
      Finding finding = *differs;
      finding.place += ", the same as row " + std::to_string(same);
      return finding;
    });
  }
}

Domain LargeBatches(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {0, 1}}, {&Case::vocab, {4}}};
  if (context.tier != Tier::kQuick) domain.axes[1].values = {4, 1, 32};
  domain.quick = 0;
  domain.full = 4;
  return domain;
}

std::string FewRows(const Context& context) {
  const int64_t most = context.subject->max_rows;
  return most > 0 && most < 1025 ? "the subject takes " + std::to_string(most) + " rows" : "";
}

}  // namespace

void AddAnyLargeProperties(std::vector<Property>& all) {
  all.push_back({"large_batch",
                 RowOperations(),
                 {{"BUF-BATCH-LARGE", Technique::kMetamorphic}},
                 LargeBatches,
                 LargeBatch,
                 FewRows,
                 true});
}

}  // namespace assay
