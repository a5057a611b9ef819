// Speculative verification: coins, laws, and the proposal that a verifier divides by.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "VERIFY-PROPOSAL-EXACT",
     .kind = kLaw,
     .operations = kDraftSample,
     .clause = "The probabilities written are softmax(row / temperature), and the token is the one "
               "that its random number draws from exactly those: what a verifier divides by is the "
               "law of the draft.",
     .guards = "B135 B136 B137"},
};

}  // namespace

std::span<const Requirement> VerifyLawRequirements() { return kTable; }

}  // namespace assay::requirements
