#ifndef ASSAY_CONFORMANCE_VERIFY_CLAUSES_H_
#define ASSAY_CONFORMANCE_VERIFY_CLAUSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/property.h"
#include "conformance/verify/answers.h"

namespace assay {

// Which operations are verifiers: all of them; those that read laws; those that compare drafts with
// given tokens; of either, those for which `also` holds.
std::vector<std::string_view> Verifiers(bool (*also)(const Operation&) = nullptr);
bool ReadsLaws(const Operation& operation);
bool ReadsLinks(const Operation& operation);  // trees
bool DrawsFromStream(const Operation& operation);

// Why coins cannot be given, or empty. An operation without coins needs none.
std::string NoCoins(const Context& context);

// A property over verifiers, which claims what every answer decides as well.
Property VerifyProperty(std::string_view name, std::vector<std::string_view> operations,
                        std::vector<Claim> claims, Domain (*domain)(const Context&),
                        void (*check)(const Case&, Trial&),
                        std::string (*unsupported)(const Context&) = nullptr);

// The clause that says which drafts of a request are accepted.
std::string_view AcceptClause(const Operation& operation);

// Whether a request's answer is one that the reference admits: another count breaks the operation's
// AcceptClause; with the right count, another last token breaks VERIFY-RESIDUAL-LAW after a
// rejection and VERIFY-BONUS-LAW without one, the tokens given breaks AcceptClause. The property
// must claim them.
void RequireOutcome(const VerifyBatch& batch, size_t request, const Told& told, bool exact,
                    Trial& trial);
// Of all requests.
void RequireOutcomes(const VerifyBatch& batch, bool exact, Trial& trial);

// What the subject says of all requests, whatever it is; nothing after a failure of the call.
using Answers = std::optional<std::vector<Told>>;
Answers Ask(const VerifyBatch& batch, Trial& trial);
// Without a metric that hangs on what lies past a request's end.
Answers AskWithoutMetric(const VerifyBatch& batch, Trial& trial);
// The same request asked otherwise, as `how` says.
void RequireEqual(std::string_view clause, const Told& want, const Told& got, size_t request,
                  const std::string& how, Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_CLAUSES_H_
