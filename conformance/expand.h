#ifndef ASSAY_CONFORMANCE_EXPAND_H_
#define ASSAY_CONFORMANCE_EXPAND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/property.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"
#include "reference/filters.h"

namespace assay {

// What Case::family says. Up to kLastExact every decision on the row is exact in fp32:
// probabilities are multiples of 2^-23 with at most 8 significant bits that sum to 1, in any of the
// dtypes.
namespace family {
enum : int64_t {
  kDyadic,  // random halvings of 1 over at most 4,096 tokens, zeros between them
  kFlat,    // 2^m equal tokens, the rest zero
  kTies,    // a few levels with large groups of equal tokens
  kOneHot,  // all mass at `place`
  kSteps,   // 1/2, 1/4, 1/8, ... in random places: distinct
  kLastExact = kSteps,
  kZipf,       // 1 / rank, permuted
  kNormal,     // softmax of N(0, 3)
  kPeaked,     // one token of 0.999, a smooth tail
  kNearTies,   // values one ulp apart
  kRecorded,   // softmax of the recorded logits of a real model (V is the model's)
  kUnscaled,   // dyadic, times 2^-4: the sum is 1/16
  kSubnormal,  // fp32 subnormals only
  kMasked,     // kNormal, half of the tokens masked after the softmax; renormalised where rows must
               // sum to 1
};
}

// What Case::place says: a position in a row of V tokens. 0 first, 1 last, 2 middle, then tile and
// vector edges.
int64_t PlaceOf(int64_t code, int64_t vocab);
inline constexpr int64_t kPlaces = 9;

// What Case::top_k says: the code itself if positive; 0: V; -1: 0; -2: -1; -3: V + 1; -4: 2^31 - 1;
// -5: V - 1; -6: ASSAY_TOP_K_OFF.
int32_t TopKOf(int64_t code, int64_t vocab);
// What Case::top_p says. 0: 1.0 ... kTopPBadFirst and above lie outside the domain.
float TopPOf(int64_t code);
inline constexpr int64_t kTopPCodes = 12, kTopPZero = 11, kTopPBadFirst = 12, kTopPBadLast = 15;
// What Case::min_p says. 0: 0.0 (off) ... likewise.
float MinPOf(int64_t code);
inline constexpr int64_t kMinPCodes = 9, kMinPBadFirst = 9, kMinPBadLast = 12;
// What Case::temperature says. 0: 1.0 ... likewise.
float TemperatureOf(int64_t code);
inline constexpr int64_t kTemperatureCodes = 11, kTemperatureZero = 10, kTemperatureBadFirst = 11,
                         kTemperatureBadLast = 14;
// What Case::offset says: a random offset.
uint64_t OffsetOf(int64_t code);
inline constexpr int64_t kOffsets = 8;

// Entries that top_n_logprobs lists of a row, by Case::place. 0: 5; 1: V; 2: 1; 3: V/2 + 1; then
// one more than PlaceOf. At most V.
int64_t TopNOf(const Case& at);

// A source of random numbers that depends on the case's seed, a row and a purpose only.
class CaseRandom {
 public:
  CaseRandom(const Case& at, int64_t row, uint64_t purpose = 0);
  uint64_t Next();
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  double Normal();

 private:
  uint64_t state_;
};
std::vector<int32_t> Permutation(int64_t n, CaseRandom& random);

// One row of probabilities, each representable in `dtype`. Families that are not exact fall back to
// kDyadic where the profile takes only rows that sum to 1 and the dtype cannot hold one.
std::vector<double> ProbsRow(const Case& at, int64_t row, DType dtype, const Profile& profile);
bool IsExact(const Case& at);

// Rows as a tensor with the case's layout; row r of the case is row r.
Tensor Probs(const Case& at, const Trial& trial);

// Parameters of row r: even rows have the case's own code, odd rows another one, so that a kernel
// that reads a neighbour's is seen. With `scalar` all rows have the case's own.
int32_t RowTopK(const Case& at, int64_t row);
float RowTopP(const Case& at, int64_t row);
float RowMinP(const Case& at, int64_t row);
float RowTemperature(const Case& at, int64_t row);
int32_t RowToken(const Case& at, int64_t row);  // one in [0, V)
uint64_t RowSeed(const Case& at, int64_t row, const Profile& profile);
uint64_t RowOffset(const Case& at, int64_t row, const Profile& profile);

// Slots of parameters where an operation has them (shape P): row r uses SlotOf(at, r), and slot 0
// is nobody's, so that neither a row's number nor its place in the batch names its slot.
inline int64_t SlotsOf(const Case& at) { return at.rows + 1; }
inline int64_t SlotOf(const Case& at, int64_t row) { return at.rows - row; }

// The same as tensors of case.rows entries (or scalars).
Tensor TopKTensor(const Case& at);
Tensor TopPTensor(const Case& at);
Tensor MinPTensor(const Case& at);
Tensor TemperatureTensor(const Case& at);
Tensor TokenTensor(const Case& at);
Tensor SeedTensor(const Case& at, int64_t rows, const Profile& profile);
Tensor OffsetTensor(const Case& at, int64_t rows, const Profile& profile);

// Parameters that do nothing, of the filters that the operation has.
FilterParams FiltersOf(const Operation& operation);
// The filter that the case puts on row r of the trial's operation.
FilterParams ParamsOf(const Case& at, int64_t row, const Operation& operation);

// A typical, valid call of any operation: what the properties that hold for all of them start from.
// An operation without a vocabulary has V columns.
Inputs TypicalInputs(const Case& at, const Trial& trial);

// V from 1 to `largest` with tile and vector edges, and the subject's own breakpoints -1, 0, +1. In
// the quick tier large ones stand alone.
Axis VocabAxis(const Context& context, int64_t largest);
Axis WholeVocabAxis(const Context& context, int64_t largest);  // large ones among the others

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_EXPAND_H_
