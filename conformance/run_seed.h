#ifndef ASSAY_CONFORMANCE_RUN_SEED_H_
#define ASSAY_CONFORMANCE_RUN_SEED_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/job.h"

namespace assay {

// A run's seed is 128 bits, written as 32 lower-case hexadecimal digits. Fewer digits are a number
// with zeros before them; blanks are skipped, as reports print one. Throws InputError: not 1 to 32
// hexadecimal digits.
std::string NormalSeed(std::string_view digits);
std::string FreshSeed();

// The seed of one job: a hash of the run's seed and the job's name, so that neither the selection,
// nor shards, nor the order of jobs change what a job draws.
uint64_t JobSeed(std::string_view run_seed, const JobKey& job);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUN_SEED_H_
