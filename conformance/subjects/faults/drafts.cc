// Wrong drafters: the law that they write is not the one that their token was drawn from.

#include <algorithm>
#include <bit>

#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

// Changes the written row of each draw that was made: change(r, probabilities).
template <class Change>
void EachLaw(SampleArgs args, Change change) {
  for (int64_t r = 0; r < Rows(*args->probs); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    std::vector<double> law;
    for (int64_t c = 0; c < Cols(*args->probs); ++c) law.push_back(Get(*args->probs, r, c));
    change(r, law);
    for (int64_t c = 0; c < Cols(*args->probs); ++c)
      Set(*args->probs, r, c, law[static_cast<size_t>(c)]);
  }
}

int32_t WithTemperature(Call call, SampleArgs args, double factor) {
  return WithParam(Good().draft_sample, call, args, &assay_sample_args::temperature,
                   [&](int64_t, double t) { return t * factor; });
}

// The law before the temperature.
int32_t RawProposal(Call call, SampleArgs args) {
  const int32_t code = Good().draft_sample(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  const Column<float> ones(*args->temperature,
                           std::vector<float>(static_cast<size_t>(Rows(*args->probs)), 1.0f));
  const Copy ids(*args->ids), status(*args->status);
  assay_sample_args other = *args;
  other.temperature = &ones;
  other.ids = &ids;
  other.status = &status;
  return Good().draft_sample(call, &other);
}

// Divided by the largest term instead of the sum.
int32_t UnnormalisedProposal(Call call, SampleArgs args) {
  const int32_t code = Good().draft_sample(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  EachLaw(args, [](int64_t, std::vector<double>& law) {
    const double largest = *std::ranges::max_element(law);
    for (double& p : law) p /= largest;
  });
  return code;
}

double InBfloat16(double p) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(p));
  return static_cast<double>(
      std::bit_cast<float>((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000u));
}

// The token comes from the law rounded to bf16.
int32_t DrawsInBfloat16(Call call, SampleArgs args) {
  const int32_t code = Good().draft_sample(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  EachLaw(args, [&](int64_t r, const std::vector<double>& law) {
    double sum = 0, before = 0;
    for (const double p : law) sum += InBfloat16(p);
    int64_t token = 0;
    for (int64_t c = 0; c < std::ssize(law) && before <= UniformOf(call, args, r) * sum; ++c) {
      const double p = InBfloat16(law[static_cast<size_t>(c)]);
      if (p > 0) token = c;
      before += p;
    }
    Set(*args->ids, 0, r, static_cast<double>(token));
  });
  return code;
}

// The token comes from a row at nine tenths of the temperature that the law is written at.
int32_t DrawsSharper(Call call, SampleArgs args) {
  const int32_t code = Good().draft_sample(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  const Copy probs(*args->probs), status(*args->status);
  assay_sample_args other = *args;
  other.probs = &probs;
  other.status = &status;
  return WithTemperature(call, &other, 0.9);
}

int32_t RightDraft(Call call, SampleArgs args) { return Good().draft_sample(call, args); }
void StandsStill(assay_subject& subject) {
  subject.advance = [](const char*, int64_t, int64_t) -> int64_t { return 0; };
}

}  // namespace

void AddDraftFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::draft_sample> rows{all, "draft_sample"};
  rows.Add<RawProposal>("proposal-raw-q", "B136", "the law before the temperature is written",
                        {{"VERIFY-PROPOSAL-EXACT", kCoupling}, {"VERIFY-PROPOSAL-EXACT", kExact}});
  rows.Add<UnnormalisedProposal>(
      "proposal-unnormalised", "", "the law is written before it is divided by its sum",
      {{"VERIFY-PROPOSAL-EXACT", kCoupling}, {"VERIFY-PROPOSAL-EXACT", kExact}});
  rows.Add<DrawsInBfloat16>("proposal-drawn-in-bf16", "B137",
                            "the token comes from the law rounded to bf16",
                            {{"NUM-CDF-BUDGET", kCoupling},
                             {"VERIFY-PROPOSAL-EXACT", kCoupling},
                             {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<DrawsSharper>("proposal-drawn-sharper", "B135",
                         "the token comes from another temperature than the law",
                         {{"NUM-CDF-BUDGET", kCoupling},
                          {"VERIFY-PROPOSAL-EXACT", kCoupling},
                          {"VERIFY-PROPOSAL-EXACT", kMarginal},
                          {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<RightDraft>("draft-offset-stands", "B096", "the offset of a drafter stays where it is",
                       {{"DET-INDEP-STEPS", kIndependence}, {"DET-LEDGER-STEPS", kLedger}})
      .declare = StandsStill;
}

}  // namespace assay::faults
