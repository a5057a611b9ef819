#ifndef ASSAY_CONFORMANCE_VERIFY_DRAWN_WORDS_H_
#define ASSAY_CONFORMANCE_VERIFY_DRAWN_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/trial.h"
#include "reference/verify_rejection.h"

namespace assay {

// A decision of a verifier that draws its own coins. kMetric: the test of `row` that is made again
// for the metric once the draft of row `rejected` has failed.
enum class Draws : uint8_t { kTest, kResidual, kBonus, kMetric };
struct Decision {
  Draws what;
  int64_t row, rejected = 0;
};

// Requests of `drafts` drafts of a trial's operation.
struct Drawing {
  int64_t drafts;
  RejectionMethod method = RejectionMethod::kStandard;
};

// Every decision that such requests make in one outcome or another.
std::vector<Decision> DecisionsOf(const Drawing& drawing, const Trial& trial);
// Whether one request may make both.
bool AreTogether(const Decision& a, const Decision& b, const Drawing& drawing);
std::string Show(const Decision& decision);

// The word, counted from the request's offset, by which each decision of DecisionsOf is seen to be
// made: the one that explains all answers to requests in which it alone is open, by the model's map
// of a word to a number. Looked for on both sides of the offset, whatever the model says of the
// order; nothing where no word does.
std::vector<std::optional<int64_t>> DrawnWords(const RngModel& model, const Drawing& drawing,
                                               Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_DRAWN_WORDS_H_
