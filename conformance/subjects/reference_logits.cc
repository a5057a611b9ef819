// top_k_mask_logits, argmax and sampling_from_logits of the subject `reference`.

#include "conformance/subjects/reference_kit.h"
#include "reference/logits.h"
#include "reference/race.h"
#include "reference/sampling.h"

namespace assay::reference {
namespace {

// Columns that are not kept become -inf, the others are copied as bits.
template <class Bits>
void WriteKept(const assay_filter_args& a, int64_t row, const std::vector<bool>& kept, Bits none) {
  for (size_t c = 0; c < kept.size(); ++c) {
    const auto column = static_cast<int64_t>(c);
    const Bits bits = *reinterpret_cast<const Bits*>(At(*a.input, row, column));
    *reinterpret_cast<Bits*>(const_cast<char*>(At(*a.output, row, column))) = kept[c] ? bits : none;
  }
}

}  // namespace

int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args) {
  return Guard(call, args, [](const assay_filter_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.input->shape[0]; ++r) {
      const KeptLogits row = KeepTopK(ReadRow(*a.input, r), Read<int32_t>(*a.top_k, r), profile);
      if (a.input->dtype.bits == 32) {
        WriteKept<uint32_t>(a, r, row.kept, 0xFF800000u);
      } else {
        WriteKept<uint16_t>(a, r, row.kept, a.input->dtype.code == kDLBfloat ? 0xFF80 : 0xFC00);
      }
      Write(*a.status, r, static_cast<uint8_t>(row.status));
    }
  });
}

int32_t Argmax(const assay_call* call, const assay_sample_args* args) {
  return Guard(call, args, [](const assay_sample_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.ids->shape[0]; ++r) {
      const int64_t row = a.indices ? Read<int32_t>(*a.indices, r) : r;
      GreedyToken token{.status = RowStatus::kIndex};
      if (row >= 0 && row < a.input->shape[0]) {
        token = assay::Argmax(ReadRow(*a.input, row), profile);
      }
      Write(*a.ids, r, token.status == RowStatus::kOk ? token.id : EmptyToken(profile));
      Write(*a.status, r, static_cast<uint8_t>(token.status));
    }
  });
}

int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Guard(call, args, [](const assay_sample_args& a, const Profile& profile) {
    const RngModel& model = ModelOf(profile);
    int64_t read = -1;
    RaceRow row;
    for (int64_t r = 0; r < a.ids->shape[0]; ++r) {
      const int64_t from = a.indices ? Read<int32_t>(*a.indices, r) : r;
      const bool inside = from >= 0 && from < a.input->shape[0];
      if (inside && from != read) row = ReadRace(ReadRow(*a.input, from), profile);
      read = inside ? from : read;
      const RowStatus status = inside ? row.status : RowStatus::kIndex;
      const int64_t s = profile.seed_scope == SeedScope::kOne ? 0 : r;
      const RaceSource source{Read<uint64_t>(*a.seed, s), Read<uint64_t>(*a.offset, s), r};
      Write(*a.ids, r,
            status == RowStatus::kOk ? RunRace(row, model, source, kLog2Error, profile).winner
                                     : EmptyToken(profile));
      Write(*a.status, r, static_cast<uint8_t>(status));
    }
  });
}

}  // namespace assay::reference
