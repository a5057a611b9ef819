#ifndef ASSAY_REFERENCE_JOINT_LAW_H_
#define ASSAY_REFERENCE_JOINT_LAW_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "reference/decisions.h"
#include "reference/verify_chain.h"
#include "reference/verify_tree.h"

namespace assay {

// The exact law of what a rule emits, by enumeration: every coin is uniform on [0, 1), decisions
// with one Coin share it, and each decision cuts the interval that is left of its coin where its
// answer changes. Each probability is off by less than 1e-14; parts of an interval below 1e-15 are
// left out.

struct Emission {
  std::vector<int32_t> tokens;
  int32_t accepted = 0, metric = 0;
  friend auto operator<=>(const Emission&, const Emission&) = default;
};
using JointLaw = std::map<Emission, double>;
JointLaw EnumerateLaw(const Rule& rule);

// A target and a drafter whose rows depend on what was emitted before: V probabilities after each
// prefix. V <= 8, at most 4 drafts; else InputError where the model is used.
using ContextRow = std::function<std::vector<double>(std::span<const int32_t> prefix)>;
struct Model {
  int32_t vocab, drafts;
  ContextRow target, draft;
};

// The request of these drafts in the model, with the rows that it borrows.
struct ModelChain {
  std::vector<int32_t> drafts;
  std::vector<std::vector<double>> target, draft;
  // One-hot: without draft rows.
  ChainRequest Request(bool one_hot = false) const;
};
ModelChain ChainOf(const Model& model, std::span<const int32_t> drafts);

// Drafts drawn by the model's drafter, coin kDraft of the row, and verified.
using ChainRule = std::function<VerifyOutcome(const ChainRequest&, Decisions&)>;
ModelChain DrawChain(const Model& model, Decisions& decide);
JointLaw ChainLaw(const Model& model, const ChainRule& rule);

// Given nodes; rows by the path from the root.
using TreeRule = std::function<VerifyOutcome(const Tree&, const Rows& target, Decisions&)>;
JointLaw TreeLaw(const Model& model, const Tree& tree, const TreeRule& rule);

// Laws of tokens alone. Emitted tokens are continued by the target to `length` tokens, longer ones
// cut; those that end in -1 stay as they are. A rule is lossless iff that is the target's law.
using TokenLaw = std::map<std::vector<int32_t>, double>;
TokenLaw Completed(const JointLaw& law, const Model& model, int32_t length);
TokenLaw TargetLaw(const Model& model, int32_t length);
double TotalVariation(const TokenLaw& a, const TokenLaw& b);
// The distance of a rule to losslessness over the model's drafts + 1 tokens; and the verdict.
double Loss(const JointLaw& law, const Model& model);
inline constexpr double kLawError = 1e-14;
inline bool IsLossless(const JointLaw& law, const Model& model) {
  return Loss(law, model) < kLawError;
}

// E[accepted], and the probability that the draft at `row` is accepted, given that it is reached.
double MeanAccepted(const JointLaw& law);
double AcceptRate(const JointLaw& law, int32_t row);

}  // namespace assay

#endif  // ASSAY_REFERENCE_JOINT_LAW_H_
