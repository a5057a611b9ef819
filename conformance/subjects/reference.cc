// The subject `reference`: the double reference behind the contract. It proves the suite, it is no
// kernel. One subject a profile.

#include <algorithm>
#include <string_view>
#include <vector>

#include "conformance/subject.h"
#include "conformance/subjects/reference_kit.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/philox.h"
#include "reference/sampling.h"
#include "reference/softmax.h"
#include "reference/token_mask.h"

namespace assay::reference {
namespace {

const char* ModelName(const Profile& profile) {
  if (profile.stream == Stream::kMidpoint32) return "midpoint32";
  return profile.seed_scope == SeedScope::kOne ? "curand_inverse_cdf" : nullptr;
}

void WriteRow(const DLTensor& tensor, int64_t row, const std::vector<double>& values) {
  auto* out = reinterpret_cast<float*>(const_cast<char*>(At(tensor, row)));
  for (size_t c = 0; c < values.size(); ++c) out[c] = static_cast<float>(values[c]);
}

int32_t SoftmaxOp(const assay_call* call, const assay_filter_args* args) {
  return Guard(call, args, [](const assay_filter_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.input->shape[0]; ++r) {
      const double t = a.temperature ? static_cast<double>(Read<float>(*a.temperature, r)) : 1;
      const SoftmaxRow row = Softmax(ReadRow(*a.input, r), t, profile);
      WriteRow(*a.output, r, row.probs);
      Write(*a.status, r, static_cast<uint8_t>(row.status));
    }
  });
}

// A row as the filters leave it.
struct Filtered {
  SortedRow row;
  KeptSet kept;
};
Filtered Filter(const Weights& weights, const FilterParams& params, const Profile& profile) {
  FilteredRow made = FilterRow(weights, params, profile, 0);
  return {std::move(made.row), made.kept};
}

// An illegal parameter under profiles that read it as off is the reference's business too.
FilterParams Params(const DLTensor* top_k, const DLTensor* top_p, const DLTensor* min_p,
                    int64_t row) {
  FilterParams params;
  params.use_top_k = top_k != nullptr;
  params.use_top_p = top_p != nullptr;
  params.use_min_p = min_p != nullptr;
  if (top_k) params.top_k = Read<int32_t>(*top_k, row);
  if (top_p) params.top_p = static_cast<double>(Read<float>(*top_p, row));
  if (min_p) params.min_p = static_cast<double>(Read<float>(*min_p, row));
  return params;
}

int32_t Renorm(const assay_call* call, const assay_filter_args* args) {
  return Guard(call, args, [](const assay_filter_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.input->shape[0]; ++r) {
      const std::vector<double> probs = ReadRow(*a.input, r);
      FilterParams params = Params(a.top_k, a.top_p, a.min_p, r);
      params.order = static_cast<FilterOrder>(a.filter_order);
      const Filtered made = Filter(ReadWeights(probs, profile), params, profile);
      const bool good = made.kept.status == RowStatus::kOk;
      WriteRow(*a.output, r,
               good ? Renormalise(made.row, made.kept.nominal, made.kept.first)
                    : std::vector<double>(probs.size(), 0.0));
      Write(*a.status, r, static_cast<uint8_t>(made.kept.status));
    }
  });
}

double UniformOf(const assay_sample_args& a, const Profile& profile, int64_t row) {
  if (a.uniforms) return Read<double>(*a.uniforms, row);
  const RngModel& model = ModelOf(profile);
  const int64_t s = profile.seed_scope == SeedScope::kOne ? 0 : row;
  return Uniform(model.map, ModelWord(model, Read<uint64_t>(*a.seed, s),
                                      Read<uint64_t>(*a.offset, s), row, 0));
}

// What an output row draws from; the next one often draws from the same.
struct Source {
  int64_t row = -1;
  FilterParams params;
  double temperature = 1;
  RowStatus status = RowStatus::kIndex;
  Cdf law;

  bool Same(const Source& other) const {
    return row == other.row && params.top_k == other.params.top_k &&
           params.top_p == other.params.top_p && params.min_p == other.params.min_p &&
           temperature == other.temperature;
  }
};

// Logits as the weights of their softmax.
Weights SoftmaxWeights(const std::vector<double>& logits, double temperature,
                       const Profile& profile) {
  SoftmaxRow made = Softmax(logits, temperature, profile);
  const double sum = made.status == RowStatus::kOk ? 1 : 0;
  return {.value = std::move(made.probs), .sum = sum, .status = made.status};
}

