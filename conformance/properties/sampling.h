#ifndef ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
#define ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/handshake.h"
#include "conformance/properties/param_axes.h"
#include "conformance/property.h"
#include "conformance/row_law.h"
#include "conformance/sample_batch.h"
#include "conformance/trial.h"

// What the properties of the samplers share. They hold for every operation that draws a token;
// whether by one uniform through a CDF in id order or by a noise race, which filters it has, and
// whether it reads logits, its row of the operation table says.
namespace assay {

inline bool Has(const Operation& operation, std::string_view field) {
  return FindField(operation, field) != nullptr;
}

inline bool ReadsProbs(const Operation& operation) { return operation.reads == Reads::kProbs; }

// Uniforms in the middle of the tokens that have at least 2^-6 of the law, where no rounding
// decides.
struct Middle {
  int32_t id;
  double u;
};
std::vector<Middle> MiddlesOfLargeTokens(const Cdf& cdf);

// Whether the subject may draw by FlashInfer's rejection loop: a draw costs a sum a round.
bool MayLoopUnder(const Operation& operation, const Profile& profile);

// The samplers, noise races too; those through a CDF for which `also` holds; the races.
std::vector<std::string_view> AllSamplers();
std::vector<std::string_view> CdfSamplers(bool (*also)(const Operation&) = nullptr);
std::vector<std::string_view> NoiseRaces();

inline std::string NoInjection(const Context& context) {
  return context.subject->flags & ASSAY_INJECTED ? "" : "takes no uniforms";
}
inline std::string NoModel(const Context& context) {
  return HandshakenModel(context) ? "" : "the stream is opaque";
}

// Whether a draw costs a whole row: the words of a race, or a law that is written.
bool RowADraw(const Operation& operation);

// Uniforms at the ends of [0, 1], on its inner grids and in its middle; seeds whose first word is
// an edge of a conversion to a float.
inline constexpr double kEndUniforms[] = {0,   0x1p-149,    0x1p-32,     0x1p-24,
                                          0.5, 1 - 0x1p-24, 1 - 0x1p-53, 1};
const std::vector<uint64_t>& ExtremeSeeds();

// Random cases of a job: a quarter of them for the samplers that share their ways with
// sampling_from_probs and top_k_top_p_sampling_from_probs. Their sweeps are whole.
int QuickCases(const Context& context, int cases);
bool IsLean(const Operation& operation);

// Of `families` those on whose rows fp32 is exact, whatever the operation reads.
std::vector<int64_t> ExactFamilies(const Context& context, const std::vector<int64_t>& families);

// How far `offset` moves from a call to the next: as the subject states, else by a race's tokens,
// or by 1.
int64_t StepOf(const Context& context, int64_t rows, int64_t vocab);

// Whether the noise of two uniforms differs by more than any rounding may turn, so that the larger
// one tells which words were read.
bool ClearLead(double u, double v);

// Whether the draws of one distribution row that differ from the reference's are few enough to be
// rounding's, which turns at most a share of `honest`.
void RequireFewTurned(std::string_view requirement, int64_t draws, int64_t turned, double honest,
                      int64_t row, Trial& t);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
