#include "reference/profile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "reference/error.h"

namespace assay {
namespace {

// A string as a template argument, so that a field is one line of the table.
template <size_t kSize>
struct Name {
  char text[kSize];
  consteval Name(const char (&literal)[kSize]) { std::ranges::copy(literal, text); }
};

template <Name... kValues>
constexpr std::array kNames = {std::string_view(kValues.text, sizeof kValues.text - 1)...};

template <auto kMember>
int Get(const Profile& profile) {
  return static_cast<int>(profile.*kMember);
}

template <auto kMember>
void Set(Profile& profile, int value) {
  auto& member = profile.*kMember;
  member = static_cast<std::remove_reference_t<decltype(member)>>(value);
}

template <auto kMember, Name... kValues>
constexpr ProfileField Field(std::string_view name) {
  return {.name = name, .values = kNames<kValues...>, .get = &Get<kMember>, .set = &Set<kMember>};
}

constexpr ProfileField kFields[] = {
    Field<&Profile::temperature_zero, "greedy", "uniform", "illegal">("temperature_zero"),
    Field<&Profile::argmax_ties, "lowest", "highest">("argmax_ties"),
    Field<&Profile::inf_logit, "report", "certain", "illegal">("inf_logit"),
    Field<&Profile::top_k_ties, "cut_lowest", "keep_all">("top_k_ties"),
    Field<&Profile::top_k_zero, "off", "report", "illegal">("top_k_zero"),
    Field<&Profile::top_p_boundary, "below", "closed">("top_p_boundary"),
    Field<&Profile::top_p_ties, "cut_lowest", "keep_all">("top_p_ties"),
    Field<&Profile::top_p_mass, "relative", "absolute">("top_p_mass"),
    Field<&Profile::top_p_zero, "greedy", "report", "illegal">("top_p_zero"),
    Field<&Profile::top_p_one, "identity", "by_mass">("top_p_one"),
    Field<&Profile::min_p_edge, "reach", "above">("min_p_edge"),
    Field<&Profile::row_sum, "scaled", "last_positive", "illegal">("row_sum"),
    Field<&Profile::cdf_edge, "above", "reach">("cdf_edge"),
    Field<&Profile::empty_row, "report", "token_zero">("empty_row"),
    Field<&Profile::nan_row, "report", "exclude", "illegal">("nan_row"),
    Field<&Profile::bad_param, "report", "off", "illegal">("bad_param"),
    Field<&Profile::reciprocal, "exact", "approximate">("reciprocal"),
    Field<&Profile::subnormals, "keep", "flush", "unspecified">("subnormals"),
    Field<&Profile::param_index, "distribution_row", "output_row">("param_index"),
    Field<&Profile::seed_scope, "per_row", "one">("seed_scope"),
    Field<&Profile::stream, "midpoint32", "unstated">("stream"),
    Field<&Profile::batch, "invariant", "may_differ">("batch"),
    Field<&Profile::mask_beyond, "neg_inf", "untouched", "illegal">("mask_beyond"),
};

// FlashInfer 0.6.18.
constexpr Profile kProfiles[] = {
    Profile{.name = "strict"},
    Profile{.name = "flashinfer",
            .temperature_zero = TemperatureZero::kIllegal,
            .argmax_ties = ArgmaxTies::kLowest,
            .inf_logit = InfLogit::kIllegal,
            .top_k_ties = TopKTies::kKeepAll,
            .top_k_zero = TopKZero::kIllegal,
            .top_p_boundary = TopPBoundary::kBelow,
            .top_p_ties = TopPTies::kKeepAll,
            .top_p_mass = TopPMass::kAbsolute,
            .top_p_zero = TopPZero::kIllegal,
            .top_p_one = TopPOne::kByMass,
            .min_p_edge = MinPEdge::kReach,
            .row_sum = RowSum::kIllegal,
            .cdf_edge = CdfEdge::kAbove,
            .empty_row = EmptyRow::kTokenZero,
            .nan_row = NanRow::kIllegal,
            .bad_param = BadParam::kIllegal,
            .reciprocal = Reciprocal::kApproximate,
            .subnormals = Subnormals::kUnspecified,
            .param_index = ParamIndex::kDistributionRow,
            .seed_scope = SeedScope::kOne,
            .stream = Stream::kUnstated,
            .batch = Batch::kMayDiffer,
            .mask_beyond = MaskBeyond::kIllegal},
};

constexpr ProfileSource FlashInfer(std::string_view field, std::string_view source) {
  return {.profile = "flashinfer", .field = field, .source = source};
}

constexpr ProfileSource kSources[] = {
    FlashInfer("temperature_zero",
               "softmax documents no meaning for temperature 0, and its paths differ"),
    FlashInfer("argmax_ties", "as strict: no operation here returns a greedy token"),
    FlashInfer("inf_logit", "softmax documents nothing for +inf; the result depends on its tiles"),
    FlashInfer("top_k_ties",
               "tests/utils/test_sampling.py admits every value >= the k-th; pull request 3774"),
    FlashInfer("top_k_zero", "LogitsPipe validates top_k > 0; nothing is documented below 1"),
    FlashInfer("top_p_boundary",
               "rejection sampling accepts iff the mass above the token is < top_p"),
    FlashInfer("top_p_ties", "rejection sampling accepts by value: equal values survive together"),
    FlashInfer("top_p_mass", "the sampler's signature takes no sum; top_p is compared with a mass"),
    FlashInfer("top_p_zero", "LogitsPipe validates 0 < top_p <= 1; samplers find no token at 0"),
    FlashInfer("top_p_one", "samplers make the mass test at 1 too; no document promises identity"),
    FlashInfer("min_p_edge",
               "tests/utils/test_sampling.py admits probs >= min_p max probs: equality is kept"),
    FlashInfer("row_sum",
               "documented input is a distribution; tests/utils/test_sampling.py normalises rows"),
    FlashInfer("cdf_edge", "inverse transform takes the first token whose cdf is > u"),
    FlashInfer("empty_row",
               "return_valid: tests/utils/test_sampling.py asserts (0, false) for all-NaN rows"),
    FlashInfer("nan_row", "check_nan raises for any NaN; without it nothing is documented"),
    FlashInfer("bad_param", "LogitsPipe validates scalars; tensors are documented as in range"),
    FlashInfer("reciprocal",
               "renormalisation multiplies by a reciprocal, built with -use_fast_math"),
    FlashInfer("subnormals", "built with -use_fast_math; nothing is promised for subnormals"),
    FlashInfer("param_index", "tensor parameters must have probs.size(0) entries"),
    FlashInfer("seed_scope",
               "seed and offset are one number or tensor a call; element 0 is read (issue 4861)"),
    FlashInfer("stream", "no document states which word feeds which decision"),
    FlashInfer("batch",
               "the stream's subsequence is the output position; softmax's path follows the batch"),
    FlashInfer("mask_beyond", "no mask operation is offered"),
};

std::string KnownNames() {
  std::string names;
  for (const Profile& profile : kProfiles) {
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  return names;
}

}  // namespace

std::span<const ProfileField> ProfileFields() { return kFields; }

std::span<const ProfileSource> ProfileSources() { return kSources; }

std::span<const Profile> Profiles() { return kProfiles; }

const Profile& FindProfile(std::string_view name) {
  const auto* found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found != std::end(kProfiles)) return *found;
  throw InputError("profile: found '" + std::string(name) + "', expected one of " + KnownNames());
}

}  // namespace assay
