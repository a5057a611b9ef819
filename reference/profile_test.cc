#include "reference/profile.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <sstream>

#include "reference/error.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/logprobs.h"
#include "reference/matcher.h"
#include "reference/processors.h"
#include "reference/sampling.h"
#include "reference/softmax.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Row = std::vector<double>;

TEST(ProfileFields, CoverTheStructAndRoundTrip) {
  // Each field is one byte.
  const size_t bytes = sizeof(std::string_view) + ProfileFields().size();
  EXPECT_EQ(sizeof(Profile), (bytes + alignof(Profile) - 1) / alignof(Profile) * alignof(Profile));
  std::set<std::string_view> names;
  for (const ProfileField& field : ProfileFields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(std::set(field.values.begin(), field.values.end()).size(), field.values.size());
    EXPECT_GE(field.values.size(), 2u);
    EXPECT_EQ(field.get(FindProfile("strict")), 0) << field.name;
    for (int value = 0; value < std::ssize(field.values); ++value) {
      Profile profile;
      field.set(profile, value);
      for (const ProfileField& other : ProfileFields()) {
        EXPECT_EQ(other.get(profile), other.name == field.name ? value : 0) << other.name;
      }
    }
  }
}

TEST(ProfileFields, NamesAreThoseOfTheEnumerators) {
  const auto name = [](std::string_view field, const Profile& profile) {
    for (const ProfileField& f : ProfileFields()) {
      if (f.name == field) return f.values[static_cast<size_t>(f.get(profile))];
    }
    return std::string_view();
  };
  Profile profile;
  EXPECT_EQ(name("top_k_ties", profile), "cut_lowest");
  EXPECT_EQ(name("stream", profile), "midpoint32");
  profile.row_sum = RowSum::kLastPositive;
  profile.mask_beyond = MaskBeyond::kNegInf;
  profile.param_index = ParamIndex::kOutputRow;
  profile.nan_row = NanRow::kExclude;
  EXPECT_EQ(name("row_sum", profile), "last_positive");
  EXPECT_EQ(name("mask_beyond", profile), "neg_inf");
  EXPECT_EQ(name("param_index", profile), "output_row");
  EXPECT_EQ(name("nan_row", profile), "exclude");
}

TEST(ProfileSources, EveryChoiceHasOne) {
  for (const Profile& profile : Profiles()) {
    std::multiset<std::string_view> found;
    for (const ProfileSource& source : ProfileSources()) {
      EXPECT_FALSE(source.source.empty()) << source.field;
      if (source.profile == profile.name) found.insert(source.field);
    }
    for (const ProfileField& field : ProfileFields()) {
      const bool own = field.get(profile) != field.get(FindProfile("strict"));
      EXPECT_GE(found.count(field.name), own ? 1u : 0u) << profile.name << " " << field.name;
      EXPECT_LE(found.count(field.name), 1u) << profile.name << " " << field.name;
      found.erase(field.name);
    }
    EXPECT_TRUE(found.empty()) << profile.name << " " << *found.begin();
  }
}

TEST(Profiles, FlashInferIsWhatItDocuments) {
  std::string found;
  for (const ProfileField& field : ProfileFields()) {
    const auto value = static_cast<size_t>(field.get(FindProfile("flashinfer")));
    found += std::string(field.name) + " " + std::string(field.values[value]) + "\n";
  }
  EXPECT_EQ(found,
            "temperature_zero illegal\n"
            "argmax_ties lowest\n"
            "inf_logit illegal\n"
            "top_k_ties keep_all\n"
            "top_k_zero illegal\n"
            "top_p_boundary below\n"
            "top_p_ties keep_all\n"
            "top_p_mass absolute\n"
            "top_p_zero illegal\n"
            "top_p_one by_mass\n"
            "min_p_edge reach\n"
            "row_sum illegal\n"
            "cdf_edge above\n"
            "empty_row token_zero\n"
            "nan_row illegal\n"
            "bad_param illegal\n"
            "reciprocal approximate\n"
            "subnormals unspecified\n"
            "param_index distribution_row\n"
            "seed_scope one\n"
            "stream unstated\n"
            "batch may_differ\n"
            "mask_beyond illegal\n"
            "mask_wider ignored\n"
            "mask_rows compact\n"
            "matcher_end stop_id\n"
            "mask_after_end stop_ids\n"
            "mask_tail clear\n"
            "boundary_token whole\n"
            "repetition_scope prompt_and_output\n"
            "additive_scope output\n"
            "processor_order repetition_first\n"
            "ban_scope output\n"
            "logprob_rank above\n"
            "ratio_edge below\n"
            "target_only_edge below\n"
            "draft_zero accept\n"
            "no_draft illegal\n"
            "bad_draft illegal\n"
            "residual_empty unspecified\n"
            "target_only_draft unread\n"
            "siblings once\n"
            "accept_metric second_chance\n"
            "counter_mode added\n"
            "emitted_tail minus_one\n");
}

TEST(FindProfile, ListsTheKnownNames) {
  EXPECT_EQ(FindProfile("flashinfer").top_k_ties, TopKTies::kKeepAll);
  try {
    FindProfile("flashinf");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "profile: found 'flashinf', expected one of strict, flashinfer, tokenspeed, "
                 "megatron_torch, megatron_flashinfer, sglang, vllm_v1, vllm_mrv2, trtllm, "
                 "xgrammar, llguidance");
  }
}

void Print(std::ostream& out, const Row& row) {
  for (const double value : row) out << value << ' ';
}

