// Faults of apply_token_bitmask in the tokens that columns stand for.

#include <algorithm>

#include "conformance/subjects/faults/mask_kit.h"
#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

int32_t Masked(Call call, const MaskArgs* args) { return Good().apply_token_bitmask(call, args); }

// With change(column, entry) in place of d2t, of calls of whole lists.
template <class Change>
int32_t WithMap(Call call, const MaskArgs* args, Change change) {
  const bool listed = args->d2t && args->d2t->dtype.bits == 32 && Cols(*args->d2t) == Width(*args);
  if (!listed || !Dose()) return Masked(call, args);
  auto entries = Values<int32_t>(*args->d2t);
  for (size_t j = 0; j < entries.size(); ++j)
    entries[j] = change(static_cast<int32_t>(j), entries[j]);
  const Column<int32_t> map(*args->d2t, std::move(entries));
  MaskArgs other = *args;
  other.d2t = &map;
  return Masked(call, &other);
}

int32_t Identity(Call call, const MaskArgs* args) {
  return WithMap(call, args, [](int32_t, int32_t) { return 0; });
}

// The entries are tokens; those that are none count as 0.
int32_t Absolute(Call call, const MaskArgs* args) {
  return WithMap(call, args, [&](int32_t column, int32_t entry) {
    const bool token = entry >= 0 && entry < 32 * Words(*args);
    return (token ? entry : 0) - column;
  });
}

int32_t Unchecked(Call call, const MaskArgs* args) {  // columns of no token are the nearest one's
  return WithMap(call, args, [&](int32_t column, int32_t entry) {
    const int64_t token = std::clamp(int64_t{column} + entry, int64_t{0}, 32 * Words(*args) - 1);
    return static_cast<int32_t>(token - column);
  });
}

// The list is read as it comes.
int32_t LengthUnchecked(Call call, const MaskArgs* args) {
  MaskArgs other = *args;
  const bool odd = args->d2t && (args->d2t->dtype.bits != 32 || Cols(*args->d2t) != Width(*args));
  if (odd && Dose()) other.d2t = nullptr;
  return Masked(call, &other);
}

}  // namespace

void AddMaskColumnFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_token_bitmask> rows{all, "apply_token_bitmask"};
  rows.Add<Identity>("d2t-identity", "B176", "columns are the tokens of their number",
                     {{"MASK-COLUMN-MAP", kExact}, {"MASK-COLUMN-MAP", kBounds}});
  rows.Add<Absolute>("d2t-absolute", "B139", "d2t holds tokens, not distances to them",
                     {{"MASK-COLUMN-MAP", kExact}, {"MASK-COLUMN-MAP", kBounds}});
  rows.Add<Unchecked>("d2t-unchecked", "B139", "a column of no token is the nearest one's",
                      {{"MASK-COLUMN-MAP", kBounds}});
  rows.Add<LengthUnchecked>("d2t-length-unchecked", "", "a list of another length is left out",
                            {{"MASK-COLUMN-MAP", kBounds}});
}

}  // namespace assay::faults
