// What holds for any operation, whatever the profile: the same call in other memory gives the same
// bits.

#include <algorithm>
#include <array>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

Domain SmallCalls(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, {2, 1, 3, 9}, {5, 1, 31, 128, 1000, 1025, 4097});
  domain.max_elements = 1 << 13;
  domain.quick = 8;
  domain.full = 200;
  return domain;
}

// Twelve in a row: a race that shows in some runs only has more chances.
void Repeats(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  for (int again = 2; first && again <= 12; ++again) {
    const auto out = t.Call(in);
    if (!out) return;
    RequireSame(t, "DET-RUN-REPEAT", *first, *out, "call " + std::to_string(again));
  }
}

// Guards and padding columns of every input: 0, large finite numbers, NaN.
void FrameDoesNotMatter(const Case& at, Trial& t) {
  Inputs in = AnyInputs(at, t);
  std::optional<Tensors> first;
  for (const int pattern : {0xFF, 0x00, 0x7A}) {
    for (auto& [name, tensor] : in.tensors) tensor.FillFrame(static_cast<uint8_t>(pattern));
    const auto out = t.Call(in);
    if (!out) return;
    if (first)
      RequireSame(t, "BUF-GUARD-READ", *first, *out,
                  "bytes outside the inputs " + std::to_string(pattern) + ", not 255");
    else
      first = out;
  }
}

Domain PaddedCalls(const Context& context) {
  Domain domain = SmallCalls(context);
  domain.axes.push_back({&Case::pad, {3, 0, 1, 8}});
  return domain;
}

void WorkspaceDoesNotMatter(const Case& at, Trial& t) {
  Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  for (const int content : {0x00, 0xFF}) {
    in.workspace = static_cast<uint8_t>(content);
    if (!first) return;
    const auto out = t.Call(in);
    if (!out) return;
    RequireSame(t, "BUF-WORKSPACE-ANY", *first, *out,
                "workspace bytes " + std::to_string(content) + ", not 127");
  }
}

std::string NoWorkspace(const Context& context) {
  const auto bytes = context.subject->workspace_bytes;
  return bytes && bytes(1, 1) > 0 ? "" : "the subject uses no workspace";
}

// Elements that a row start may be moved by.
int64_t ElementStep(const Trial& t) {
  const auto element = static_cast<int64_t>(SizeOf(t.dtype()));
  return std::max<int64_t>(t.context().subject->alignment / element, 1);
}

// Each matrix with a stride of its own.
void StridesAreFollowed(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  if (!first) return;
  const auto out =
      t.Call(WithLayout(in, {at.pad + at.special * ElementStep(t), ElementStep(t), 0}));
  if (out) RequireSame(t, "BUF-STRIDE-ROWS", *first, *out, "rows further apart than their width");
}

Domain StridedCalls(const Context& context) {
  Domain domain = SmallCalls(context);
  domain.axes.push_back({&Case::special, {1, 0, 3, 8, 30}});
  return domain;
}

std::string NoStrides(const Context& context) {
  return context.subject->flags & ASSAY_ROW_STRIDE ? "" : "the subject takes contiguous rows only";
}

// So far apart that the last row begins at 2^31 or 2^32 elements.
void FarRowsAreReached(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  if (!first) return;
  const int64_t apart = (int64_t{1} << (31 + at.special)) / std::max<int64_t>(at.rows - 1, 1);
  const auto out = t.Call(WithLayout(in, {apart, ElementStep(t), 0}));
  if (out) RequireSame(t, "BUF-SIZE-2G", *first, *out, "rows past 2^31 elements");
}

Domain FarCalls(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, {3, 2}, {1000, 5});
  domain.axes.push_back({&Case::special, {0, 1}});
  domain.sweep_only = true;
  return domain;
}

bool HasMatrix(std::string_view name) {
  return std::ranges::any_of(FindOperation(name).fields, [](const ArgField& field) {
    return field.shape.find(' ') != std::string_view::npos;
  });
}

void AnyBaseWillDo(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  if (!first) return;
  const int64_t shift = at.special * ElementStep(t);
  const auto out = t.Call(WithLayout(in, {at.pad, 0, shift}));
  if (out)
    RequireSame(t, "BUF-ALIGN-BASE", *first, *out,
                "base shifted by " + std::to_string(shift) + " elements");
}

Domain ShiftedCalls(const Context& context) {
  Domain domain = SmallCalls(context);
  domain.axes.push_back({&Case::special, {1, 2, 3, 5, 8, 15}});
  return domain;
}

