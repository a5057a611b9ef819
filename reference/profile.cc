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
    Field<&Profile::top_k_ties, "cut_lowest", "keep_all", "unspecified">("top_k_ties"),
    Field<&Profile::top_k_zero, "off", "report", "illegal">("top_k_zero"),
    Field<&Profile::top_p_boundary, "below", "closed">("top_p_boundary"),
    Field<&Profile::top_p_ties, "cut_lowest", "keep_all", "unspecified">("top_p_ties"),
    Field<&Profile::top_p_mass, "relative", "absolute">("top_p_mass"),
    Field<&Profile::top_p_zero, "greedy", "report", "off", "illegal">("top_p_zero"),
    Field<&Profile::top_p_one, "identity", "by_mass">("top_p_one"),
    Field<&Profile::min_p_edge, "reach", "above">("min_p_edge"),
    Field<&Profile::row_sum, "scaled", "last_positive", "illegal">("row_sum"),
    Field<&Profile::cdf_edge, "above", "reach">("cdf_edge"),
    Field<&Profile::empty_row, "report", "token_zero", "illegal">("empty_row"),
    Field<&Profile::nan_row, "report", "exclude", "illegal">("nan_row"),
    Field<&Profile::bad_param, "report", "off", "illegal">("bad_param"),
    Field<&Profile::reciprocal, "exact", "approximate">("reciprocal"),
    Field<&Profile::subnormals, "keep", "flush", "unspecified">("subnormals"),
    Field<&Profile::param_index, "distribution_row", "output_row">("param_index"),
    Field<&Profile::seed_scope, "per_row", "one">("seed_scope"),
    Field<&Profile::stream, "midpoint32", "unstated">("stream"),
    Field<&Profile::batch, "invariant", "may_differ">("batch"),
    Field<&Profile::mask_beyond, "neg_inf", "untouched", "refused", "illegal">("mask_beyond"),
    Field<&Profile::mask_wider, "ignored", "refused", "illegal">("mask_wider"),
    Field<&Profile::mask_rows, "compact", "shared">("mask_rows"),
    Field<&Profile::matcher_end, "stop_id", "whole_text">("matcher_end"),
    Field<&Profile::mask_after_end, "stop_ids", "all", "untouched">("mask_after_end"),
    Field<&Profile::mask_tail, "clear", "unspecified">("mask_tail"),
    Field<&Profile::boundary_token, "whole", "clipped">("boundary_token"),
    Field<&Profile::repetition_scope, "prompt_and_output", "output">("repetition_scope"),
    Field<&Profile::additive_scope, "output", "prompt_and_output">("additive_scope"),
    Field<&Profile::processor_order, "repetition_first", "bias_first", "additive_first">(
        "processor_order"),
    Field<&Profile::ban_scope, "output", "prompt_and_output">("ban_scope"),
    Field<&Profile::logprob_rank, "above", "reach">("logprob_rank"),
    Field<&Profile::ratio_edge, "below", "reach">("ratio_edge"),
    Field<&Profile::target_only_edge, "below", "reach">("target_only_edge"),
    Field<&Profile::draft_zero, "accept", "reject">("draft_zero"),
    Field<&Profile::no_draft, "ends_chain", "reject", "illegal">("no_draft"),
    Field<&Profile::bad_draft, "report", "illegal">("bad_draft"),
    Field<&Profile::residual_empty, "target", "report", "token_zero", "unspecified">(
        "residual_empty"),
    Field<&Profile::target_only_draft, "unread", "taken_away">("target_only_draft"),
    Field<&Profile::siblings, "once", "twice", "illegal">("siblings"),
    Field<&Profile::accept_metric, "leading", "second_chance">("accept_metric"),
    Field<&Profile::counter_mode, "written", "added">("counter_mode"),
    Field<&Profile::emitted_tail, "minus_one", "unspecified">("emitted_tail"),
};

std::string KnownNames() {
  std::string names;
  for (const Profile& profile : Profiles()) {
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  return names;
}

}  // namespace

std::span<const ProfileField> ProfileFields() { return kFields; }

const Profile& FindProfile(std::string_view name) {
  const auto found = std::ranges::find(Profiles(), name, &Profile::name);
  if (found != Profiles().end()) return *found;
  throw InputError("profile: found '" + std::string(name) + "', expected one of " + KnownNames());
}

}  // namespace assay
