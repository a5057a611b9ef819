#ifndef ASSAY_CONFORMANCE_TRIAL_H_
#define ASSAY_CONFORMANCE_TRIAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/property.h"
#include "conformance/subject_call.h"
#include "conformance/tensor.h"
#include "reference/budget.h"
#include "reference/philox.h"

namespace assay {

struct Inputs {
  Tensors tensors;
  Numbers numbers;
  int64_t rows = 0;             // R: rows of the outputs
  int64_t spare = 0;            // entries of vector outputs past them: not theirs
  Layout out_layout;            // of 2-dimensional outputs
  uint8_t poison = 0x7F;        // what outputs hold until written
  uint8_t workspace = 0x7F;     // what workspace holds
  bool keep_workspace = false;  // or what the trial's last call left there
};

struct Finding {
  std::string place, expected, got;
  std::optional<Cut> cut = {};
};

// One requirement that did not hold.
struct Failure {
  std::string requirement;
  Technique technique;
  std::string input;
  Finding finding;
  std::vector<InputRow> rows = {};
};

// The result of one case: calls the subject, compares, counts. Requirements must be among the
// property's claims.
class Trial {
 public:
  Trial(const Property& property, const Context& context);

  const Context& context() const { return context_; }
  const Profile& profile() const { return context_.profile; }
  const Operation& operation() const { return *context_.operation; }
  DType dtype() const { return context_.dtype; }
  bool Has(uint32_t flag) const { return (context_.subject->flags & flag) != 0; }
  int64_t AdditionChain(int64_t vocab) const;
  Budget MassBudgetOf(int64_t vocab, double conditioning = 0) const {
    return MassBudget(vocab, AdditionChain(vocab), conditioning);
  }

  // The subject's RNG model if it passed its handshake, else null: the stream is opaque.
  const RngModel* model() const { return model_; }
  void set_model(const RngModel* model) { model_ = model; }

  // Calls the operation: poisons outputs, workspace and padding; checks CALL-OK, BUF-GUARD-WRITE,
  // BUF-INPUT-CONST, BUF-OUTPUT-ALL and ROBUST-ID-RANGE. Returns the out and inout tensors; nothing
  // after a failure (recorded) or when the subject does not support the combination.
  std::optional<Tensors> Call(const Inputs& inputs);

  // The same for several, made as `mode` says; nothing unless all are good.
  std::optional<std::vector<Tensors>> CallAll(Mode mode, std::span<const Inputs> inputs);

  // Calls the operation with arguments outside its domain: it must fail, and write to no tensor.
  void RequireRefusal(std::string_view requirement, const Inputs& inputs, const std::string& what);

  // Counts one check. `describe()` gives the Finding and is called on a failure only.
  template <class Describe>
  bool Require(std::string_view requirement, bool holds, Describe&& describe) {
    Evidence& evidence = At(requirement);
    ++evidence.checks;
    if (!holds) Fail(evidence, describe());
    return holds;
  }
  // One check whose value lies `use` (>= 0, 1 = all of the Fail budget) into the budget, and above
  // the Warn budget if `warn`. Above 1 it fails.
  template <class Describe>
  bool RequireWithin(std::string_view requirement, double use, bool warn, Describe&& describe) {
    Evidence& evidence = At(requirement);
    ++evidence.checks;
    if (!(use <= 1)) {
      Fail(evidence, describe());
      return false;
    }
    if (use > evidence.budget_use) evidence.budget_use = use;
    evidence.warn |= warn;
    return true;
  }
  void Undecided(std::string_view requirement, int64_t count = 1);
  // One stream of draws of a statistical requirement. The streams of a job are averaged as e-values
  // and judged together by RunJob.
  void Statistic(std::string_view requirement, const Evidence& stream);
  void Draws(std::string_view requirement, int64_t count);
  // A kept set for reports, where a check went well.
  void Sampled(std::string_view requirement, const Cut& cut) {
    AddCuts({cut}, &At(requirement).cuts);
  }

  Evidence& At(std::string_view requirement);  // throws std::logic_error if not claimed
  const std::vector<Evidence>& evidence() const { return evidence_; }
  const std::vector<Failure>& failures() const { return failures_; }
  bool unsupported() const { return unsupported_; }  // a call returned ASSAY_UNSUPPORTED
  bool refused() const { return refused_; }          // the last call failed, with another status
  const std::string& message() const { return message_; }

 private:
  void Fail(Evidence& evidence, Finding finding);
  SubjectCall Prepare(const Inputs& inputs) const;
  SubjectCall Invoke(const Inputs& inputs);
  void Heed(SubjectCall& call, const Tensor& workspace_before);  // its status and workspace
  std::optional<Tensors> Results(const Inputs& inputs, SubjectCall& call);
  Tensors InputsOfCall() const;  // of the last call
  bool CheckCall(const Inputs& inputs, const Tensors& after, int32_t code, const char* message);

  const Context& context_;
  std::vector<Evidence> evidence_;
  std::vector<Failure> failures_;
  const RngModel* model_ = nullptr;
  Tensors before_;    // what the subject saw in the last call, as it was before it
  Tensor workspace_;  // what the last call left
  bool unsupported_ = false, refused_ = false;
  std::string message_;
};

// The claims that every call decides.
std::vector<Claim> HarnessClaims();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_TRIAL_H_
