#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_KIT_H_

#include <cstdint>

#include "conformance/subjects/faults/verify_args.h"
#include "conformance/subjects/host/verify_ratio.h"

// What the faults of ratio verifiers share: the rule in parts, one of which a fault replaces.
namespace assay::faults {

// `row` counts inside the request; row Drafts() is the one after the last draft.
struct RatioParts {
  bool (*passes)(const host::RatioRequest&, int64_t row, double u);
  int64_t (*coin_row)(int64_t row);
  host::Left (*left)(const host::RatioRequest&, int64_t row);
  double (*last_coin)(const host::RatioRequest&, int64_t row, host::Coins&);
  void (*spoil)(const host::RatioRequest&, double last_coin, host::Answer&);
  bool resumes;  // goes on testing behind a rejection
};
// The right ones.
RatioParts RightParts();

// Whether the walk ended at `row` because its draft, a token, failed.
inline bool IsRejected(const host::RatioRequest& request, int64_t row) {
  return row < request.Drafts() && request.Kind(row) == host::DraftId::kToken;
}

// The rule of chain_speculative_sampling and of rejection_sample's drawn requests, standard method.
// At dose 0 with the right parts.
int32_t RunParts(Call call, VerifyArgs args, const RatioParts& parts);

// `verifier` with change(id) in place of each draft, roots apart.
template <class Change>
int32_t WithDrafts(Verifier verifier, Call call, VerifyArgs args, Change change) {
  auto ids = Values<int32_t>(*args->candidates);
  const auto offsets = Values<int32_t>(*args->row_offsets);
  for (size_t b = 0; Dose() && b + 1 < offsets.size(); ++b)
    for (int32_t row = offsets[b] + 1; row < offsets[b + 1]; ++row) {
      int32_t& id = ids[static_cast<size_t>(row)];
      id = change(id);
    }
  const Column<int32_t> column(*args->candidates, std::move(ids));
  assay_verify_args other = *args;
  other.candidates = &column;
  return verifier(call, &other);
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_KIT_H_
