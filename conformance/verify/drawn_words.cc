#include "conformance/verify/drawn_words.h"

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/verify/answers.h"
#include "conformance/verify/decided_rows.h"
#include "conformance/verify/model_requests.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kVocab = kDecidedVocab, kLeft = 8;
constexpr int64_t kRequests = 192;     // of a decision
constexpr size_t kFewest = 48;         // answers that name a word: 2^-48 for a wrong one
constexpr double kMargin = 0x1p-12;    // next to a boundary rounding may decide
constexpr uint64_t kOffset = 1 << 20;  // words lie before it, too

// ---- Requests in which one decision is open. ---------------------------------------------------

// Of a draft: accepted by every coin, by none, by half of them.
enum class Chance : uint8_t { kSure, kNone, kHalf };

Chance ChanceAt(int64_t row, const Decision& open) {
  const bool here = row == open.row;
  switch (open.what) {
    case Draws::kTest:  // a draft without a chance behind it: by the block rule, too, it ends there
      return here ? Chance::kHalf : row == open.row + 1 ? Chance::kNone : Chance::kSure;
    case Draws::kResidual: return here ? Chance::kNone : Chance::kSure;
    case Draws::kBonus: return Chance::kSure;
    default: return here ? Chance::kHalf : row == open.rejected ? Chance::kNone : Chance::kSure;
  }
}

// 1 / n at n tokens from `first` on.
std::vector<double> FlatRow(int64_t first, int64_t n) {
  std::vector<double> row(kVocab, 0.0);
  std::fill_n(row.begin() + first, n, 1.0 / static_cast<double>(n));
  return row;
}

std::vector<double> TargetRow(Chance chance, int64_t token) {
  if (chance == Chance::kSure) return OneHotRow(token);
  return chance == Chance::kHalf ? HalfRow(token) : FlatRow(token + 1, kLeft);
}

VerifyRequest RequestOf(int64_t b, int64_t drafts, const Decision& open) {
  VerifyRequest request;
  request.candidates = {0};
  const int64_t token = b % (kVocab - kLeft);
  for (int64_t row = 0; row < drafts; ++row) {
    request.candidates.push_back(static_cast<int32_t>(token));
    request.target.push_back(TargetRow(ChanceAt(row, open), token));
    request.draft.push_back(OneHotRow(token));
  }
  request.target.push_back(FlatRow(0, kVocab));
  request.draft.push_back(OneHotRow(0));  // not read
  return request;
}

// ---- What an answer says of the coin. ----------------------------------------------------------

// It lies in part `part` of `parts` equal ones of [0, 1].
struct Sight {
  uint64_t seed, offset;
  int64_t position, part, parts;
};

// Nothing where the answer is none that the request allows.
std::optional<Sight> SightOf(const Told& told, const Decision& open, const VerifyRequest& request) {
  if (!told.malformed.empty()) return std::nullopt;
  const int64_t drafts = request.rows() - 1;
  Sight sight{request.seed, request.offset, 0, 0, 2};
  const auto in = [&](int64_t part, int64_t parts) -> std::optional<Sight> {
    sight.part = part;
    sight.parts = parts;
    return part >= 0 && part < parts ? std::optional(sight) : std::nullopt;
  };
  const auto token = told.emitted.back();
  switch (open.what) {
    case Draws::kTest: return in(open.row + 1 - told.accepted, 2);
    case Draws::kResidual:
      return told.accepted == open.row ? in(token - request.candidates[1] - 1, kLeft)
                                       : std::nullopt;
    case Draws::kBonus: return told.accepted == drafts ? in(token, kVocab) : std::nullopt;
    default: {  // behind the rejected draft all others pass
      if (told.accepted != open.rejected) return std::nullopt;
      const int64_t others = drafts - open.rejected - 1 - (open.row > open.rejected ? 1 : 0);
      return in(1 - (told.metric - open.rejected - others), 2);
    }
  }
}

using Sights = std::vector<std::vector<Sight>>;  // of each decision

struct Asked {
  size_t decision;
  int64_t number;
};

