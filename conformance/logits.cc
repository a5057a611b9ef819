#include "conformance/logits.h"

#include <bit>
#include <limits>

#include "conformance/expand.h"
#include "conformance/fixture.h"

namespace assay {
namespace {

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarBelow = -200, kWidest = 10000;

size_t Place(const Case& at) { return static_cast<size_t>(PlaceOf(at.place, at.vocab)); }

Values Level(const Case& at, CaseRandom& random) {
  Values row(static_cast<size_t>(at.vocab), -kInfinity);
  const auto most = std::bit_width(static_cast<uint64_t>(at.vocab)) - 1;
  const auto count = size_t{1} << random.Below(static_cast<int64_t>(most) + 1);
  const auto level = static_cast<double>(random.Below(17) - 8);
  const std::vector<int32_t> ids = Permutation(at.vocab, random);
  for (size_t i = 0; i < count; ++i) row[static_cast<size_t>(ids[i])] = level;
  return row;
}

// Every token by itself.
template <class One>
Values Each(const Case& at, One one) {
  Values row(static_cast<size_t>(at.vocab));
  for (double& x : row) x = one();
  return row;
}

Values Masked(const Case& at, CaseRandom& random) {
  Values row = Each(at, [&] { return random.Below(2) ? 5 * random.Normal() : -kInfinity; });
  row[Place(at)] = 5 * random.Normal();
  return row;
}

Values Alone(const Case& at, double here, double elsewhere) {
  Values row(static_cast<size_t>(at.vocab), elsewhere);
  row[Place(at)] = here;
  return row;
}

Values Made(const Case& at, int64_t row, CaseRandom& random) {
  switch (at.family) {
    case logits::kLone: return Alone(at, static_cast<double>(random.Below(17) - 8), -kInfinity);
    case logits::kBeacon: return Alone(at, 0, kFarBelow);
    case logits::kNarrow: return Each(at, [&] { return random.Normal(); });
    case logits::kSpread: return Each(at, [&] { return 5 * random.Normal(); });
    case logits::kMasked: return Masked(at, random);
    case logits::kWide: return Each(at, [&] { return kWidest * (2 * random.Unit() - 1); });
    case logits::kIntegers:
      return Each(at, [&] { return static_cast<double>(random.Below(17) - 8); });
    case logits::kRecorded: return RecordedLogits(row, at.vocab);
    default: return Level(at, random);
  }
}

}  // namespace

std::vector<double> RecordedLogits(int64_t row, int64_t vocab) {
  static const Fixture kLogits = LoadFixture(FixtureDir(), "logits");
  const int64_t rows = kLogits.shape[0], width = kLogits.shape[1];
  Values logits(static_cast<size_t>(vocab));
  for (int64_t i = 0; i < vocab; ++i) {
    const auto byte = static_cast<size_t>(((row % rows) * width + i % width) * 2);
    const auto bits = static_cast<uint64_t>(kLogits.bytes[byte] | kLogits.bytes[byte + 1] << 8);
    logits[static_cast<size_t>(i)] = DecodeFloat(DType::kF16, bits);
  }
  return logits;
}

std::vector<double> LogitsRow(const Case& at, int64_t row, DType dtype) {
  CaseRandom random(at, row);
  Values values = Made(at, row, random);
  for (double& x : values) x = DecodeFloat(dtype, EncodeFloat(dtype, x));
  return values;
}

Tensor Logits(const Case& at, const Trial& trial) {
  Tensor tensor = Tensor::Matrix(trial.dtype(), at.rows, at.vocab, {at.pad, at.misalign});
  for (int64_t r = 0; r < at.rows; ++r) tensor.SetRow(r, LogitsRow(at, r, trial.dtype()));
  return tensor;
}

}  // namespace assay
