#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_SAMPLE_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_SAMPLE_KIT_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/philox.h"

// What the faults of the samplers share.
namespace assay::faults {

using Call = const assay_call*;
using SampleArgs = const assay_sample_args*;

// The dose in a fault's own unit, `stated` unless "?dose=N" gives another one.
inline int DoseOr(int stated) { return Dose() == 1 ? stated : Dose(); }

inline const Profile& ProfileOf(Call call) {
  return static_cast<const host::Config*>(call->self)->profile;
}

// A vector that a fault passes on.
template <class T>
class Column {
 public:
  Column(const DLTensor& like, std::vector<T> values) : values_(std::move(values)), view_(like) {
    view_.data = values_.data();
    view_.shape = &size_;
    view_.strides = &stride_;
    view_.ndim = 1;
    view_.dtype.bits = sizeof(T) * 8;
    size_ = static_cast<int64_t>(values_.size());
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  const DLTensor* operator&() const { return &view_; }

 private:
  std::vector<T> values_;
  DLTensor view_;
  int64_t size_ = 0, stride_ = 1;
};

template <class T>
std::vector<T> Values(const DLTensor& tensor) {
  const T* data = static_cast<const T*>(tensor.data);
  return std::vector<T>(data, data + Cols(tensor));
}

// Where draw r gets its randomness from.
struct Source {
  uint64_t seed, offset;
};
inline Source SourceOf(Call call, SampleArgs args, int64_t r) {
  const int64_t at = ProfileOf(call).seed_scope == SeedScope::kOne ? 0 : r;
  return {static_cast<const uint64_t*>(args->seed->data)[at],
          static_cast<const uint64_t*>(args->offset->data)[at]};
}
inline double Midpoint(uint32_t word) { return (word + 0.5) * 0x1p-32; }

inline int64_t RowOf(SampleArgs args, int64_t r) {
  return args->indices ? static_cast<const int32_t*>(args->indices->data)[r] : r;
}

// `sampler` with uniform(r) in place of its stream, unless the caller injects uniforms.
template <class Uniform>
int32_t WithUniforms(decltype(assay_operations::sampling_from_probs) sampler, Call call,
                     SampleArgs args, Uniform uniform) {
  if (args->uniforms) return sampler(call, args);
  std::vector<double> all(static_cast<size_t>(Cols(*args->ids)));
  for (size_t r = 0; r < all.size(); ++r) all[r] = uniform(static_cast<int64_t>(r));
  DLTensor like = *args->seed;
  like.dtype.code = kDLFloat;
  const Column<double> column(like, std::move(all));
  assay_sample_args other = *args;
  other.uniforms = &column;
  return sampler(call, &other);
}

// `sampler` with change(seeds, offsets).
template <class Change>
int32_t WithSeeds(decltype(assay_operations::sampling_from_probs) sampler, Call call,
                  SampleArgs args, Change change) {
  auto seeds = Values<uint64_t>(*args->seed), offsets = Values<uint64_t>(*args->offset);
  change(seeds, offsets);
  const Column<uint64_t> seed(*args->seed, std::move(seeds));
  const Column<uint64_t> offset(*args->offset, std::move(offsets));
  assay_sample_args other = *args;
  other.seed = &seed;
  other.offset = &offset;
  return sampler(call, &other);
}

using Sampler = decltype(assay_operations::sampling_from_probs);

// `sampler` with one of its parameters changed: change(entry, value).
template <class Change>
int32_t WithParam(Sampler sampler, Call call, SampleArgs args,
                  const DLTensor* assay_sample_args::*param, Change change) {
  Copy changed(*(args->*param));
  // A vector is one row to Copy, but its entries are the rows' parameters.
  for (int64_t i = 0; i < Cols(*changed); ++i) Set(*changed, 0, i, change(i, Get(*changed, 0, i)));
  assay_sample_args other = *args;
  other.*param = &changed;
  return sampler(call, &other);
}

// The uniform of draw r, under profiles that promise the stream.
inline double UniformOf(Call call, SampleArgs args, int64_t r) {
  if (args->uniforms) return static_cast<const double*>(args->uniforms->data)[r];
  const Source source = SourceOf(call, args, r);
  return Midpoint(host::PhiloxWord(source.seed, 0, source.offset));
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_SAMPLE_KIT_H_