// A scalar parameter against a tensor that holds it in every row.
void ScalarIsEveryRow(const Case& at, Trial& t) {
  Case scalar = at;
  scalar.scalar = 1;
  Inputs in = AnyInputs(scalar, t);
  const auto first = t.Call(in);
  if (!first) return;
  for (auto& [name, tensor] : in.tensors) {
    if (tensor.ndim() > 0) continue;
    const bool pool = FindField(t.operation(), name)->shape == "P";
    Tensor rows = Tensor::Vector(tensor.dtype(), pool ? SlotsOf(at) : at.rows);
    for (int64_t r = 0; r < rows.cols(); ++r) rows.SetBits(0, r, tensor.Bits(0, 0));
    tensor = rows;
  }
  const auto out = t.Call(in);
  if (out) RequireSame(t, "PROC-ORDER-PATHS", *first, *out, "the parameter in every row");
}

Domain ScalarCalls(const Context& context) {
  Domain domain = SmallCalls(context);
  for (Axis& axis : domain.axes)
    if (axis.field == &Case::rows) axis.values = {2, 1, 9, 33, 129};
  return domain;
}

bool HasScalarParameter(const Operation& operation) {
  constexpr std::string_view kParameters[] = {"temperature", "top_k", "top_p", "min_p"};
  return !IsVerifier(operation) && std::ranges::any_of(kParameters, [&](std::string_view name) {
    return FindField(operation, name) != nullptr;
  });
}

std::string NoScalars(const Context& context) {
  return context.subject->flags & ASSAY_SCALAR_PARAMS ? ""
                                                      : "the subject takes no scalar parameters";
}

// No rows at all; `special`: distribution rows without an output row.
void NoRowsIsNoWork(const Case& at, Trial& t) {
  Case none = at;
  none.rows = 0;
  Inputs in = AnyInputs(none, t);
  if (at.special && FindField(t.operation(), "indices") && t.Has(ASSAY_INDICES)) {
    Case one = at;
    one.rows = 1;
    const bool by_output = t.profile().param_index == ParamIndex::kOutputRow;
    for (const ArgField& field : t.operation().fields)
      if (field.shape.starts_with(by_output ? "N V" : "N") && in.tensors.count(field.name))
        in.tensors[field.name] = AnyInputs(one, t).tensors.at(field.name);
    in.tensors["indices"] = Tensor::Vector(DType::kI32, 0);
  }
  const bool held = t.Call(in).has_value();
  if (t.unsupported()) return;
  t.Require("BUF-BATCH-ZERO", held, [] {
    return Finding{"call without rows", "ASSAY_OK and nothing written", "something else"};
  });
}

Domain EmptyCalls(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {8, 1, 33, 4097}}, {&Case::scalar, {0, 1}}};
  for (const ArgField& field : context.operation->fields)
    if (field.name == "indices") domain.axes.push_back({&Case::special, {0, 1}});
  domain.quick = 0;
  domain.full = 10;
  return domain;
}

std::string NoEmptyCalls(const Context& context) {
  return context.subject->flags & ASSAY_ZERO_ROWS ? "" : "the subject takes no empty batches";
}

Property Same(std::string_view name, std::string_view requirement, Domain (*domain)(const Context&),
              void (*check)(const Case&, Trial&),
              std::string (*unsupported)(const Context&) = nullptr) {
  return {name,   AnyOperation(), {{requirement, Technique::kMetamorphic}},
          domain, check,          unsupported};
}

}  // namespace

void AddAnyMemoryProperties(std::vector<Property>& all) {
  all.push_back(Same("repeat", "DET-RUN-REPEAT", SmallCalls, Repeats));
  all.push_back(Same("frame", "BUF-GUARD-READ", PaddedCalls, FrameDoesNotMatter));
  all.push_back(
      Same("workspace", "BUF-WORKSPACE-ANY", SmallCalls, WorkspaceDoesNotMatter, NoWorkspace));
  all.push_back(Same("stride", "BUF-STRIDE-ROWS", StridedCalls, StridesAreFollowed, NoStrides));
  all.push_back(Same("far_rows", "BUF-SIZE-2G", FarCalls, FarRowsAreReached, NoStrides));
  std::erase_if(all.back().operations, [](std::string_view name) { return !HasMatrix(name); });
  all.push_back(Same("misalign", "BUF-ALIGN-BASE", ShiftedCalls, AnyBaseWillDo));
  all.push_back(Same("scalar", "PROC-ORDER-PATHS", ScalarCalls, ScalarIsEveryRow, NoScalars));
  std::erase_if(all.back().operations,
                [](std::string_view name) { return !HasScalarParameter(FindOperation(name)); });
  all.push_back({"zero_rows",
                 AnyOperation(),
                 {{"BUF-BATCH-ZERO", Technique::kBounds}},
                 EmptyCalls,
                 NoRowsIsNoWork,
                 NoEmptyCalls});
}

}  // namespace assay
