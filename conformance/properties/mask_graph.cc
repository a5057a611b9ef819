// apply_token_bitmask in a graph: engines capture it once, and every step brings other masks and
// other lists of rows.

#include <array>
#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

std::vector<int32_t> SomeOf(int64_t rows, int64_t count, CaseRandom random) {
  std::vector<int32_t> list = Permutation(rows, random);
  list.resize(static_cast<size_t>(count));
  return list;
}

// Case::place pairs; which rows they are depends on the step.
Inputs StepCall(Case at, int64_t step, const Trial& t) {
  at.seed += step;
  Inputs in;
  in.rows = at.rows;
  in.tensors = {{"logits", mask::Logits(at, t, mask::kPlain)},
                {"bitmask", mask::RandomMasks(at, at.rows, mask::Words(at.vocab), 121)},
                {"logit_rows", mask::Indices(SomeOf(at.rows, at.place, CaseRandom(at, 0, 122)))}};
  if (!mask::SharesList(t.profile()))
    in.tensors["mask_rows"] = mask::Indices(SomeOf(at.rows, at.place, CaseRandom(at, 0, 123)));
  return in;
}

void LaunchesSeeTheirRows(const Case& at, Trial& t) {
  std::array<Inputs, 4> calls;
  std::array<Tensors, 4> alone;
  for (size_t i = 0; i < calls.size(); ++i) {
    calls[i] = StepCall(at, static_cast<int64_t>(i % 3), t);
    auto out = t.Call(calls[i]);
    if (!out) return;
    alone[i] = std::move(*out);
  }
  const auto out = t.CallAll(Mode::kGraph, calls);
  for (size_t i = 0; out && i < alone.size(); ++i)
    RequireSame(t, "MASK-EXEC-GRAPH", alone[i], (*out)[i],
                "launch " + std::to_string(i + 1) + " of the graph of the first call");
}

Domain Steps(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {1000, 33, 4097}, {50000}},
                 {&Case::rows, {9, 5, 64}},
                 {&Case::place, {3, 1, 5}}};
  domain.quick = 4;
  domain.full = 40;
  return domain;
}

}  // namespace

void AddMaskGraphProperties(std::vector<Property>& all) {
  Property property = {
      "mask_graph", {"apply_token_bitmask"}, {{"MASK-EXEC-GRAPH", Technique::kMetamorphic}},
      Steps,        LaunchesSeeTheirRows,    mask::NoRowMaps};
  property.device_only = true;
  all.push_back(std::move(property));
}

}  // namespace assay
