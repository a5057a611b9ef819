// gather_and_expand_scalars: a row's slot, bit for bit, n times.

#include <bit>
#include <string>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/rule_checks.h"
#include "conformance/trial.h"
#include "reference/processors.h"

namespace assay {
namespace {

constexpr std::string_view kGather = "gather_and_expand_scalars";

// What row entries of a pool's output are where the slot does not exist.
uint64_t Neutral(std::string_view pool) {
  constexpr SlotScalars kNeutral;
  if (pool == "temperature_pool") return std::bit_cast<uint32_t>(kNeutral.temperature);
  if (pool == "top_p_pool") return std::bit_cast<uint32_t>(kNeutral.top_p);
  if (pool == "min_p_pool") return std::bit_cast<uint32_t>(kNeutral.min_p);
  if (pool == "top_k_pool") return static_cast<uint32_t>(kNeutral.top_k);
  return static_cast<uint64_t>(pool == "seed_pool" ? kNeutral.seed : kNeutral.offset);
}

std::string Hex(uint64_t bits) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (; bits; bits >>= 4) text.insert(text.begin(), kDigits[bits & 15]);
  return "bits 0x" + (text.empty() ? "0" : text);
}

std::optional<Finding> WrongRow(const Trial& t, const Inputs& in, const Tensors& out, int64_t r) {
  const int64_t slot = in.tensors.at("index").GetInt(r);
  const RowStatus status = SlotStatus(slot, in.tensors.at("seed_pool").cols());
  if (auto wrong = WrongStatus(t, out, r, status)) return wrong;
  for (const ArgField& field : t.operation().fields) {
    if (!field.name.ends_with("_pool")) continue;
    const Tensor& pool = in.tensors.at(field.name);
    const uint64_t want = status == RowStatus::kOk ? pool.Bits(0, slot) : Neutral(field.name);
    const std::string name(field.name.substr(0, field.name.size() - 5));
    const Tensor& got = out.at(FindField(t.operation(), name + "_out")->name);
    for (int64_t c = 0; c < got.cols(); ++c)
      if (got.Bits(r, c) != want)
        return Finding{name + " row " + std::to_string(r) + " column " + std::to_string(c) +
                           ", slot " + std::to_string(slot),
                       Hex(want), Hex(got.Bits(r, c))};
  }
  return std::nullopt;
}

// Case::special: rows backwards through the slots; any slots, repeats among them; one slot.
void RowsAreTheirSlots(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  CaseRandom random(at, 0, 75);
  for (int64_t r = 0; at.special > 0 && r < at.rows; ++r)
    in.tensors.at("index").SetInt(r, at.special == 1 ? random.Below(SlotsOf(at)) : at.rows);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto wrong = WrongRow(t, in, *out, r);
    t.Require("PROC-GATHER-ROW", !wrong, [&] { return *wrong; });
  }
}

// Every other row's slot lies outside the pools.
void UnknownSlots(const Case& at, Trial& t) {
  const int64_t unknown[] = {-1, SlotsOf(at), INT32_MIN, INT32_MAX};
  Inputs in = TypicalInputs(at, t);
  for (int64_t r = 0; r < at.rows; r += 2) in.tensors.at("index").SetInt(r, unknown[at.special]);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto wrong =
        r % 2 == 0 ? WrongRow(t, in, *out, r) : WrongStatus(t, *out, r, RowStatus::kOk);
    t.Require("ROBUST-PARAM-REFUSE", !wrong, [&] { return *wrong; });
  }
}

Domain Gathers(std::vector<int64_t> specials) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::rows, {2, 1, 5, 33}},
                 {&Case::vocab, {3, 1, 2, 8, 33}},  // columns
                 {&Case::special, std::move(specials)}};
  domain.quick = 30;
  domain.full = 400;
  return domain;
}
Domain KnownSlotRows(const Context&) { return Gathers({0, 1, 2}); }
Domain UnknownSlotRows(const Context&) { return Gathers({0, 1, 2, 3}); }

}  // namespace

void AddGatherProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> gather = {kGather};
  all.push_back({"gather_rows",
                 gather,
                 {{"PROC-GATHER-ROW", Technique::kExact}},
                 KnownSlotRows,
                 RowsAreTheirSlots});
  all.push_back({"gather_unknown_slots",
                 gather,
                 {{"ROBUST-PARAM-REFUSE", Technique::kExact}},
                 UnknownSlotRows,
                 UnknownSlots,
                 BadParameterUnsupported});
}

}  // namespace assay
