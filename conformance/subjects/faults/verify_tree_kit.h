#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_TREE_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_TREE_KIT_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/faults/verify_args.h"

// How the faults of verifiers go wrong: host is called with other arguments, or its answer is
// spoiled. Calls that host refuses are refused by all faults but those about that.
namespace assay::faults {

using Ints = std::vector<int32_t>;

inline int64_t Entry(const DLTensor& tensor, int64_t i) {
  return static_cast<int64_t>(Get(tensor, 0, i));
}

// A member of the arguments replaced by another tensor while `verifier` runs.
using Member = const DLTensor* assay_verify_args::*;
template <class T>
int32_t With(Verifier verifier, Call call, VerifyArgs args, Member member, std::vector<T> values) {
  const Column<T> column(*(args->*member), std::move(values));
  assay_verify_args other = *args;
  other.*member = &column;
  return verifier(call, &other);
}

// host's answer to a call, written elsewhere: what a fault decides by before it calls host.
class Rehearsal {
 public:
  Rehearsal(Verifier verifier, Call call, VerifyArgs args) : args_(*args) {
    constexpr Member kWritten[] = {
        &assay_verify_args::draft,        &assay_verify_args::predicts,
        &assay_verify_args::accept_index, &assay_verify_args::accept_count,
        &assay_verify_args::emitted,      &assay_verify_args::accept_mask,
        &assay_verify_args::last_row,     &assay_verify_args::status};
    for (size_t i = 0; i < std::size(kWritten); ++i)
      if (args->*kWritten[i]) args_.*kWritten[i] = &copies_[i].emplace(*(args->*kWritten[i]));
    code_ = verifier(call, &args_);
  }
  int32_t code() const { return code_; }
  bool ok() const { return code_ == ASSAY_OK; }

  int64_t Accepted(int64_t b) const { return Entry(*args_.accept_count, b); }
  int Status(int64_t b) const { return StatusOf(*args_.status, b); }
  // The row that request b's last token is from.
  int64_t LastRow(int64_t b) const {
    return static_cast<int64_t>(Get(*args_.accept_index, b, Accepted(b)));
  }
  // The first node of request b that has this row.
  int64_t NodeOf(int64_t b, int64_t row) const {
    int64_t node = FirstRow(&args_, b);
    while (Entry(*args_.retrieve_index, node) != row) ++node;
    return node;
  }

 private:
  assay_verify_args args_;
  std::array<std::optional<Copy>, 8> copies_;
  int32_t code_ = ASSAY_OK;
};

// The rows of a matrix permuted: row r of the call reads row `from(r)`.
template <class From>
int32_t WithRowsOf(Verifier verifier, Call call, VerifyArgs args, Member member, From from) {
  const Copy moved(*(args->*member));
  for (int64_t r = 0; r < Rows(*moved); ++r)
    for (int64_t c = 0; c < Cols(*moved); ++c) Set(*moved, r, c, Get(*(args->*member), from(r), c));
  assay_verify_args other = *args;
  other.*member = &moved;
  return verifier(call, &other);
}
template <class From>
int32_t WithEntriesOf(Verifier verifier, Call call, VerifyArgs args, Member member, From from) {
  const Ints given = Values<int32_t>(*(args->*member));
  Ints moved(given.size());
  for (size_t r = 0; r < given.size(); ++r)
    moved[r] = given[static_cast<size_t>(from(static_cast<int64_t>(r)))];
  return With(verifier, call, args, member, std::move(moved));
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_TREE_KIT_H_
