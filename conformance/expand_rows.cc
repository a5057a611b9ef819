#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"

namespace assay {
namespace {

using Values = std::vector<double>;

constexpr double kGrid = 0x1p-23;
constexpr int64_t kMostPieces = 4096;

// Tokens at `count` random places of a row of `vocab`; all of them if count = vocab.
std::vector<int32_t> Places(int64_t count, int64_t vocab, CaseRandom& random) {
  std::vector<int32_t> ids = Permutation(vocab, random);
  ids.resize(static_cast<size_t>(count));
  return ids;
}

// 1 broken into pieces: each step splits the first large enough piece of a random walk into halves
// or into 5/8 and 3/8. All pieces are multiples of `grid` with at most 8 significant bits.
Values Pieces(int64_t count, double grid, CaseRandom& random) {
  Values pieces = {1.0};
  size_t at = 0;
  int idle = 0;
  while (static_cast<int64_t>(pieces.size()) < count && idle < 64) {
    at = static_cast<size_t>(random.Below(static_cast<int64_t>(pieces.size())));
    const double whole = pieces[at];
    const bool uneven = random.Below(3) == 0;
    const double part = whole * (uneven ? 0.625 : 0.5), rest = whole - part;
    int exponent;
    const auto fits = [&](double x) {  // 8 significant bits on the grid
      const double mantissa = std::frexp(x, &exponent) * 256;
      return mantissa == std::floor(mantissa) && std::fmod(x, grid) == 0;
    };
    if (!fits(part) || !fits(rest)) {
      ++idle;
      continue;
    }
    idle = 0;
    pieces[at] = part;
    pieces.push_back(rest);
  }
  return pieces;
}

void Scatter(const Values& pieces, int64_t vocab, CaseRandom& random, Values& row) {
  const auto ids = Places(static_cast<int64_t>(pieces.size()), vocab, random);
  for (size_t i = 0; i < pieces.size(); ++i) row[static_cast<size_t>(ids[i])] = pieces[i];
}

// Levels of equal tokens: 1/2 once, then groups of 2^g tokens that share a quarter, an eighth, ...
Values TieLevels(int64_t vocab, CaseRandom& random) {
  Values pieces;
  double left = 1.0;
  int64_t room = vocab;
  while (room > 0 && left > 0) {
    const auto largest = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(room)) - 1);
    const int64_t group = int64_t{1} << random.Below(std::min<int64_t>(largest, 12) + 1);
    const bool last = room - group == 0 || left <= 0x1p-6 || random.Below(4) == 0;
    const double share = last ? left : left / 2;
    const double each = share / static_cast<double>(group);
    if (each < kGrid) {
      pieces.push_back(left);
      break;
    }
    pieces.insert(pieces.end(), static_cast<size_t>(group), each);
    left -= share;
    room -= group;
  }
  return pieces;
}

Values Normalised(Values weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  for (double& w : weights) w /= sum;
  return weights;
}

Values SoftmaxOf(const Values& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Values weights(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) weights[i] = std::exp(logits[i] - largest);
  return Normalised(std::move(weights));
}

Values Smooth(const Case& at, int64_t vocab, CaseRandom& random) {
  Values weights(static_cast<size_t>(vocab));
  switch (at.family) {
    case family::kZipf: {
      const auto ids = Permutation(vocab, random);
      for (size_t i = 0; i < ids.size(); ++i)
        weights[static_cast<size_t>(ids[i])] = 1.0 / static_cast<double>(i + 1);
      return Normalised(std::move(weights));
    }
    case family::kPeaked: {
      for (double& w : weights) w = 0.001 * (0.5 + random.Unit()) / static_cast<double>(vocab);
      weights[static_cast<size_t>(PlaceOf(at.place, vocab))] = 0.999;
      return Normalised(std::move(weights));
    }
    case family::kNearTies: {
      const double each = 1.0 / static_cast<double>(vocab);
      for (double& w : weights) w = each * (1 + 0x1p-23 * static_cast<double>(random.Below(8)));
      return weights;
    }
    default: {
      for (double& w : weights) w = 3 * random.Normal();
      return SoftmaxOf(weights);
    }
  }
}

}  // namespace

bool IsExact(const Case& at) { return at.family <= family::kLastExact; }

std::vector<double> ProbsRow(const Case& at, int64_t row, DType dtype, const Profile& profile) {
  CaseRandom random(at, row);
  const int64_t vocab = at.vocab;
  Values values(static_cast<size_t>(vocab), 0.0);
  int64_t made = at.family;
  const bool must_sum = profile.row_sum == RowSum::kIllegal;
  if (must_sum && (made == family::kUnscaled || made == family::kSubnormal)) made = family::kDyadic;
  if (must_sum && dtype != DType::kF32 && made > family::kLastExact) made = family::kDyadic;
  switch (made) {
    case family::kFlat: {
      const auto count = std::bit_floor(static_cast<uint64_t>(std::min<int64_t>(vocab, 1 << 23)));
      Scatter(Values(count, 1.0 / static_cast<double>(count)), vocab, random, values);
      break;
    }
    case family::kTies: Scatter(TieLevels(vocab, random), vocab, random, values); break;
    case family::kOneHot: values[static_cast<size_t>(PlaceOf(at.place, vocab))] = 1; break;
    case family::kSteps: {
      Values pieces;
      double left = 1;
      for (int64_t i = 0; i + 1 < std::min<int64_t>(vocab, 20); ++i) pieces.push_back(left /= 2);
      pieces.push_back(left);
      Scatter(pieces, vocab, random, values);
      break;
    }
    case family::kDyadic:
    case family::kUnscaled: {
      const int64_t most = std::min(vocab, kMostPieces);
      const int64_t count = random.Below(3) == 0 ? most : 1 + random.Below(most);
      // fp16 holds multiples of 2^-24 only.
      const double scale = made == family::kUnscaled ? 0x1p-4 : 1;
      Scatter(Pieces(count, kGrid / scale, random), vocab, random, values);
      for (double& v : values) v *= scale;
      break;
    }
    case family::kSubnormal:
      for (double& v : values) v = 0x1p-149 * static_cast<double>(1 + random.Below(1 << 20));
      break;
    case family::kMasked: {
      values = Smooth(at, vocab, random);
      const auto stays = static_cast<size_t>(random.Below(vocab));
      for (size_t i = 0; i < values.size(); ++i)
        if (i != stays && random.Below(2) == 0) values[i] = 0;
      if (must_sum) values = Normalised(std::move(values));
      break;
    }
    case family::kRecorded: values = SoftmaxOf(RecordedLogits(row, vocab)); break;
    default: values = Smooth(at, vocab, random);
  }
  for (double& v : values) v = DecodeFloat(dtype, EncodeFloat(dtype, v));
  return values;
}

Tensor Probs(const Case& at, const Trial& trial) {
  Tensor tensor = Tensor::Matrix(trial.dtype(), at.rows, at.vocab, {at.pad, at.misalign});
  for (int64_t r = 0; r < at.rows; ++r)
    tensor.SetRow(r, ProbsRow(at, r, trial.dtype(), trial.profile()));
  return tensor;
}

}  // namespace assay
