#include "conformance/expand.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "conformance/matchers.h"
#include "conformance/rules.h"

namespace assay {
namespace {

constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfF = std::numeric_limits<float>::infinity();

// Codes of top_p. The values near 1 and 0 are the neighbours of the ends in fp32.
constexpr std::array<float, 16> kTopP = {1.0f,  0.5f,  0.75f,    0.25f,        0.875f, 0.9f,
                                         0.95f, 0.99f, 0x1p-20f, 1 - 0x1p-24f, 0.3f,   0.0f,
                                         kNanF, -0.5f, 1.5f,     kInfF};
constexpr std::array<float, 13> kMinP = {0.0f,  0.5f,     0.25f, 1.0f,  0.0625f, 0.1f, 0.9f,
                                         1e-6f, 0x1p-24f, kNanF, -0.5f, 1.5f,    kInfF};
constexpr std::array<float, 15> kTemperature = {1.0f, 0.5f,  2.0f,  0.25f,  4.0f,
                                                0.7f, 1.3f,  0.01f, 100.0f, 1e-4f,
                                                0.0f, kNanF, -1.0f, kInfF,  -kInfF};
constexpr std::array<uint64_t, kOffsets> kOffsetValues = {
    0, 1, 2, 3, 4, 1000, uint64_t{1} << 32, (uint64_t{1} << 63) + 5};

uint64_t Mix(uint64_t x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Codes of odd rows: something that differs from the even rows' whatever those are.
constexpr int64_t kOtherTopK = 1, kOtherTopP = 3, kOtherMinP = 2, kOtherTemperature = 4;
int64_t RowCode(const Case& at, int64_t row, int64_t code, int64_t other) {
  if (at.scalar || row % 2 == 0) return code;
  return code == other ? 0 : other;
}

// The parameters of rows as the operation takes them: by slot where the field has shape P.
Tensor AsField(const Tensor& by_row, const ArgField& field, const Case& at) {
  if (field.shape != "P" || by_row.ndim() == 0) return by_row;
  Tensor pool = Tensor::Vector(by_row.dtype(), SlotsOf(at));
  for (int64_t r = 0; r < at.rows; ++r) pool.SetBits(0, SlotOf(at, r), by_row.Bits(0, r));
  if (at.rows > 0) pool.SetBits(0, 0, by_row.Bits(0, 0));
  return pool;
}

// The six pools of gather_and_expand_scalars, any bits of each.
Tensor AnyPool(const Case& at, const ArgField& field) {
  const DType dtype = DTypeOf(field.dtype);
  Tensor pool = Tensor::Vector(dtype, SlotsOf(at));
  CaseRandom random(at, 0, field.at);
  const uint64_t bits = SizeOf(dtype) == 8 ? ~uint64_t{0} : 0xFFFFFFFFu;
  for (int64_t s = 0; s < pool.cols(); ++s) pool.SetBits(0, s, random.Next() & bits);
  return pool;
}

// Temperatures of slots are never scalars.
Tensor Temperatures(const Case& at, const ArgField& field) {
  if (field.shape != "P" || !at.scalar) return AsField(TemperatureTensor(at), field, at);
  Tensor pool = Tensor::Vector(DType::kF32, SlotsOf(at));
  for (int64_t s = 0; s < pool.cols(); ++s)
    pool.Set(0, s, static_cast<double>(RowTemperature(at, 0)));
  return pool;
}

Tensor Slots(const Case& at) {
  Tensor slots = Tensor::Vector(DType::kI32, at.rows);
  for (int64_t r = 0; r < at.rows; ++r) slots.SetInt(r, SlotOf(at, r));
  return slots;
}

Tensor ParamTensor(const Case& at, DType dtype) {
  return at.scalar ? Tensor::Scalar(dtype) : Tensor::Vector(dtype, at.rows);
}

Tensor MaskTensor(const Case& at) {
  Tensor mask = Tensor::Matrix(DType::kI32, at.rows, (at.vocab + 31) / 32, {at.pad, 0});
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 11);
    for (int64_t w = 0; w < mask.cols(); ++w) mask.SetBits(r, w, random.Next() & 0xFFFFFFFFu);
  }
  return mask;
}

// Each row's largest token is allowed.
void AllowLargest(const Tensor& rows, Tensor& mask) {
  for (int64_t r = 0; r < rows.rows(); ++r) {
    const std::vector<double> row = rows.Row(r);
    const int64_t token = std::max_element(row.begin(), row.end()) - row.begin();
    mask.SetBits(r, token / 32, mask.Bits(r, token / 32) | uint64_t{1} << token % 32);
  }
}

}  // namespace

