#include "conformance/properties/transform.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "conformance/show.h"
#include "conformance/verify/answers.h"
#include "conformance/verify/cases.h"

namespace assay {
namespace {

// Element i of a row tensor's row axis: a row of a matrix, an entry of a vector.
void CopyRow(const Tensor& from, int64_t from_row, Tensor& to, int64_t to_row) {
  if (from.ndim() == 1) return to.SetBits(0, to_row, from.Bits(0, from_row));
  to.CopyRow(to_row, from, from_row);
}

int64_t RowsOf(const Tensor& tensor) { return tensor.ndim() == 1 ? tensor.cols() : tensor.rows(); }

Tensor Sized(const Tensor& like, int64_t rows) {
  if (like.ndim() == 1) return Tensor::Vector(like.dtype(), rows, like.layout());
  return Tensor::Matrix(like.dtype(), rows, like.cols(), like.layout());
}

// Whether a tensor of the call has an entry for each row: it may be a scalar.
bool MovesWithRows(const Trial& trial, std::string_view name, const Tensor& tensor) {
  return tensor.ndim() > 0 && HasRowAxis(*FindField(trial.operation(), name));
}

std::string BitsText(const Tensor& tensor, int64_t row, int64_t col) {
  if (!IsFloat(tensor.dtype()) && tensor.dtype() != DType::kU8)
    return std::to_string(tensor.GetInt(row, col));
  if (tensor.dtype() == DType::kU8) return std::to_string(tensor.Bits(row, col));
  char hex[32];
  std::snprintf(hex, sizeof hex, " (0x%llx)",
                static_cast<unsigned long long>(tensor.Bits(row, col)));
  return Show(tensor.Get(row, col)) + hex;
}

}  // namespace

std::vector<std::string_view> AnyOperation() {
  std::vector<std::string_view> names;
  for (const Operation& operation : Operations()) names.push_back(operation.name);
  return names;
}

std::vector<std::string_view> RowOperations() {
  std::vector<std::string_view> names = AnyOperation();
  std::erase_if(names, [](std::string_view name) { return IsVerifier(FindOperation(name)); });
  return names;
}

Inputs AnyInputs(const Case& at, const Trial& trial) {
  if (IsVerifier(trial.operation()))
    return WithLayout(VerifyCall(RandomBatch(at, trial), trial), {at.pad, 0, at.misalign});
  Inputs in = TypicalInputs(at, trial);
  if (trial.operation().reads != Reads::kLogits) return in;
  Tensor& logits = in.tensors.at(RowsField(trial.operation()));
  for (int64_t r = 0; r < logits.rows(); ++r) {
    std::vector<double> row = logits.Row(r);
    for (double& x : row) x = std::log(x);
    logits.SetRow(r, row);
  }
  return in;
}

void AllowAll(Inputs& in, const Trial& trial) {
  const ArgField* mask = FindField(trial.operation(), "bitmask");
  if (mask && mask->role == Role::kOptional) in.tensors.at("bitmask").FillData(0xFF);
}

Inputs TakeRows(const Inputs& from, const std::vector<int64_t>& rows, const Trial& trial) {
  Inputs to = from;
  to.rows = std::ssize(rows);
  for (auto& [name, tensor] : to.tensors) {
    const Tensor& source = from.tensors.at(name);
    if (!MovesWithRows(trial, name, source)) continue;
    tensor = Sized(source, std::ssize(rows));
    for (size_t i = 0; i < rows.size(); ++i)
      CopyRow(source, rows[i], tensor, static_cast<int64_t>(i));
  }
  return to;
}

namespace {

// The entries of `tensor`, then those of `added`.
Tensor Joined(const Tensor& tensor, const Tensor& added) {
  const int64_t own = RowsOf(tensor), more = RowsOf(added);
  Tensor joined = Sized(tensor, own + more);
  for (int64_t i = 0; i < own; ++i) CopyRow(tensor, i, joined, i);
  for (int64_t i = 0; i < more; ++i) CopyRow(added, i, joined, own + i);
  return joined;
}

// Where the runs of a ragged list begin, and then those of a list that is put behind it.
Tensor JoinedBegins(const Tensor& begins, const Tensor& added) {
  Tensor joined = Sized(begins, begins.cols() + added.cols() - 1);
  const int64_t end = begins.cols() - 1, shift = begins.GetInt(end);
  for (int64_t i = 0; i < end; ++i) CopyRow(begins, i, joined, i);
  for (int64_t i = 0; i < added.cols(); ++i) joined.SetInt(end + i, shift + added.GetInt(i));
  return joined;
}

// The slots of `second`, then those of `first`, and the rows' slots renumbered.
void JoinPools(const Inputs& first, Inputs& to, const std::vector<bool>& from_first,
               const Trial& trial) {
  int64_t own = 0;
  for (auto& [name, tensor] : to.tensors) {
    const std::string_view shape = FindField(trial.operation(), name)->shape;
    if (tensor.ndim() == 0 || (shape.front() != 'P' && shape.front() != 'X')) continue;
    if (shape == "P") own = tensor.cols();
    const Tensor& added = first.tensors.at(name);
    tensor = shape.ends_with("+1") ? JoinedBegins(tensor, added) : Joined(tensor, added);
  }
  auto slots = to.tensors.find("param_rows");
  if (slots == to.tensors.end()) slots = to.tensors.find("index");
  if (slots == to.tensors.end()) return;
  for (size_t r = 0; r < from_first.size(); ++r) {
    const auto row = static_cast<int64_t>(r);
    if (from_first[r]) slots->second.SetInt(row, own + slots->second.GetInt(row));
  }
}

}  // namespace

Inputs MixRows(const Inputs& first, const Inputs& second, const std::vector<bool>& from_first,
               const Trial& trial) {
  Inputs to = second;
  for (auto& [name, tensor] : to.tensors) {
    if (!MovesWithRows(trial, name, tensor)) continue;
    for (int64_t r = 0; r < RowsOf(tensor); ++r)
      if (from_first[static_cast<size_t>(r)]) CopyRow(first.tensors.at(name), r, tensor, r);
  }
  JoinPools(first, to, from_first, trial);
  return to;
}

Tensor Copied(const Tensor& from, Layout layout) {
  if (from.ndim() == 0) return from;
  Tensor to = from.ndim() == 1 ? Tensor::Vector(from.dtype(), from.cols(), layout)
                               : Tensor::Matrix(from.dtype(), from.rows(), from.cols(), layout);
  for (int64_t r = 0; r < RowsOf(from); ++r) CopyRow(from, r, to, r);
  return to;
}

Inputs WithLayout(const Inputs& from, const NewLayout& layout) {
  Inputs to = from;
  int64_t pad = layout.pad;
  const auto next = [&] {
    const Layout made{pad, layout.misalign};
    pad += layout.step;
    return made;
  };
  for (auto& [name, tensor] : to.tensors) {
    if (tensor.ndim() == 0) continue;
    tensor = Copied(tensor, tensor.ndim() == 1 ? Layout{0, layout.misalign} : next());
  }
  to.out_layout = next();
  return to;
}

namespace {

// Where a row of two tensors differs in bits.
std::optional<Finding> EntryDiffers(std::string_view name, const Tensor& tensor, int64_t row,
                                    const Tensor& other, int64_t other_row) {
  const bool vector = tensor.ndim() == 1;
  if (!vector && tensor.SameRow(row, other, other_row)) return std::nullopt;
  for (int64_t c = 0; c < (vector ? 1 : tensor.cols()); ++c) {
    const int64_t r = vector ? 0 : row, wr = vector ? 0 : other_row;
    const int64_t col = vector ? row : c, want_col = vector ? other_row : c;
    if (tensor.Bits(r, col) == other.Bits(wr, want_col)) continue;
    std::string place = std::string(name) + " row " + std::to_string(row);
    if (!vector) place += " column " + std::to_string(c);
    return Finding{place, BitsText(other, wr, want_col), BitsText(tensor, r, col)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> RowDiffers(const Tensors& got, int64_t row, const Tensors& want,
                                  int64_t want_row) {
  for (const auto& [name, tensor] : got)
    if (auto differs = EntryDiffers(name, tensor, row, want.at(name), want_row)) return differs;
  return std::nullopt;
}

void RequireSame(Trial& trial, std::string_view requirement, const Tensors& want,
                 const Tensors& got, const std::string& how) {
  const Tensors specified = Specified(want, trial);
  for (const auto& [name, tensor] : Specified(got, trial))
    for (int64_t r = 0; r < RowsOf(tensor); ++r) {
      const auto differs = EntryDiffers(name, tensor, r, specified.at(name), r);
      trial.Require(requirement, !differs, [&] {
        Finding finding = *differs;
        finding.place += ", " + how;
        return finding;
      });
    }
}

std::vector<Axis> AnyAxes(const Context& context, std::vector<int64_t> rows,
                          std::vector<int64_t> vocab) {
  std::vector<Axis> axes = {
      {&Case::family, {family::kDyadic, family::kTies, family::kNormal, family::kPeaked}},
      {&Case::vocab, std::move(vocab)},
      {&Case::rows, std::move(rows)}};
  for (const ArgField& field : context.operation->fields) {
    if (field.name == "top_k") axes.push_back({&Case::top_k, {3, 1, 0, 40}});
    if (field.name == "top_p") axes.push_back({&Case::top_p, {1, 0, 5}});
    if (field.name == "min_p") axes.push_back({&Case::min_p, {1, 0, 3}});
    if (field.name == "temperature") axes.push_back({&Case::temperature, {0, 1, 5}});
    if (field.name == "history" || field.name == "transitions")
      axes.push_back({&Case::history, {5, 0, 12}});
    if (field.name == "offset") axes.push_back({&Case::offset, {0, 1, 6}});
    if (field.name == "row_offsets") axes.push_back({&Case::drafts, {2, 0, 5}});
    if (field.name == "filter_order")
      axes.push_back({&Case::order, {ASSAY_ORDER_TOP_K_FIRST, ASSAY_ORDER_JOINT}});
  }
  return axes;
}

std::vector<int64_t> WithBreakpoints(std::vector<int64_t> values, const Context& context,
                                     int64_t largest) {
  const int64_t* breakpoint = context.subject->breakpoints;
  for (; breakpoint && *breakpoint != 0; ++breakpoint)
    for (int64_t value = *breakpoint - 1; value <= *breakpoint + 1; ++value)
      if (value >= 1 && value <= largest &&
          std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
  return values;
}

}  // namespace assay
