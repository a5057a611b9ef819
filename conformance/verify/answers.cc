#include "conformance/verify/answers.h"

#include <algorithm>
#include <numeric>

#include "conformance/show.h"
#include "conformance/verify/rules.h"

namespace assay {
namespace {

// The answer's tokens and rows, by the form in which the operation writes them.
void ReadPredicts(const Tensors& out, int64_t b, int64_t first, int64_t rows, Told& told) {
  const Tensor &index = out.at("accept_index"), &predicts = out.at("predicts");
  for (int64_t i = 0; i <= told.accepted; ++i) {
    const int64_t row = index.GetInt(b, i);
    if (row < first || row >= first + rows) {
      told.malformed = "accept_index entry " + std::to_string(i) + " is " + std::to_string(row);
      return;
    }
    told.rows.push_back(static_cast<int32_t>(row - first));
    told.emitted.push_back(static_cast<int32_t>(predicts.GetInt(row)));
  }
}

void ReadEmitted(const Tensors& out, int64_t b, Told& told) {
  for (int64_t i = 0; i <= told.accepted; ++i) {
    told.rows.push_back(static_cast<int32_t>(i));
    told.emitted.push_back(static_cast<int32_t>(out.at("emitted").GetInt(b, i)));
  }
}

// Accepted drafts are given, the last token is that of `last_row`; the mask says the same.
void ReadMatch(const Tensors& out, const VerifyRequest& request, int64_t b, int64_t first,
               Told& told) {
  const int64_t last = out.at("last_row").GetInt(b) - first;
  if (last < 0 || last >= request.rows()) {
    told.malformed = "last_row is " + std::to_string(last + first);
    return;
  }
  for (int64_t i = 0; i < request.rows(); ++i)
    if (out.at("accept_mask").Bits(0, first + i) != (i <= told.accepted))
      told.malformed = "accept_mask of row " + std::to_string(i);
  for (int64_t i = 0; i < told.accepted; ++i)
    told.emitted.push_back(static_cast<int32_t>(out.at("emitted").GetInt(b, i)));
  told.emitted.push_back(request.target_ids[static_cast<size_t>(last)]);
  told.rows.resize(told.emitted.size());
  std::iota(told.rows.begin(), told.rows.end(), 0);
  told.rows.back() = static_cast<int32_t>(last);
}

int64_t WidthOf(const Tensors& out) {
  return out.at(out.count("emitted") ? "emitted" : "accept_index").cols();
}

Told ReadAnswer(const VerifyBatch& batch, size_t request, int64_t first, const Tensors& out,
                const Trial& trial) {
  const VerifyRequest& given = batch.requests[request];
  const auto b = static_cast<int64_t>(request);
  const bool added = AddsCounters(trial);
  const auto counter = [&](std::string_view name) {
    return static_cast<int32_t>(out.at(name).GetInt(b)) - (added ? given.counter : 0);
  };
  Told told;
  const bool plain = FindField(trial.operation(), "last_row") && given.rows() == 1;
  told.accepted = plain ? 0 : counter("accept_count");
  if (out.count("accept_metric")) told.metric = counter("accept_metric");
  if (out.count("status")) told.status = static_cast<uint8_t>(out.at("status").Bits(0, b));
  if (told.accepted < 0 || told.accepted >= std::min(given.rows(), WidthOf(out))) {
    told.malformed =
        std::to_string(told.accepted) + " accepted drafts of " + std::to_string(given.rows() - 1);
    return told;
  }
  if (out.count("last_row"))
    ReadMatch(out, given, b, first, told);
  else if (out.count("predicts"))
    ReadPredicts(out, b, first, given.rows(), told);
  else
    ReadEmitted(out, b, told);
  return told;
}

// Tokens in [0, V), or -1 for the last; ids of given tokens are in range as they are.
std::optional<std::string> WrongTokens(const Told& told, const VerifyBatch& batch, bool laws) {
  if (!told.malformed.empty()) return told.malformed;
  for (size_t i = 0; laws && i < told.emitted.size(); ++i) {
    const bool last = i + 1 == told.emitted.size();
    if (told.emitted[i] >= (last ? -1 : 0) && told.emitted[i] < batch.vocab) continue;
    return "token " + std::to_string(i) + " is " + std::to_string(told.emitted[i]);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Told> ReadAnswers(const VerifyBatch& batch, const Tensors& out, const Trial& trial) {
  std::vector<Told> told;
  int64_t first = 0;
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    told.push_back(ReadAnswer(batch, b, first, out, trial));
    first += batch.requests[b].rows();
  }
  return told;
}

Tensors Specified(Tensors out, const Trial& trial) {
  if (!IsVerifier(trial.operation()) || !out.count("accept_count")) return out;
  const Tensor& counts = out.at("accept_count");
  if (const auto predicts = out.find("predicts"); predicts != out.end()) {
    const Tensor written = predicts->second, &index = out.at("accept_index");
    predicts->second.FillData(0);
    for (int64_t b = 0; b < index.rows(); ++b)
      for (int64_t i = 0; i <= std::min(counts.GetInt(b), index.cols() - 1); ++i) {
        const int64_t row = index.GetInt(b, i);
        if (row >= 0 && row < written.cols()) predicts->second.SetInt(row, written.GetInt(row));
      }
  }
  const auto emitted = out.find("emitted");
  if (emitted == out.end() || trial.profile().emitted_tail == EmittedTail::kMinusOne) return out;
  const int64_t more = out.count("last_row") ? 0 : 1;  // tokens than accepted drafts
  for (int64_t b = 0; b < emitted->second.rows(); ++b)
    for (int64_t i = std::max<int64_t>(counts.GetInt(b) + more, 0); i < emitted->second.cols(); ++i)
      emitted->second.SetBits(b, i, 0);
  return out;
}

std::optional<std::vector<Told>> Verify(const VerifyBatch& batch, Trial& trial) {
  const auto out = trial.Call(VerifyCall(batch, trial));
  if (!out) return std::nullopt;
  std::vector<Told> told = ReadAnswers(batch, *out, trial);
  const bool laws = FindField(trial.operation(), "target");
  bool good = true;
  for (size_t b = 0; b < told.size(); ++b) {
    const auto wrong = WrongTokens(told[b], batch, laws);
    good &= trial.Require("VERIFY-COUNT-EMITTED", !wrong, [&] {
      return Finding{"request " + std::to_string(b),
                     "one token in [0, V) more than drafts accepted, at most " +
                         std::to_string(batch.requests[b].rows()),
                     *wrong};
    });
  }
  if (!good) return std::nullopt;
  return told;
}

AdmissibleOutcomes Expected(const VerifyBatch& batch, size_t request, bool exact,
                            const Trial& trial) {
  const Profile& profile = trial.profile();
  const Arithmetic arithmetic = {
      .form = trial.Has(ASSAY_LOG_ACCEPT) ? AcceptForm::kLogarithm : AcceptForm::kProduct,
      .addition_chain = trial.AdditionChain(batch.vocab)};
  const Rule rule = VerifierRule(trial.operation().name, batch, request, arithmetic, profile);
  const Randomness coins = VerifierCoins(batch, request, trial);
  if (!exact || trial.Has(ASSAY_LOG_ACCEPT))
    return Admissible(rule, coins, trial.MassBudgetOf(batch.vocab).fail, profile);
  return {.outcomes = {OutcomeOf(rule, coins, profile)}, .branches = 1};
}

bool Agrees(const Told& told, const VerifyOutcome& outcome, const Trial& trial) {
  if (told.accepted != outcome.accepted || told.rows != outcome.rows) return false;
  const auto compared = static_cast<std::ptrdiff_t>(outcome.emitted.size() - outcome.open);
  if (!std::equal(outcome.emitted.begin(), outcome.emitted.begin() + compared, told.emitted.begin(),
                  told.emitted.begin() + compared))
    return false;
  if (!FindField(trial.operation(), "status") || outcome.open) return true;
  switch (trial.context().subject->status_form) {
    case ASSAY_STATUS_NONE: return true;
    case ASSAY_STATUS_VALID: return (told.status == 1) == (outcome.status == RowStatus::kOk);
    default: return told.status == static_cast<uint8_t>(outcome.status);
  }
}

std::string Show(const Told& told) {
  return std::to_string(told.accepted) + " accepted, tokens " + ShowIds(told.emitted) +
         " of rows " + ShowIds(told.rows) + ", metric " + std::to_string(told.metric) +
         ", status " + std::to_string(told.status) +
         (told.malformed.empty() ? "" : ": " + told.malformed);
}

std::string Show(const VerifyOutcome& outcome) {
  return std::to_string(outcome.accepted) + " accepted, tokens " + ShowIds(outcome.emitted) +
         " of rows " + ShowIds(outcome.rows) + ", metric " + std::to_string(outcome.metric) +
         ", status " + std::to_string(static_cast<int>(outcome.status));
}

bool SamePath(const Told& told, const AdmissibleOutcomes& expected) {
  return std::ranges::any_of(expected.outcomes, [&](const VerifyOutcome& o) {
    const auto drafts = static_cast<std::ptrdiff_t>(o.accepted);
    return o.accepted == told.accepted && o.rows == told.rows &&
           std::equal(o.emitted.begin(), o.emitted.begin() + drafts, told.emitted.begin());
  });
}

}  // namespace assay
