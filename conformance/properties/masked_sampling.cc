// Samplers and argmax behind a token mask: no id that it forbids, at any random number, and nothing
// where it leaves nothing.

#include <string>
#include <vector>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/masked_rows.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/sampling.h"
#include "conformance/properties/transform.h"
#include "conformance/show.h"
#include "reference/sampling.h"

namespace assay {
namespace {

bool Draws(const Operation& operation) { return Has(operation, "seed"); }

std::vector<std::string_view> Emitters() {
  std::vector<std::string_view> names = AllSamplers();
  names.emplace_back("argmax");
  return names;
}

// ---- Support. ----------------------------------------------------------------------------------

// The ends of the stream's domain, where they can be steered to, and some draws by chance. A draft
// writes a row in each.
void AddDraws(const Case& at, int64_t row, bool injected, const Trial& t, SampleBatch& batch) {
  const int64_t by_chance = Has(t.operation(), "draft_probs") ? 1 : 8;
  if (!Draws(t.operation())) return batch.Add(row, 0, 0);
  for (const double u : kEndUniforms)
    if (injected) batch.Add(row, u);
  if (injected) return;
  for (const uint64_t seed : ExtremeSeeds())
    if (!Races(t.operation())) batch.Add(row, seed, 0);
  CaseRandom random(at, row, 113);
  for (int64_t i = 0; i < by_chance; ++i) batch.Add(row, random.Next(), random.Next() >> 8);
}

void OnlyAllowedTokens(const Case& at, Trial& t) {
  for (const bool injected : {false, true}) {
    if (injected && (!t.Has(ASSAY_INJECTED) || !Has(t.operation(), "uniforms"))) continue;
    SampleBatch batch = BatchOf(at, t);
    std::vector<std::vector<int32_t>> allowed;
    for (int64_t r = 0; r < at.rows; ++r) {
      batch.values.SetRow(r, masked::MaskedRow(at, r, t));
      allowed.push_back(masked::AllowedTokens(at, r));
      AddDraws(at, r, injected, t, batch);
    }
    const auto ids = Sample(batch, t);
    if (!ids) return;
    for (size_t i = 0; i < ids->size(); ++i)
      masked::RequireAllowed(allowed[static_cast<size_t>(batch.row[i])], (*ids)[i],
                             RowName(batch.row[i]) + (injected ? " u " + Show(batch.uniforms[i])
                                                               : " draw " + std::to_string(i)),
                             t);
  }
}

// ---- Nothing is allowed. -----------------------------------------------------------------------

// Even rows have no token; calls with and without them.
bool IsEmptied(int64_t row) { return row % 2 == 0; }

std::optional<Finding> NotReported(const Trial& t, const Tensors& out, int64_t r) {
  if (auto wrong = WrongStatus(t, out, r, RowStatus::kEmpty)) return wrong;
  const int64_t id = out.at("ids").GetInt(r), none = EmptyToken(t.profile());
  if (id == none) return std::nullopt;
  return Finding{RowName(r) + ", which allows no token", "token " + std::to_string(none),
                 "token " + std::to_string(id)};
}

// What an emptied row did to row r beside it.
std::optional<Finding> Disturbed(const Trial& t, const Tensors& out, const Tensors& without,
                                 int64_t r) {
  if (auto wrong = WrongStatus(t, out, r, RowStatus::kOk)) return wrong;
  if (t.profile().batch != Batch::kInvariant) return std::nullopt;
  return RowDiffers(out, r, without, r);
}

void EmptyIsReported(const Case& at, Trial& t) {
  constexpr char kClause[] = "MASK-SAMPLE-EMPTY";
  Inputs in = TypicalInputs(at, t);
  Tensor& values = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < at.rows; ++r) values.SetRow(r, masked::MaskedRow(at, r, t));
  const auto without = t.Call(in);
  const double nothing = t.operation().reads == Reads::kLogits ? -HUGE_VAL : 0;
  for (int64_t r = 0; r < at.rows; ++r)
    if (IsEmptied(r)) values.SetRow(r, std::vector<double>(static_cast<size_t>(at.vocab), nothing));
  const auto out = without ? t.Call(in) : without;
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto wrong = IsEmptied(r) ? NotReported(t, *out, r) : Disturbed(t, *out, *without, r);
    t.Require(kClause, !wrong, [&] { return *wrong; });
  }
}

}  // namespace

void AddMaskedSamplingProperties(std::vector<Property>& all) {
  all.push_back(
      {"masked_support",
       Emitters(),
       {{"MASK-SAMPLE-SUPPORT", Technique::kEdge}, {"MASK-SAMPLE-FORCED", Technique::kEdge}},
       masked::MaskedRows,
       OnlyAllowedTokens});
  all.push_back({"masked_empty",
                 Emitters(),
                 {{"MASK-SAMPLE-EMPTY", Technique::kExact}},
                 masked::MaskedRows,
                 EmptyIsReported});
}

}  // namespace assay
