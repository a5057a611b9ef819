// What holds for any operation of a subject on a device: other work beside a call, and calls before
// it, do not change its bits.

#include <string>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

Domain SmallCalls(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, {2, 1, 3, 9}, {5, 1, 31, 128, 1000, 1025, 4097, 50000});
  domain.max_elements = 1 << 16;
  domain.quick = 8;
  domain.full = 200;
  return domain;
}

void OtherWorkDoesNotMatter(const Case& at, Trial& t) {
  const Inputs in = AnyInputs(at, t);
  const auto first = t.Call(in);
  for (int again = 0; first && again < 4; ++again) {
    const auto out = t.CallAll(Mode::kBusy, {&in, 1});
    if (!out) return;
    RequireSame(t, "DET-RUN-REPEAT", *first, out->front(),
                "on another stream, beside work on two more");
  }
}

// The same workspace serves a call of another shape in between.
void HistoryDoesNotMatter(const Case& at, Trial& t) {
  Inputs in = AnyInputs(at, t);
  Case smaller = at;
  smaller.rows = at.rows / 2 + 1;
  smaller.vocab = at.vocab / 2 + 1;
  const auto first = t.Call(in);
  in.keep_workspace = true;
  for (const Case& before : {smaller, at}) {
    Inputs other = AnyInputs(before, t);
    other.keep_workspace = true;
    if (!first || !t.Call(other)) return;
    const auto out = t.Call(in);
    if (!out) return;
    RequireSame(t, "BUF-WORKSPACE-ANY", *first, *out,
                "in the workspace as a call of " + std::to_string(before.rows) + " rows of " +
                    std::to_string(before.vocab) + " tokens left it");
  }
}

std::string NoWorkspace(const Context& context) {
  const auto bytes = context.subject->workspace_bytes;
  return bytes && bytes(1, 1) > 0 ? "" : "the subject uses no workspace";
}

Property OnDevice(std::string_view name, std::string_view requirement,
                  void (*check)(const Case&, Trial&),
                  std::string (*unsupported)(const Context&) = nullptr) {
  Property property = {name,       AnyOperation(), {{requirement, Technique::kMetamorphic}},
                       SmallCalls, check,          unsupported};
  property.device_only = true;
  return property;
}

}  // namespace

void AddDeviceModeProperties(std::vector<Property>& all) {
  all.push_back(OnDevice("beside_other_work", "DET-RUN-REPEAT", OtherWorkDoesNotMatter));
  all.push_back(
      OnDevice("workspace_history", "BUF-WORKSPACE-ANY", HistoryDoesNotMatter, NoWorkspace));
}

}  // namespace assay