void Print(std::ostream& out, const SoftmaxRow& row) {
  out << static_cast<int>(row.status) << ' ';
  Print(out, row.probs);
}

void PrintKept(std::ostream& out, const Row& probs, const FilterParams& params,
               const Profile& profile, double budget = 0) {
  const Weights weights = ReadWeights(probs, profile);
  const KeptSet kept = Keep(weights, SortRow(weights), params, profile, budget);
  out << static_cast<int>(kept.status) << ' ' << kept.first << ' ' << kept.least << ' '
      << kept.nominal << ' ' << kept.most << ' ';
}

void PrintLaw(std::ostream& out, const Row& probs, const Profile& profile) {
  const SortedRow row = SortRow(ReadWeights(probs, profile));
  Print(out, LawOf(row, {.nominal = std::ssize(row.value)}, profile).upper);
}

// All that the reference says of a few inputs, one of them for each field.
std::string Observe(const Profile& profile) {
  std::ostringstream out;
  const auto ask = [&](const std::function<void()>& question) {
    try {
      question();
    } catch (const InputError& error) {
      out << error.what();
    }
    out << '\n';
  };
  const FilterParams k0 = {.use_top_k = true, .top_k = 0}, k2 = {.use_top_k = true, .top_k = 2};
  const auto p = [](double top_p) { return FilterParams{.use_top_p = true, .top_p = top_p}; };
  const Rules prompted = {.prompt = {0},
                          .output = {1},
                          .repetition = 2,
                          .frequency = 1,
                          .bias_ids = {1},
                          .bias = {3},
                          .bad_words = {{0, 1, 2}}};
  const Row ties = {0.5, 0.125, 0.125, 0.125, 0.125};
  ask([&] { Print(out, Softmax(Row{1, 2, 2}, 0, profile)); });
  ask([&] { Print(out, Softmax(Row{1, kInf}, 1, profile)); });
  ask([&] { Print(out, Softmax(Row{1, kNan}, 1, profile)); });
  ask([&] { Print(out, Softmax(Row{1, 2}, -1, profile)); });
  ask([&] { PrintKept(out, ties, k2, profile); });
  ask([&] { PrintKept(out, ties, k0, profile); });
  ask([&] { PrintKept(out, ties, p(0.5625), profile); });
  ask([&] { PrintKept(out, ties, p(0), profile); });
  ask([&] { PrintKept(out, {0.5, 0.25, 0.1875, 0.0625}, p(0.75), profile); });
  ask([&] { PrintKept(out, {0.5, 0.1875, 0.0625}, p(0.75), profile); });
  ask([&] { PrintKept(out, {0.5, 0.5 - 0x1p-26, 0x1p-26}, p(1), profile, 0x1p-24); });
  ask([&] { PrintKept(out, {0.5, 0.5, 1e-41}, p(1), profile); });
  ask([&] { PrintKept(out, {0.5, 0.25, 0.25}, {.use_min_p = true, .min_p = 0.5}, profile); });
  ask([&] { out << LogprobOf(Logprobs(Row{1, 1, 0}, {}, profile), 0, profile).rank; });
  ask([&] { PrintLaw(out, {0.5, 0.125, 0.125}, profile); });
  ask([&] {
    const Weights weights = ReadWeights(ties, profile);
    const SortedRow row = SortRow(weights);
    Print(out, LawOf(row, Keep(weights, row, p(0.25), profile, 0), profile).upper);
    out << Keep(weights, row, p(0.25), profile, 0).clip;
  });
  ask([&] { out << Draw({{3, 5}, {0.5, 1}}, 0.5, profile); });
  ask([&] { out << EmptyToken(profile); });
  ask([&] { Print(out, Process(Row{2, 2, 2}, prompted, profile).logits); });
  ask([&] {
    for (const bool masked : MaskedColumns(std::vector<int32_t>{-1}, 33, 0, profile)) out << masked;
  });
  ask([&] { out << MaskedColumns(std::vector<int32_t>{-1, -1}, 32, 0, profile).size(); });
  ask([&] { out << MaskRowsOf(std::vector{1}, {}, 2, 2, profile.mask_rows)[1].front(); });
  ask([&] {
    const TokenDfa dfa = {.vocab = 2, .next = {0, -1}, .may_end = {1}, .stop_ids = {1}};
    const auto row = MaskOf(dfa, {.path = {0, kEnded}}, 1, profile);
    out << (row ? row->front() : 77);
  });
  return out.str();
}

// Fields about the call and the stream, which are the harness's to read; and those of verifiers,
// which verify_profile_test.cc observes.
const std::set<std::string_view> kOutsideTheReference = {
    "reciprocal",     "param_index",   "seed_scope",        "stream",   "batch",
    "ratio_edge",     "draft_zero",    "target_only_edge",  "no_draft", "bad_draft",
    "residual_empty", "accept_metric", "target_only_draft", "siblings", "counter_mode",
    "emitted_tail",   "mask_tail",     "matcher_end"};

TEST(ProfileFields, EveryFieldChangesAnAnswer) {
  const std::string strict = Observe(FindProfile("strict"));
  for (const ProfileField& field : ProfileFields()) {
    std::set<std::string> answers = {strict};
    for (int value = 1; value < std::ssize(field.values); ++value) {
      Profile profile = FindProfile("strict");
      field.set(profile, value);
      answers.insert(Observe(profile));
    }
    const bool outside = kOutsideTheReference.contains(field.name);
    EXPECT_EQ(answers.size(), outside ? 1 : field.values.size()) << field.name;
  }
}

}  // namespace
}  // namespace assay