void Prepare(const assay_sample_args& a, bool logits, const Profile& profile, Source& source) {
  const std::vector<double> values = ReadRow(*a.input, source.row);
  const Weights weights =
      logits ? SoftmaxWeights(values, source.temperature, profile) : ReadWeights(values, profile);
  const Filtered made = Filter(weights, source.params, profile);
  source.status = made.kept.status;
  source.law = {};
  if (source.status == RowStatus::kOk) source.law = LawOf(made.row, made.kept, profile);
}

// The source of output row r, not yet prepared; row -1 for an index outside its tensor.
Source SourceOf(const assay_sample_args& a, const Profile& profile, int64_t r) {
  Source source;
  const int64_t row = a.indices ? Read<int32_t>(*a.indices, r) : r;
  if (row < 0 || row >= a.input->shape[0]) return source;
  int64_t slot = profile.param_index == ParamIndex::kOutputRow ? r : row;
  if (a.param_rows) {
    slot = Read<int32_t>(*a.param_rows, r);
    if (slot < 0 || slot >= a.temperature->shape[0]) return source;
    source.temperature = static_cast<double>(Read<float>(*a.temperature, slot));
  }
  source.row = row;
  source.params = Params(a.top_k, a.top_p, a.min_p, slot);
  source.params.order = static_cast<FilterOrder>(a.filter_order);
  return source;
}

int32_t SampleOf(const assay_call* call, const assay_sample_args* args, bool logits) {
  return Guard(call, args, [logits](const assay_sample_args& a, const Profile& profile) {
    Source source;
    const int64_t rows = (a.param_rows ? a.param_rows : a.ids)->shape[0];
    for (int64_t r = 0; r < rows; ++r) {
      Source next = SourceOf(a, profile, r);
      if (!source.Same(next)) {
        source = std::move(next);
        if (source.row >= 0) Prepare(a, logits, profile, source);
      }
      const bool good = source.status == RowStatus::kOk;
      Write(*a.ids, r,
            good ? Draw(source.law, UniformOf(a, profile, r), profile) : EmptyToken(profile));
      Write(*a.status, r, static_cast<uint8_t>(source.status));
    }
  });
}
int32_t Sample(const assay_call* call, const assay_sample_args* args) {
  return SampleOf(call, args, false);
}
// The token comes from the law as it was written, in fp32.
int32_t DraftSample(const assay_call* call, const assay_sample_args* args) {
  return Guard(call, args, [](const assay_sample_args& a, const Profile& profile) {
    for (int64_t r = 0; r < a.input->shape[0]; ++r) {
      const auto temperature = static_cast<double>(Read<float>(*a.temperature, r));
      const SoftmaxRow made = Softmax(ReadRow(*a.input, r), temperature, profile);
      WriteRow(*a.probs, r, made.probs);
      Write(*a.ids, r,
            made.status == RowStatus::kOk ? Draw(LawOf(ReadWeights(ReadRow(*a.probs, r), profile)),
                                                 UniformOf(a, profile, r), profile)
                                          : EmptyToken(profile));
      Write(*a.status, r, static_cast<uint8_t>(made.status));
    }
  });
}

int32_t SampleLogits(const assay_call* call, const assay_sample_args* args) {
  return SampleOf(call, args, true);
}

std::vector<int32_t> Indices(const DLTensor* list) {
  if (list && list->dtype.bits != 32)
    throw InputError("list of rows: found " + std::to_string(list->dtype.bits) +
                     " bits, expected 32");
  std::vector<int32_t> out;
  for (int64_t i = 0; list && i < list->shape[0]; ++i) out.push_back(Read<int32_t>(*list, i));
  return out;
}

int32_t Mask(const assay_call* call, const assay_mask_args* args) {
  return Guard(call, args, [](const assay_mask_args& a, const Profile& profile) {
    const int64_t rows = a.logits->shape[0], columns = a.logits->shape[1];
    const bool empty_list = (a.logit_rows && a.logit_rows->shape[0] == 0) ||
                            (a.mask_rows && a.mask_rows->shape[0] == 0);
    if (empty_list) return;
    const auto acting = MaskRowsOf(Indices(a.logit_rows), Indices(a.mask_rows), rows,
                                   a.bitmask->shape[0], profile.mask_rows);
    const std::vector<int32_t> d2t = Indices(a.d2t);
    const bool wide = a.logits->dtype.bits == 32, bf16 = a.logits->dtype.code == kDLBfloat;
    for (int64_t r = 0; r < rows; ++r)
      for (const int32_t m : acting[static_cast<size_t>(r)]) {
        const auto* words = reinterpret_cast<const int32_t*>(At(*a.bitmask, m));
        const std::span<const int32_t> mask(words, static_cast<size_t>(a.bitmask->shape[1]));
        const auto masked = MaskedColumns(mask, columns, a.vocab, profile, d2t);
        for (int64_t c = 0; c < columns; ++c) {
          if (!masked[static_cast<size_t>(c)]) continue;
          char* at = const_cast<char*>(At(*a.logits, r, c));
          if (wide)
            *reinterpret_cast<uint32_t*>(at) = 0xFF800000u;
          else
            *reinterpret_cast<uint16_t*>(at) = bf16 ? 0xFF80 : 0xFC00;
        }
      }
  });
}

