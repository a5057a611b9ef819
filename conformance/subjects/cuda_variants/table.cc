#include "conformance/subjects/cuda_variants/table.h"

namespace assay::cuda_variants {
namespace {

constexpr Variant kRows[] = {
    {"cuda-fast-exp", "strict", "softmax by the device's fast exponential", true},
    {"cuda-exp2", "strict", "softmax by powers of 2 of x log2(e)", true},
    {"cuda-reciprocal", "tokenspeed", "softmax by the device's approximate reciprocal", true},
    {"cuda-online-256", "strict", "softmax's maximum and sum in one pass, blocks of 256 threads",
     true},
    {"cuda-online-1024", "strict", "the same, blocks of 1,024 threads", true},
    {"cuda-split", "strict", "softmax of eight parts of a row, joined by a second launch", true},
    {"cuda-bisection", "strict", "filters by halving the range of the cut's key", true},
    {"cuda-sort", "strict", "filters of short rows by a bitonic sort in shared memory", true},
    {"cuda-warp-a-row", "strict", "argmax of a row a warp", true}};

}  // namespace

std::span<const Variant> Rows() { return kRows; }

}  // namespace assay::cuda_variants
