// A library that Assay certifies: top-k with renormalisation in fp32, under the profile `strict`.
#include <assay/subject.h>

#include <algorithm>
#include <cmath>
#include <vector>

// Keeps the k largest of `in`, equal ones by lowest id, and divides them by their sum.
static uint8_t TopKRow(const float* in, float* out, int64_t vocab, int32_t k) {
  std::fill(out, out + vocab, 0.0f);
  if (std::any_of(in, in + vocab, [](float p) { return p == INFINITY; })) return ASSAY_ROW_INF;
  if (std::any_of(in, in + vocab, [](float p) { return std::isnan(p); })) return ASSAY_ROW_NAN;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < vocab; ++i)
    if (in[i] > 0) ids.push_back(i);
  if (ids.empty()) return ASSAY_ROW_EMPTY;
  std::stable_sort(ids.begin(), ids.end(), [in](int64_t i, int64_t j) {
#ifdef HIGHEST_ID_FIRST  // the mistake that CMakeLists.txt builds, to see it refused
    if (in[i] == in[j]) return i > j;
#endif
    return in[i] > in[j];
  });
  if (k > 0 && size_t(k) < ids.size()) ids.resize(k);  // k <= 0 is no filter
  double sum = 0;
  for (int64_t i : ids) sum += in[i];
  for (int64_t i : ids) out[i] = float(in[i] / sum);
  return ASSAY_ROW_OK;
}

static int32_t TopKRenorm(const assay_call*, const assay_filter_args* a) {
  for (int64_t r = 0; r < a->input->shape[0]; ++r)
    static_cast<uint8_t*>(a->status->data)[r] =
        TopKRow(static_cast<const float*>(a->input->data) + r * a->input->strides[0],
                static_cast<float*>(a->output->data) + r * a->output->strides[0],
                a->input->shape[1], static_cast<const int32_t*>(a->top_k->data)[r]);
  return ASSAY_OK;
}

extern "C" const assay_subject* assay_open(uint32_t abi, const char*, const char*) {
  static const assay_subject subject = [] {
    assay_subject s = {};
    s.abi = ASSAY_ABI;
    s.size = sizeof s;
    s.name = "my_sampler";
    s.version = "1.0";
    s.profile = "strict";
    s.device = {kDLCPU, 0};
    s.flags = ASSAY_ROW_STRIDE | ASSAY_ZERO_ROWS;  // what it can take; the rest is not sent
    s.dtypes = ASSAY_F32;
    s.status_form = ASSAY_STATUS_CODES;
    s.ops.size = sizeof s.ops;
    s.ops.top_k_renorm_probs = TopKRenorm;  // the rest stays null: not offered
    return s;
  }();
  return abi == ASSAY_ABI ? &subject : nullptr;
}
