#ifndef ASSAY_TOOLS_BENCH_TASKS_H_
#define ASSAY_TOOLS_BENCH_TASKS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "conformance/subject_call.h"

namespace assay {

// One operation as engines call it: fp32, parameters of every row alike.
struct BenchTask {
  std::string_view operation, what;
  double reads,
      writes;  // entries of a row of the call that must be moved, in rows of the vocabulary
  void (*fill)(int64_t rows, int64_t vocab, uint64_t seed, Tensors& tensors, Numbers& numbers);
};
std::span<const BenchTask> BenchTasks();

}  // namespace assay

#endif  // ASSAY_TOOLS_BENCH_TASKS_H_