int64_t PlaceOf(int64_t code, int64_t vocab) {
  const std::array<int64_t, kPlaces> places = {0,    vocab - 1, vocab / 2, 31,  32,
                                               1023, 1024,      4095,      4096};
  return std::min(places[static_cast<size_t>(code % kPlaces)], vocab - 1);
}

int32_t TopKOf(int64_t code, int64_t vocab) {
  switch (code) {
    case 0: return static_cast<int32_t>(vocab);
    case -1: return 0;
    case -2: return -1;
    case -3: return static_cast<int32_t>(vocab + 1);
    case -4: return std::numeric_limits<int32_t>::max();
    case -5: return static_cast<int32_t>(std::max<int64_t>(vocab - 1, 1));
    case -6: return ASSAY_TOP_K_OFF;
    default: return static_cast<int32_t>(code);
  }
}

float TopPOf(int64_t code) { return kTopP[static_cast<size_t>(code) % kTopP.size()]; }
float MinPOf(int64_t code) { return kMinP[static_cast<size_t>(code) % kMinP.size()]; }
float TemperatureOf(int64_t code) {
  return kTemperature[static_cast<size_t>(code) % kTemperature.size()];
}
int64_t TopNOf(const Case& at) {
  const int64_t counts[] = {5, at.vocab, 1, at.vocab / 2 + 1};
  const bool own = at.place < std::ssize(counts);
  return std::min(own ? counts[at.place] : PlaceOf(at.place, at.vocab) + 1, at.vocab);
}
uint64_t OffsetOf(int64_t code) { return kOffsetValues[static_cast<size_t>(code) % kOffsets]; }

CaseRandom::CaseRandom(const Case& at, int64_t row, uint64_t purpose)
    : state_(Mix(static_cast<uint64_t>(at.seed) * 0x9E3779B97F4A7C15u +
                 Mix(static_cast<uint64_t>(row) + 1) + purpose * 0xD1342543DE82EF95u)) {}

uint64_t CaseRandom::Next() {
  state_ += 0x9E3779B97F4A7C15u;
  return Mix(state_);
}

double CaseRandom::Normal() {
  const double u = 1 - Unit(), v = Unit();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
}