// A double sum rounds like a chain of no fp32 additions.
int64_t NoChain(int64_t) { return 0; }

// One word a row, or one a token; of a verifier's request enough for its tests, a metric's and the
// last token; none where nothing is drawn.
int64_t Advance(const char* operation, int64_t rows, int64_t vocab) {
  const std::string_view name = operation;
  if (name == "sampling_from_logits") return vocab;
  if (name == "chain_speculative_sampling" || name == "rejection_sample") return 2 * rows;
  return name.find("sampl") == std::string_view::npos ? 0 : 1;
}

assay_subject Make(const Profile& profile) {
  assay_subject subject = {};
  subject.abi = ASSAY_ABI;
  subject.size = sizeof subject;
  subject.name = "reference";
  subject.version = "1.0.0";
  subject.profile = profile.name.data();
  subject.rng_model = ModelName(profile);
  subject.device = {kDLCPU, 0};
  subject.flags = ASSAY_ROW_STRIDE | ASSAY_SCALAR_PARAMS | ASSAY_INDICES | ASSAY_INJECTED |
                  ASSAY_TOP_K_FIRST | ASSAY_JOINT | ASSAY_ZERO_ROWS | ASSAY_MASK_ROW_MAPS |
                  ASSAY_RAGGED | ASSAY_BLOCK_RULE | ASSAY_NODE_ROWS | ASSAY_CHECKS_ARGUMENTS |
                  ASSAY_MASK_COLUMN_MAP;
  subject.dtypes = ASSAY_F32 | ASSAY_F16 | ASSAY_BF16;
  subject.status_form = ASSAY_STATUS_CODES;
  subject.self = &profile;
  subject.log2_error = kLog2Error;
  subject.advance = Advance;
  subject.addition_chain = NoChain;
  subject.ops.size = sizeof subject.ops;
  subject.ops.softmax = SoftmaxOp;
  subject.ops.top_k_renorm_probs = subject.ops.top_p_renorm_probs = Renorm;
  subject.ops.min_p_renorm_probs = subject.ops.top_k_top_p_renorm_probs = Renorm;
  subject.ops.top_k_mask_logits = TopKMaskLogits;
  subject.ops.argmax = Argmax;
  subject.ops.sampling_from_probs = subject.ops.top_k_top_p_sampling_from_probs = Sample;
  subject.ops.top_k_sampling_from_probs = subject.ops.top_p_sampling_from_probs = Sample;
  subject.ops.min_p_sampling_from_probs = Sample;
  subject.ops.sampling_from_logits = SamplingFromLogits;
  subject.ops.top_k_top_p_sampling_from_logits = subject.ops.sample_rows = SampleLogits;
  subject.ops.draft_sample = DraftSample;
  subject.ops.apply_token_bitmask = Mask;
  subject.ops.gather_and_expand_scalars = GatherAndExpandScalars;
  subject.ops.apply_logits_processors = ApplyLogitsProcessors;
  subject.ops.gather_token_logprobs = GatherTokenLogprobs;
  subject.ops.top_n_logprobs = TopNLogprobs;
  subject.ops.token_matcher = MatchTokens;
  OfferVerifiers(subject.ops);
  return subject;
}

}  // namespace

const RngModel& ModelOf(const Profile& profile) {
  const char* name = ModelName(profile);
  return *FindRngModel(name ? name : "torch24");
}

}  // namespace assay::reference

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  static const std::vector<assay_subject> kSubjects = [] {
    std::vector<assay_subject> made;
    for (const assay::Profile& one : assay::Profiles()) made.push_back(assay::reference::Make(one));
    return made;
  }();
  if (abi != ASSAY_ABI || (name && std::string_view(name) != "reference")) return nullptr;
  for (const assay_subject& subject : kSubjects)
    if (std::string_view(profile ? profile : "strict") == subject.profile) return &subject;
  return nullptr;
}