void Look(std::span<const Asked> asked, const std::vector<Decision>& decisions,
          const Drawing& drawing, uint64_t seed, Trial& trial, Sights& sights) {
  VerifyBatch batch;
  batch.vocab = kVocab;
  batch.injected = false;
  batch.method = drawing.method;
  const bool one = trial.profile().seed_scope == SeedScope::kOne;
  for (const auto& [decision, number] : asked) {
    VerifyRequest request = RequestOf(number, drawing.drafts, decisions[decision]);
    const auto b = static_cast<uint64_t>(one ? 0 : std::ssize(batch.requests));
    request.seed = seed + b * 0x1234567;
    request.offset = kOffset + b % 9;
    batch.requests.push_back(std::move(request));
  }
  const auto out = trial.Call(VerifyCall(batch, trial));
  if (!out) return;
  const std::vector<Told> told = ReadAnswers(batch, *out, trial);
  for (size_t b = 0; b < told.size(); ++b) {
    auto sight = SightOf(told[b], decisions[asked[b].decision], batch.requests[b]);
    if (!sight) continue;
    sight->position = static_cast<int64_t>(b);
    sights[asked[b].decision].push_back(*sight);
  }
}

// ---- The word. ---------------------------------------------------------------------------------

bool Explains(const RngModel& model, int64_t word, const Sight& sight) {
  const uint64_t offset = sight.offset + static_cast<uint64_t>(word);
  const double u = Uniform(model.map, ModelWord(model, sight.seed, offset, sight.position, 0));
  const double at = u * static_cast<double>(sight.parts);
  return static_cast<int64_t>(at) == sight.part || std::abs(at - std::round(at)) < kMargin;
}

// Two requests' worth of words behind the offset, and one before it.
std::optional<int64_t> WordOf(const RngModel& model, const std::vector<Sight>& sights,
                              int64_t drafts) {
  if (sights.size() < kFewest) return std::nullopt;
  const int64_t words = 2 * drafts + 4;
  for (int64_t n = 0; n < 3 * words; ++n) {
    const int64_t word = n < 2 * words ? n : 2 * words - 1 - n;
    if (std::ranges::all_of(sights, [&](const Sight& s) { return Explains(model, word, s); }))
      return word;
  }
  return std::nullopt;
}

// The numbers of accepted drafts with which a decision is made.
struct Accepted {
  int64_t least, most;
};
Accepted AcceptedWith(const Decision& decision, const Drawing& drawing) {
  const bool block = drawing.method == RejectionMethod::kBlock;
  switch (decision.what) {
    case Draws::kTest: return {block ? 0 : decision.row, drawing.drafts};
    case Draws::kResidual: return {decision.row, decision.row};
    case Draws::kBonus: return {drawing.drafts, drawing.drafts};
    default: return {decision.rejected, decision.rejected};
  }
}

}  // namespace

std::vector<Decision> DecisionsOf(const Drawing& drawing, const Trial& trial) {
  const bool metric = FindField(trial.operation(), "accept_metric") &&
                      trial.profile().accept_metric == AcceptMetric::kSecondChance;
  std::vector<Decision> all;
  for (int64_t row = 0; row < drawing.drafts; ++row) {
    all.push_back({Draws::kTest, row});
    all.push_back({Draws::kResidual, row});
    for (int64_t rejected = 0; metric && rejected <= row; ++rejected)
      all.push_back({Draws::kMetric, row, rejected});
  }
  all.push_back({Draws::kBonus, drawing.drafts});
  return all;
}

bool AreTogether(const Decision& a, const Decision& b, const Drawing& drawing) {
  const Accepted of_a = AcceptedWith(a, drawing), of_b = AcceptedWith(b, drawing);
  return std::max(of_a.least, of_b.least) <= std::min(of_a.most, of_b.most);
}

std::string Show(const Decision& decision) {
  const std::string row = std::to_string(decision.row);
  switch (decision.what) {
    case Draws::kTest: return "the test of row " + row;
    case Draws::kResidual: return "the token after a rejection in row " + row;
    case Draws::kBonus: return "the token after all drafts";
    default:
      return "the metric of row " + row + " after a rejection in row " +
             std::to_string(decision.rejected);
  }
}

std::vector<std::optional<int64_t>> DrawnWords(const RngModel& model, const Drawing& drawing,
                                               Trial& trial) {
  const std::vector<Decision> decisions = DecisionsOf(drawing, trial);
  std::vector<Asked> asked;
  for (int64_t number = 0; number < kRequests; ++number)
    for (size_t i = 0; i < decisions.size(); ++i) asked.push_back({i, number});
  Sights sights(decisions.size());
  const auto step = static_cast<size_t>(RequestsACall(drawing.drafts + 1, trial.context()));
  for (size_t begin = 0; begin < asked.size(); begin += step)
    Look(std::span(asked).subspan(begin, std::min(step, asked.size() - begin)), decisions, drawing,
         12345 + begin * 0x9E3779B9, trial, sights);
  std::vector<std::optional<int64_t>> words;
  for (const std::vector<Sight>& seen : sights)
    words.push_back(WordOf(model, seen, drawing.drafts));
  return words;
}

}  // namespace assay