std::vector<int32_t> Permutation(int64_t n, CaseRandom& random) {
  std::vector<int32_t> ids(static_cast<size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  for (size_t i = ids.size(); i > 1; --i)
    std::swap(ids[i - 1], ids[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  return ids;
}

int32_t RowTopK(const Case& at, int64_t row) {
  return TopKOf(RowCode(at, row, at.top_k, kOtherTopK), at.vocab);
}
float RowTopP(const Case& at, int64_t row) {
  return TopPOf(RowCode(at, row, at.top_p, kOtherTopP));
}
float RowMinP(const Case& at, int64_t row) {
  return MinPOf(RowCode(at, row, at.min_p, kOtherMinP));
}
float RowTemperature(const Case& at, int64_t row) {
  return TemperatureOf(RowCode(at, row, at.temperature, kOtherTemperature));
}
int32_t RowToken(const Case& at, int64_t row) {
  return static_cast<int32_t>(CaseRandom(at, row, 12).Below(at.vocab));
}

uint64_t RowSeed(const Case& at, int64_t row, const Profile& profile) {
  return CaseRandom(at, profile.seed_scope == SeedScope::kOne ? 0 : row, 7).Next();
}
uint64_t RowOffset(const Case& at, int64_t row, const Profile& profile) {
  const uint64_t step = profile.seed_scope == SeedScope::kOne ? 0 : static_cast<uint64_t>(row % 5);
  return OffsetOf(at.offset) + step;
}

Tensor TopKTensor(const Case& at) {
  Tensor tensor = ParamTensor(at, DType::kI32);
  for (int64_t r = 0; r < tensor.cols(); ++r) tensor.SetInt(r, RowTopK(at, r));
  return tensor;
}
Tensor TopPTensor(const Case& at) {
  Tensor tensor = ParamTensor(at, DType::kF32);
  for (int64_t r = 0; r < tensor.cols(); ++r) tensor.Set(0, r, static_cast<double>(RowTopP(at, r)));
  return tensor;
}
Tensor MinPTensor(const Case& at) {
  Tensor tensor = ParamTensor(at, DType::kF32);
  for (int64_t r = 0; r < tensor.cols(); ++r) tensor.Set(0, r, static_cast<double>(RowMinP(at, r)));
  return tensor;
}
Tensor TemperatureTensor(const Case& at) {
  Tensor tensor = ParamTensor(at, DType::kF32);
  for (int64_t r = 0; r < tensor.cols(); ++r)
    tensor.Set(0, r, static_cast<double>(RowTemperature(at, r)));
  return tensor;
}
Tensor TokenTensor(const Case& at) {
  Tensor tensor = Tensor::Vector(DType::kI32, at.rows);
  for (int64_t r = 0; r < at.rows; ++r) tensor.SetInt(r, RowToken(at, r));
  return tensor;
}
Tensor SeedTensor(const Case& at, int64_t rows, const Profile& profile) {
  Tensor tensor = Tensor::Vector(DType::kI64, rows);
  for (int64_t r = 0; r < rows; ++r)
    tensor.SetInt(r, static_cast<int64_t>(RowSeed(at, r, profile)));
  return tensor;
}
Tensor OffsetTensor(const Case& at, int64_t rows, const Profile& profile) {
  Tensor tensor = Tensor::Vector(DType::kI64, rows);
  for (int64_t r = 0; r < rows; ++r)
    tensor.SetInt(r, static_cast<int64_t>(RowOffset(at, r, profile)));
  return tensor;
}

FilterParams FiltersOf(const Operation& operation) {
  FilterParams params;
  params.use_top_k = FindField(operation, "top_k");
  params.use_top_p = FindField(operation, "top_p");
  params.use_min_p = FindField(operation, "min_p");
  return params;
}

FilterParams ParamsOf(const Case& at, int64_t row, const Operation& operation) {
  FilterParams params = FiltersOf(operation);
  params.top_k = RowTopK(at, row);
  params.top_p = static_cast<double>(RowTopP(at, row));
  params.min_p = static_cast<double>(RowMinP(at, row));
  params.order = static_cast<FilterOrder>(at.order);
  return params;
}

Axis VocabAxis(const Context& context, int64_t largest) {
  constexpr int64_t kQuickPairs = 4097;
  std::vector<int64_t> all = {2,    1,    3,     5,     33,    129,    1000,   1025,
                              4097, 8,    31,    32,    127,   1023,   1024,   4095,
                              4096, 8193, 32001, 50257, 65536, 131072, 151937, 262144};
  for (const int64_t* edge = context.subject->breakpoints; edge && *edge; ++edge)
    for (const int64_t near : {*edge - 1, *edge, *edge + 1})
      if (std::find(all.begin(), all.end(), near) == all.end()) all.push_back(near);
  std::erase_if(all, [&](int64_t v) { return v < 1 || v > largest; });
  if (context.tier != Tier::kQuick) return {&Case::vocab, all};
  const auto paired = std::find(all.begin(), all.end(), kQuickPairs);
  const auto split = paired == all.end() ? all.end() : paired + 1;
  return {&Case::vocab, {all.begin(), split}, {split, all.end()}};
}

Axis WholeVocabAxis(const Context& context, int64_t largest) {
  Axis axis = VocabAxis(context, largest);
  axis.values.insert(axis.values.end(), axis.alone.begin(), axis.alone.end());
  return axis;
}

Inputs TypicalInputs(const Case& at, const Trial& trial) {
  Inputs in;
  in.rows = at.rows;
  in.out_layout = {at.pad, at.misalign};
  for (const ArgField& field : trial.operation().fields) {
    const auto put = [&](Tensor tensor) { in.tensors.emplace(field.name, std::move(tensor)); };
    if (field.name == RowsField(trial.operation())) put(Probs(at, trial));
    if (field.name == "param_rows" || field.name == "index") put(Slots(at));
    if (field.name.ends_with("_pool")) put(AnyPool(at, field));
    if (field.name == "n") in.numbers[field.name] = at.vocab;
    if (field.name == "history") PutRules(TypicalRules(at), {}, &in);
    if (field.name == "transitions") PutMatchers(TypicalMatchers(at, trial.profile()), &in);
    if (field.name == "temperature") put(Temperatures(at, field));
    if (field.name == "top_k") put(AsField(TopKTensor(at), field, at));
    if (field.name == "top_p") put(AsField(TopPTensor(at), field, at));
    if (field.name == "min_p") put(AsField(MinPTensor(at), field, at));
    if (field.name == "seed") put(SeedTensor(at, at.rows, trial.profile()));
    if (field.name == "offset") put(OffsetTensor(at, at.rows, trial.profile()));
    if (field.name == "filter_order") in.numbers[field.name] = at.order;
    if (field.name == "bitmask") put(MaskTensor(at));
    if (field.name == "tokens") put(TokenTensor(at));
    if (field.name == "n") in.numbers[field.name] = TopNOf(at);
  }
  const ArgField* mask = FindField(trial.operation(), "bitmask");
  if (mask && mask->role == Role::kOptional)
    AllowLargest(in.tensors.at(RowsField(trial.operation())), in.tensors.at("bitmask"));
  return in;
}

}  // namespace assay
