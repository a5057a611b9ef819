#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "conformance/subjects/calls/logprob_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/scale.h"
#include "conformance/subjects/host/softmax.h"

// gather_token_logprobs and top_n_logprobs: the row under its mask; what the filters keep of its
// softmax, if there are any; of those tokens the exponent of the weight less the logarithm of the
// weights' sum. Ranks and lists compare the results.
namespace assay::host {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using calls::LogprobCall;

bool Filters(const FilterParams& params) {
  return params.top_k > 0 || params.use_top_p || params.greedy;
}

// The log-probabilities of one row after another.
class LogprobRows {
 public:
  LogprobRows(const LogprobCall& call, const Config& config, float* buffer)
      : call_(call), config_(config), shape_(ShapeFor(config, call.logits.rows)), buffer_(buffer) {}

  // The row's status; Values() are its log-probabilities if that is ASSAY_ROW_OK.
  uint8_t Prepare(int64_t row);
  std::span<const float> Values() const { return value_; }

 private:
  RowView Read(int64_t row);
  template <typename Bits>
  void CopyMasked(int64_t row, Bits negative_inf);
  Tokens Law(const RowView& view, float temperature, const FilterParams& params);
  void Write(const RowView& view, const Tokens& kept, float temperature);

  const LogprobCall& call_;
  const Config& config_;
  SumShape shape_;
  float* buffer_;
  std::vector<unsigned char> masked_;
  std::vector<float> value_, probs_, scratch_;
};

template <typename Bits>
void LogprobRows::CopyMasked(int64_t row, Bits negative_inf) {
  const auto columns = static_cast<size_t>(call_.logits.columns);
  masked_.resize(columns * sizeof(Bits));
  std::memcpy(masked_.data(), call_.logits.Row<const Bits>(row), masked_.size());
  const auto* words = call_.bitmask.Row<const uint32_t>(row);
  for (size_t i = 0; i < columns; ++i) {
    if ((words[i / 32] >> i % 32 & 1u) == 0) {
      std::memcpy(masked_.data() + i * sizeof(Bits), &negative_inf, sizeof(Bits));
    }
  }
}

RowView LogprobRows::Read(int64_t row) {
  if (!call_.masked) return ReadLogits(call_.logits, row, config_, buffer_);
  switch (call_.logits.dtype) {
    case Dtype::kF16: CopyMasked<uint16_t>(row, 0xFC00); break;
    case Dtype::kBf16: CopyMasked<uint16_t>(row, 0xFF80); break;
    default: CopyMasked<uint32_t>(row, 0xFF800000u);
  }
  Matrix one = call_.logits;
  one.data = masked_.data();
  one.rows = 1;
  return ReadLogits(one, 0, config_, buffer_);
}

Tokens LogprobRows::Law(const RowView& view, float temperature, const FilterParams& params) {
  probs_.assign(static_cast<size_t>(RoundUp(call_.logits.columns, kChunk)), 0.0f);
  SoftmaxOfRow(view, temperature, config_, shape_, scratch_, probs_.data());
  Tokens tokens = PositiveTokens({probs_.data(), view.value.size()});
  // The softmax sums to 1 but for rounding: top_p is a fraction of it under every profile.
  const Order order = call_.joint ? Order::kJoint : Order::kTopKFirst;
  if (Filters(params)) Keep(params, order, true, config_, shape_, tokens);
  return tokens;
}

void LogprobRows::Write(const RowView& view, const Tokens& kept, float temperature) {
  const float largest = *std::ranges::max_element(view.value);
  const bool shared = temperature == 0 || largest == HUGE_VALF;  // by all tokens of the law
  const Scaler scaler(shared ? 1.0f : temperature, shared ? 0.0f : largest, config_.numerics.scale);
  const auto logit = [&](size_t i) { return view.value[static_cast<size_t>(kept.id[i])]; };
  std::vector<float> exponent(kept.id.size());
  scratch_.assign(static_cast<size_t>(RoundUp(std::ssize(kept.id), kChunk)), 0.0f);
  for (size_t i = 0; i < kept.id.size(); ++i) {
    exponent[i] = shared ? 0.0f : scaler(logit(i));
    scratch_[i] = Exponential(exponent[i], config_.numerics.exp);
  }
  const float sum = Total({scratch_.data(), kept.id.size()}, shape_), log_sum = std::log(sum);
  const LogForm form = shared ? LogForm::kDifference : config_.numerics.log_form;
  const bool of_law = form == LogForm::kOfLaw && !kept.value.empty();
  value_.assign(view.value.size(), -HUGE_VALF);
  for (size_t i = 0; i < kept.id.size(); ++i) {
    value_[static_cast<size_t>(kept.id[i])] =
        of_law                        ? std::log(scratch_[i] / sum)
        : form == LogForm::kLogSumExp ? logit(i) / temperature - (largest / temperature + log_sum)
                                      : exponent[i] - log_sum;
  }
}

uint8_t LogprobRows::Prepare(int64_t row) {
  FilterParams params;
  if (call_.top_k) ReadTopK(call_.top_k[row], call_.logits.columns, config_.profile, params);
  if (call_.top_p) ReadTopP(call_.top_p[row], config_.profile, params);
  float temperature = call_.temperature ? call_.temperature[row] : 1.0f;
  if (!(temperature >= 0 && temperature < HUGE_VALF)) {
    if (config_.profile.bad_param != BadParam::kOff) params.outside_domain = true;
    temperature = 1;
  }
  if (params.outside_domain) return ASSAY_ROW_PARAMETER;
  const RowView view = Read(row);
  if (view.status != ASSAY_ROW_OK) return view.status;
  const float largest = *std::ranges::max_element(view.value);
  if (largest == -HUGE_VALF) return ASSAY_ROW_EMPTY;
  if (Filters(params) || temperature == 0 || largest == HUGE_VALF) {
    Write(view, Law(view, temperature, params), temperature);
    return ASSAY_ROW_OK;
  }
  Tokens all;
  for (size_t i = 0; i < view.value.size(); ++i) {
    if (view.value[i] > -HUGE_VALF) all.id.push_back(static_cast<int32_t>(i));
  }
  Write(view, all, temperature);
  return ASSAY_ROW_OK;
}

int32_t RankOf(std::span<const float> values, float own, LogprobRank rule) {
  const auto above = std::ranges::count_if(values, [own](float x) { return x > own; });
  if (rule == LogprobRank::kAbove) return static_cast<int32_t>(above + 1);
  return static_cast<int32_t>(above + std::ranges::count(values, own));
}

void Gather(const calls::TokenLogprobCall& call, const Config& config, float* buffer) {
  LogprobRows rows(call, config, buffer);
  for (int64_t r = 0; r < call.logits.rows; ++r) {
    const int32_t token = call.tokens[r];
    const bool inside = token >= 0 && token < call.logits.columns;
    call.status[r] = inside ? rows.Prepare(r) : static_cast<uint8_t>(ASSAY_ROW_TOKEN);
    const bool good = call.status[r] == ASSAY_ROW_OK;
    call.logprobs[r] = good ? rows.Values()[static_cast<size_t>(token)] : kNan;
    call.ranks[r] = good ? RankOf(rows.Values(), call.logprobs[r], config.profile.logprob_rank) : 0;
  }
}

void List(std::span<const float> values, int64_t n, int32_t* ids, float* logprobs) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](int32_t id) { return values[static_cast<size_t>(id)]; };
  std::ranges::partial_sort(order, order.begin() + n, [&](int32_t a, int32_t b) {
    return at(a) != at(b) ? at(a) > at(b) : a < b;
  });
  for (int64_t i = 0; i < n; ++i) {
    ids[i] = order[static_cast<size_t>(i)];
    logprobs[i] = at(ids[i]);
  }
}

}  // namespace

int32_t GatherTokenLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const calls::TokenLogprobCall checked = calls::CheckTokenLogprobs(*args);
    Gather(checked, config, CheckWorkspace(*call, checked.logits.rows, checked.logits.columns));
  });
}

int32_t TopNLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const calls::TopLogprobCall checked = calls::CheckTopLogprobs(*args);
    const int64_t rows = checked.logits.rows, n = checked.n;
    LogprobRows made(checked, config, CheckWorkspace(*call, rows, checked.logits.columns));
    for (int64_t r = 0; r < rows; ++r) {
      auto *row_ids = checked.ids.Row<int32_t>(r), *end = row_ids + n;
      auto* row_values = checked.logprobs.Row<float>(r);
      checked.status[r] = made.Prepare(r);
      if (checked.status[r] == ASSAY_ROW_OK) {
        List(made.Values(), n, row_ids, row_values);
      } else {
        std::fill(row_ids, end, -1);
        std::fill(row_values, row_values + n, kNan);
      }
    }
  });
}

}  // namespace assay::host
