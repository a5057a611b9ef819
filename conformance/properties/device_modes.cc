// What holds for any operation of a subject on a device: its work is on the call's stream; other
// work beside a call, calls before it, calls at once and launches of a graph do not change its
// bits.

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/properties/all.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

// Each field by itself: a call is made a dozen times, and beside work that takes longer than it.
Domain SmallCalls(const Context& context) {
  Domain domain;
  domain.axes = AnyAxes(context, {3, 1, 9}, {1000, 5, 4097, 50000});
  for (Axis& axis : domain.axes) {
    axis.alone.assign(axis.values.begin() + 1, axis.values.end());
    axis.values.resize(1);
  }
  domain.max_elements = 1 << 16;
  domain.quick = 4;
  domain.full = 60;
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

// ---- Graphs, and streams of other calls.

Case WithSeed(Case at, int64_t more) {
  at.seed += more;
  return at;
}

bool SameShapes(const Inputs& a, const Inputs& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.ndim() == y.second.ndim() &&
           x.second.rows() == y.second.rows() && x.second.cols() == y.second.cols();
  });
}

// Other bytes in tensors of the same shapes; what goes by value stays. `first` itself if none of a
// few draws of the lists and requests has its shapes.
Inputs OtherBytes(const Case& at, const Inputs& first, const Trial& t) {
  constexpr int kTries = 40;
  for (int more = 1; more <= kTries; ++more) {
    Inputs other = AnyInputs(WithSeed(at, more), t);
    if (!SameShapes(first, other)) continue;
    other.numbers = first.numbers;
    for (auto& [name, tensor] : other.tensors)
      if (tensor.ndim() == 0) tensor = first.tensors.at(name);
    return other;
  }
  return first;
}

// The same call from other places of other streams.
Inputs Reseeded(const Inputs& first) {
  Inputs other = first;
  for (auto& [name, tensor] : other.tensors) {
    if (name != "seed" && name != "offset") continue;
    for (int64_t i = 0; i < tensor.cols(); ++i)
      tensor.SetBits(0, i, tensor.Bits(0, i) ^ (name == "seed" ? 0x5EED : 8));
  }
  return other;
}
Inputs OtherOffsets(const Inputs& first) {
  Inputs other = Reseeded(first);
  if (const auto seed = other.tensors.find("seed"); seed != other.tensors.end())
    seed->second = first.tensors.at("seed");
  return other;
}

// Each call by itself; empty unless all are good.
std::vector<Tensors> Alone(std::span<const Inputs> calls, Trial& t) {
  std::vector<Tensors> all;
  for (const Inputs& in : calls) {
    auto out = t.Call(in);
    if (!out) return {};
    all.push_back(std::move(*out));
  }
  return all;
}

void ReplaysAreCalls(const Case& at, Trial& t) {
  const Inputs first = AnyInputs(at, t);
  const Inputs calls[] = {first, OtherBytes(at, first, t), OtherOffsets(first), Reseeded(first),
                          first};
  const std::vector<Tensors> alone = Alone(calls, t);
  if (alone.empty()) return;
  const auto out = t.CallAll(Mode::kGraph, calls);
  t.Require("BUF-STREAM-ORDER", out.has_value(), [] {
    return Finding{"capture", "a call that a graph holds and repeats", "see the other findings"};
  });
  for (size_t i = 0; out && i < alone.size(); ++i)
    RequireSame(t, "DET-GRAPH-EAGER", alone[i], (*out)[i],
                "launch " + std::to_string(i + 1) + " of the graph of the first call");
  if (out)
    RequireSame(t, "DET-GRAPH-STATE", out->front(), out->back(),
                "the first launch's bytes again, after three others");
}

void CallsAtOnceAreAlone(const Case& at, Trial& t) {
  const Inputs first = AnyInputs(at, t);
  const Inputs calls[] = {first, AnyInputs(WithSeed(at, 1), t), first};
  const std::vector<Tensors> alone = Alone(calls, t);
  for (int again = 0; !alone.empty() && again < 4; ++again) {
    const auto out = t.CallAll(Mode::kTogether, calls);
    if (!out) return;
    for (size_t i = 0; i < alone.size(); ++i)
      RequireSame(t, "DET-STREAMS-TWO", alone[i], (*out)[i], "beside two more calls");
  }
}

// Work elsewhere begins before the inputs are there, and outputs are poisoned after it.
void WorkIsOnTheStream(const Case& at, Trial& t) {
  const Inputs first = AnyInputs(at, t), other = OtherBytes(at, first, t);
  const Inputs calls[] = {first, other, first, other};
  const std::vector<Tensors> alone = Alone(std::span(calls).first(2), t);
  if (alone.empty()) return;
  const auto out = t.CallAll(Mode::kBehind, calls);
  t.Require("BUF-STREAM-ORDER", out.has_value(), [] {
    return Finding{"call behind other work", "a call that keeps its promises",
                   "see the other findings"};
  });
  for (size_t i = 0; out && i < out->size(); ++i)
    RequireSame(t, "BUF-STREAM-ORDER", alone[i % 2], (*out)[i],
                "behind work on its stream that ends before its inputs are written");
}

std::string NoWorkspace(const Context& context) {
  const auto bytes = context.subject->workspace_bytes;
  return bytes && bytes(1, 1) > 0 ? "" : "the subject uses no workspace";
}

Property OnDevice(std::string_view name, std::vector<Claim> claims,
                  void (*check)(const Case&, Trial&),
                  std::string (*unsupported)(const Context&) = nullptr) {
  Property property = {name, AnyOperation(), std::move(claims), SmallCalls, check, unsupported};
  property.device_only = true;
  return property;
}

}  // namespace

void AddDeviceModeProperties(std::vector<Property>& all) {
  constexpr Technique kSame = Technique::kMetamorphic;
  all.push_back(OnDevice("beside_other_work", {{"DET-RUN-REPEAT", kSame}}, OtherWorkDoesNotMatter));
  all.push_back(OnDevice("workspace_history", {{"BUF-WORKSPACE-ANY", kSame}}, HistoryDoesNotMatter,
                         NoWorkspace));
  all.push_back(OnDevice("graph_replays",
                         {{"DET-GRAPH-EAGER", kSame},
                          {"DET-GRAPH-STATE", kSame},
                          {"BUF-STREAM-ORDER", Technique::kBounds}},
                         ReplaysAreCalls));
  all.push_back(OnDevice("calls_at_once", {{"DET-STREAMS-TWO", kSame}}, CallsAtOnceAreAlone));
  all.push_back(OnDevice("behind_other_work", {{"BUF-STREAM-ORDER", kSame}}, WorkIsOnTheStream));
}

}  // namespace assay
