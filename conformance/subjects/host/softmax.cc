#include "conformance/subjects/host/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/scale.h"

// softmax: output = softmax(input / temperature), by row: the maximum, the exponentials (at most 1
// where the scale is a difference), their sum, the quotients. Budget: one rounding of the
// exponent's argument, one ulp of exp, the sum, the division.
namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
// Below it the rounding of subnormal results nears the relative budget; below 2^-126 zero is legal.
constexpr float kSmallest = 0x1p-130f;

struct RowKernel {
  const Config& config;
  SumShape shape;
  std::vector<float>& scratch;

  float Term(float x, const Scaler& scaler) const {
    const float e = Exponential(scaler(x), config.numerics.exp);
    return FlushesSubnormals(config) && e < 0x1p-126f ? 0.0f : e;
  }

  float TwoPassSum(std::span<const float> row, const Scaler& scaler) {
    scratch.assign(static_cast<size_t>(RoundUp(std::ssize(row), kChunk)), 0.0f);
    if (scaler.IsDifference() && config.numerics.exp == Exp::kExp && !FlushesSubnormals(config)) {
      for (size_t i = 0; i < row.size(); ++i) scratch[i] = std::exp(scaler.Difference(row[i]));
    } else {
      for (size_t i = 0; i < row.size(); ++i) scratch[i] = Term(row[i], scaler);
    }
    return Total({scratch.data(), row.size()}, shape);
  }

  // The sum relative to the largest logit so far; a larger one rescales it.
  float OnlineSum(std::span<const float> row, float temperature) {
    float largest = -kInf, sum = 0;
    for (size_t begin = 0; begin < row.size(); begin += static_cast<size_t>(shape.tile)) {
      const auto tile =
          row.subspan(begin, std::min<size_t>(static_cast<size_t>(shape.tile), row.size() - begin));
      const float here = *std::max_element(tile.begin(), tile.end());
      if (here == -kInf) continue;
      const Scaler scaler(temperature, std::max(here, largest), config.numerics.scale);
      const float rescaled = sum == 0 ? 0.0f : sum * Term(largest, scaler);
      largest = std::max(here, largest);
      sum = rescaled + TwoPassSum(tile, scaler);
    }
    return sum;
  }

  void Write(std::span<const float> row, float temperature, float largest, float* out) {
    const Scaler scaler(temperature, largest, config.numerics.scale);
    const bool online = config.numerics.online;
    const Normaliser normalise(online ? OnlineSum(row, temperature) : TwoPassSum(row, scaler),
                               config, kSmallest);
    if (online) {
      for (size_t i = 0; i < row.size(); ++i) out[i] = normalise(Term(row[i], scaler));
    } else {
      normalise.Apply(scratch.data(), std::ssize(row), out);
    }
  }
};

// 1/n for each of the n logits that `chosen` picks.
template <typename Chosen>
void ShareEqually(std::span<const float> row, float* out, Chosen chosen, const Config& config) {
  const auto count = std::count_if(row.begin(), row.end(), chosen);
  const Normaliser normalise(static_cast<float>(count), config);
  for (size_t i = 0; i < row.size(); ++i) out[i] = chosen(row[i]) ? normalise(1.0f) : 0.0f;
}

void WriteGreedy(std::span<const float> row, float largest, const Profile& profile, float* out) {
  std::fill(out, out + row.size(), 0.0f);
  size_t token = row.size();
  for (size_t i = 0; i < row.size(); ++i) {
    const bool first = token == row.size() || profile.argmax_ties == ArgmaxTies::kHighest;
    if (row[i] == largest && first) token = i;
  }
  out[token] = 1.0f;
}

void WriteRow(RowKernel& kernel, std::span<const float> row, float temperature, float* out) {
  const Profile& profile = kernel.config.profile;
  const float largest = *std::max_element(row.begin(), row.end());
  if (temperature == 0 && profile.temperature_zero != TemperatureZero::kUniform) {
    return WriteGreedy(row, largest, profile, out);
  }
  if (largest == kInf) {
    return ShareEqually(
        row, out, [](float x) { return x == kInf; }, kernel.config);
  }
  if (temperature == 0) {
    return ShareEqually(
        row, out, [](float x) { return x != -kInf; }, kernel.config);
  }
  kernel.Write(row, temperature, largest, out);
}

bool AllNegativeInfinity(std::span<const float> row) {
  return std::all_of(row.begin(), row.end(), [](float x) { return x == -kInf; });
}

}  // namespace

uint8_t SoftmaxOfRow(const RowView& view, float temperature, const Config& config,
                     const SumShape& shape, std::vector<float>& scratch, float* out) {
  const bool bad = !(temperature >= 0 && temperature < kInf);
  uint8_t status = view.status;
  if (status == ASSAY_ROW_OK && AllNegativeInfinity(view.value)) status = ASSAY_ROW_EMPTY;
  if (bad && config.profile.bad_param != BadParam::kOff) status = ASSAY_ROW_PARAMETER;
  if (status != ASSAY_ROW_OK) {
    std::fill(out, out + view.value.size(), 0.0f);
  } else {
    RowKernel kernel{.config = config, .shape = shape, .scratch = scratch};
    WriteRow(kernel, view.value, bad ? 1.0f : temperature, out);
  }
  return status;
}

int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const calls::FilterCall checked = calls::CheckFilter(*args, {.temperature = true});
    const Matrix &input = checked.input, &output = checked.output;
    const Vector<float>& temperature = checked.temperature;
    float* buffer = CheckWorkspace(*call, input.rows, input.columns);
    const SumShape shape = ShapeFor(config, input.rows);
    std::vector<float> scratch;
    for (int64_t r = 0; r < input.rows; ++r) {
      const RowView view = ReadLogits(input, r, config, buffer);
      checked.status[r] = SoftmaxOfRow(view, temperature ? temperature[r] : 1.0f, config, shape,
                                       scratch, output.Row<float>(r));
    }
  });
}

}  // namespace assay::host
