// Which words a verifier's decisions take: each its own, none of the drafter's before the offset,
// none behind the words by which the offset moves. What is seen decides, not what a model says.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/drawn_words.h"

namespace assay {
namespace {

constexpr int64_t kBlock = 1;  // Case::special: by the block rule
constexpr int64_t kVocab = 16;

// A decision and its word.
struct Entry {
  Decision decision;
  int64_t word;
};

std::string Said(const Entry& entry) {
  return Show(entry.decision) + " by word " + std::to_string(entry.word);
}

void Apart(const Entry& mine, const std::vector<Entry>& ledger, const Drawing& drawing, Trial& t) {
  t.Require("DET-LEDGER-PURPOSE", mine.word >= 0, [&] {
    return Finding{std::to_string(drawing.drafts) + " drafts", "words from the offset on",
                   Said(mine) + ", a drafter's"};
  });
  for (const Entry& other : ledger) {
    if (&other >= &mine || !AreTogether(mine.decision, other.decision, drawing)) continue;
    t.Require("DET-LEDGER-PURPOSE", mine.word != other.word, [&] {
      return Finding{std::to_string(drawing.drafts) + " drafts", "a word for each decision",
                     Said(mine) + ", which gives " + Show(other.decision)};
    });
  }
}

void Inside(const Entry& mine, const std::vector<Entry>& ledger, const Drawing& drawing,
            int64_t step, Trial& t) {
  const std::string place =
      std::to_string(drawing.drafts) + " drafts, the offset moves by " + std::to_string(step);
  t.Require("DET-LEDGER-CONSUME", mine.word < step, [&] {
    return Finding{place, "none but these words", Said(mine)};
  });
  const auto next = std::ranges::find(ledger, mine.word - step, &Entry::word);
  t.Require("DET-LEDGER-STEPS", next == ledger.end(), [&] {
    return Finding{place, "new words in the next step",
                   Said(mine) + ", which gives " + Show(next->decision) + " there"};
  });
}

void WordsAreOwn(const Case& at, Trial& t) {
  const Drawing drawing{
      at.drafts, at.special == kBlock ? RejectionMethod::kBlock : RejectionMethod::kStandard};
  const std::vector<Decision> decisions = DecisionsOf(drawing, t);
  const auto words = DrawnWords(*FindRngModel(t.context().subject->rng_model), drawing, t);
  std::vector<Entry> ledger;
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (words[i]) {
      ledger.push_back({decisions[i], *words[i]});
      continue;
    }
    for (const char* clause : {"DET-LEDGER-PURPOSE", "DET-LEDGER-CONSUME", "DET-LEDGER-STEPS"})
      t.Undecided(clause);
  }
  const int64_t step = StepOf(t.context(), at.drafts + 1, kVocab);
  for (const Entry& entry : ledger) {
    Apart(entry, ledger, drawing, t);
    Inside(entry, ledger, drawing, step, t);
  }
}

Domain DraftedRequests(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::drafts, {2, 0, 1, 3, 6}}};
  if (Has(*context.operation, "method") && (context.subject->flags & ASSAY_BLOCK_RULE))
    domain.axes.push_back({&Case::special, {0, kBlock}});
  domain.sweep_only = true;
  return domain;
}

// A stream of which no word is seen to decide anything is not the model's.
std::string NoWords(const Context& context) {
  if (!context.subject->advance) return "the subject does not say how far the offset moves";
  const char* name = context.subject->rng_model;
  const RngModel* model = name ? FindRngModel(name) : nullptr;
  const Property silent{"ledger", {}, HarnessClaims(), nullptr, nullptr};
  Trial trial(silent, context);
  const auto found = [](const std::optional<int64_t>& word) { return word.has_value(); };
  const bool seen = model && std::ranges::any_of(DrawnWords(*model, {1}, trial), found);
  return seen ? "" : "the stream is opaque";
}

}  // namespace

void AddVerifyLedgerProperties(std::vector<Property>& all) {
  constexpr Technique kLedger = Technique::kLedger;
  all.push_back({"verify_ledger",
                 Verifiers(DrawsFromStream),
                 {{"DET-LEDGER-PURPOSE", kLedger},
                  {"DET-LEDGER-STEPS", kLedger},
                  {"DET-LEDGER-CONSUME", kLedger}},
                 DraftedRequests,
                 WordsAreOwn,
                 NoWords});
}

}  // namespace assay
