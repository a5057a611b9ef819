#include "conformance/trial.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/show.h"
#include "conformance/subject_call.h"

namespace assay {
namespace {

constexpr double kMostLog10E = 1e6;

DType FieldDType(const ArgField& field, DType value) {
  return field.dtype == "value" ? value : DTypeOf(field.dtype);
}

Tensor MakeOutput(const ArgField& field, const Inputs& inputs, DType value, int64_t vocab) {
  const DType dtype = FieldDType(field, value);
  if (field.shape == "R V") return Tensor::Matrix(dtype, inputs.rows, vocab, inputs.out_layout);
  if (field.shape == "R n")
    return Tensor::Matrix(dtype, inputs.rows, inputs.numbers.at("n"), inputs.out_layout);
  if (field.shape == "R S")
    return Tensor::Matrix(dtype, inputs.rows, inputs.tensors.at("op").cols(), inputs.out_layout);
  return Tensor::Vector(dtype, inputs.rows + inputs.spare);
}

// 1 for an operation without rows of tokens.
int64_t VocabOf(const Operation& operation, const Inputs& inputs) {
  for (const ArgField& field : operation.fields) {
    const auto it = inputs.tensors.find(field.name);
    if (it != inputs.tensors.end() && field.shape.ends_with(" V")) return it->second.cols();
  }
  if (operation.reads == Reads::kFixed) return 1;
  throw std::logic_error("a call without a row tensor");
}

// The entries of an output that a call may write.
int64_t Written(const Tensor& tensor, const Inputs& inputs) {
  return tensor.ndim() == 1 ? tensor.cols() - inputs.spare : tensor.cols();
}

// The first element that still holds its poison, or nothing.
std::optional<std::string> Unwritten(const Tensor& tensor, const Inputs& inputs) {
  for (int64_t r = 0; r < tensor.rows(); ++r)
    if (const auto c = tensor.FirstFilled(r, Written(tensor, inputs), inputs.poison))
      return "row " + std::to_string(tensor.ndim() == 2 ? r : *c) +
             (tensor.ndim() == 2 ? " column " + std::to_string(*c) : "");
  return std::nullopt;
}

// The first id of a row that names no token and is not -1.
std::optional<Finding> WrongId(const Tensor& ids, int64_t row, int64_t vocab) {
  const bool list = ids.ndim() == 2;
  for (int64_t i = 0; i < (list ? ids.cols() : 1); ++i) {
    const int64_t id = list ? ids.GetInt(row, i) : ids.GetInt(row);
    if (id >= -1 && id < vocab) continue;
    return Finding{"row " + std::to_string(row) + (list ? " entry " + std::to_string(i) : ""),
                   "an id in [0, " + std::to_string(vocab) + "), or -1 for no token",
                   std::to_string(id)};
  }
  return std::nullopt;
}

// Rows of numbers, for a plot.
std::vector<InputRow> RowsOf(const Tensors& inputs) {
  constexpr int64_t kMostRows = 4;
  std::vector<InputRow> out;
  for (const auto& [name, tensor] : inputs) {
    if (tensor.ndim() != 2 || !IsFloat(tensor.dtype())) continue;
    for (int64_t r = 0; r < std::min(tensor.rows(), kMostRows); ++r) {
      InputRow row = {std::string(name), r, tensor.cols(), {}};
      for (int64_t c = 0; c < std::min<int64_t>(tensor.cols(), kMostValues); ++c)
        row.values.push_back(tensor.Get(r, c));
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace

std::vector<Claim> HarnessClaims() {
  return {{"CALL-OK", Technique::kBounds},
          {"BUF-GUARD-WRITE", Technique::kBounds},
          {"BUF-INPUT-CONST", Technique::kBounds},
          {"BUF-OUTPUT-ALL", Technique::kBounds},
          {"ROBUST-ID-RANGE", Technique::kBounds}};
}

Trial::Trial(const Property& property, const Context& context) : context_(context) {
  for (const Claim& claim : property.claims) {
    Evidence evidence;
    evidence.requirement = claim.requirement;
    evidence.technique = claim.technique;
    evidence_.push_back(evidence);
  }
}

int64_t Trial::AdditionChain(int64_t vocab) const {
  const auto chain = context_.subject->addition_chain;
  return chain ? chain(vocab) : vocab / 1024;
}

Evidence& Trial::At(std::string_view requirement) {
  for (Evidence& evidence : evidence_)
    if (evidence.requirement == requirement) return evidence;
  throw std::logic_error("requirement " + std::string(requirement) + " is not claimed");
}

void Trial::Undecided(std::string_view requirement, int64_t count) {
  At(requirement).undecided += count;
}

void Trial::Draws(std::string_view requirement, int64_t count) { At(requirement).draws += count; }

void Trial::Statistic(std::string_view requirement, const Evidence& stream) {
  Evidence& evidence = At(requirement);
  evidence.checks += 1;
  evidence.draws += stream.draws;
  // A record holds no infinity.
  evidence.log10_e = std::clamp(stream.log10_e, -kMostLog10E, kMostLog10E);
  evidence.pooling = stream.pooling;
  evidence.detectable = stream.detectable;
  evidence.tvd_upper = stream.tvd_upper;
  for (LawStream one : stream.streams) {
    one.log10_e = evidence.log10_e;
    AddStreams({one}, &evidence.streams);
  }
}

void Trial::Fail(Evidence& evidence, Finding finding) {
  ++evidence.failures;
  for (const Failure& failure : failures_)
    if (failure.requirement == evidence.requirement) return;  // the first is the one that is shown
  const Tensors inputs = InputsOfCall();
  failures_.push_back({evidence.requirement, evidence.technique, ShowInputs(inputs),
                       std::move(finding), RowsOf(inputs)});
}

Tensors Trial::InputsOfCall() const {
  Tensors inputs;
  for (const ArgField& field : context_.operation->fields)
    if (const auto it = before_.find(field.name); it != before_.end() && field.role != Role::kOut)
      inputs.insert(*it);
  return inputs;
}

SubjectCall Trial::Prepare(const Inputs& inputs) const {
  const Operation& operation = *context_.operation;
  const assay_subject& subject = *context_.subject;
  const int64_t vocab = VocabOf(operation, inputs);
  SubjectCall call = {&inputs.numbers};
  for (const ArgField& field : operation.fields) {
    if (field.role == Role::kScalar) continue;
    const auto given = inputs.tensors.find(field.name);
    if (given != inputs.tensors.end()) {
      call.tensors.emplace(field.name, given->second);
    } else if (field.role == Role::kOut) {
      if (field.name == "status" && subject.status_form == ASSAY_STATUS_NONE) continue;
      Tensor& made =
          call.tensors.emplace(field.name, MakeOutput(field, inputs, dtype(), vocab)).first->second;
      made.FillData(inputs.poison);
    }
  }
  const int64_t bytes = subject.workspace_bytes
                            ? subject.workspace_bytes(std::max<int64_t>(inputs.rows, 1), vocab)
                            : 0;
  call.workspace = Tensor::Vector(DType::kU8, bytes);
  call.workspace.FillData(inputs.workspace);
  const int64_t kept = inputs.keep_workspace ? std::min(bytes, workspace_.cols()) : 0;
  for (int64_t i = 0; i < kept; ++i) call.workspace.SetBits(0, i, workspace_.Bits(0, i));
  return call;
}

void Trial::Heed(SubjectCall& call, const Tensor& workspace_before) {
  refused_ = call.status != ASSAY_OK && call.status != ASSAY_UNSUPPORTED;
  if (call.status == ASSAY_UNSUPPORTED || !unsupported_) message_ = call.message;
  if (call.status == ASSAY_UNSUPPORTED) return;
  Require("BUF-GUARD-WRITE", call.workspace.SameFrame(workspace_before), [] {
    return Finding{"workspace", "nothing written outside its declared size", "guard bytes changed"};
  });
  workspace_ = std::move(call.workspace);
}

SubjectCall Trial::Invoke(const Inputs& inputs) {
  SubjectCall call = Prepare(inputs);
  before_ = call.tensors;
  const Tensor workspace_before = call.workspace;
  CallSubject(context_, Mode::kInTurn, {&call, 1});
  Heed(call, workspace_before);
  return call;
}

void Trial::RequireRefusal(std::string_view requirement, const Inputs& inputs,
                           const std::string& what) {
  const SubjectCall call = Invoke(inputs);
  Require(requirement, call.status != ASSAY_OK, [&] {
    return Finding{what, "the call fails", "ASSAY_OK"};
  });
  for (const ArgField& field : context_.operation->fields) {
    const auto it = call.tensors.find(field.name);
    if (it == call.tensors.end()) continue;
    const bool input = field.role == Role::kIn || field.role == Role::kOptional;
    Require(input ? "BUF-INPUT-CONST" : requirement, it->second.SameBytes(before_.at(field.name)),
            [&] {
              return Finding{what, "nothing written", std::string(field.name) + " changed"};
            });
  }
}

std::optional<Tensors> Trial::Call(const Inputs& inputs) {
  SubjectCall call = Invoke(inputs);
  return Results(inputs, call);
}

std::optional<std::vector<Tensors>> Trial::CallAll(Mode mode, std::span<const Inputs> inputs) {
  std::vector<SubjectCall> calls;
  for (const Inputs& in : inputs) calls.push_back(Prepare(in));
  const std::vector<SubjectCall> before = calls;
  CallSubject(context_, mode, calls);
  std::vector<Tensors> all;
  for (size_t i = 0; i < calls.size(); ++i) {
    before_ = before[i].tensors;
    Heed(calls[i], before[i].workspace);
    std::optional<Tensors> results = Results(inputs[i], calls[i]);
    if (!results) return std::nullopt;
    all.push_back(std::move(*results));
  }
  return all;
}

std::optional<Tensors> Trial::Results(const Inputs& inputs, SubjectCall& call) {
  if (call.status == ASSAY_UNSUPPORTED) {
    unsupported_ = true;
    return std::nullopt;
  }
  if (!CheckCall(inputs, call.tensors, call.status, message_.c_str())) return std::nullopt;
  Tensors results;
  for (const ArgField& field : context_.operation->fields)
    if (field.role == Role::kOut || field.role == Role::kInOut)
      if (auto it = call.tensors.find(field.name); it != call.tensors.end())
        results.emplace(field.name, std::move(it->second));
  return results;
}

bool Trial::CheckCall(const Inputs& inputs, const Tensors& after, int32_t code,
                      const char* message) {
  bool good = Require("CALL-OK", code == ASSAY_OK, [&] {
    return Finding{"call", "ASSAY_OK", "status " + std::to_string(code) + " " + message};
  });
  for (const ArgField& field : context_.operation->fields) {
    const auto it = after.find(field.name);
    if (it == after.end()) continue;
    const Tensor &now = it->second, &then = before_.at(field.name);
    const std::string name(field.name);
    if (field.role == Role::kIn || field.role == Role::kOptional) {
      good &= Require("BUF-INPUT-CONST", now.SameBytes(then), [&] {
        return Finding{name, "the input's bits unchanged", "changed"};
      });
      continue;
    }
    good &= Require("BUF-GUARD-WRITE", now.SameFrame(then), [&] {
      return Finding{name, "guard zones and padding columns unchanged", "changed"};
    });
    if (field.role != Role::kOut || code != ASSAY_OK) continue;
    for (int64_t c = Written(now, inputs); c < now.cols(); ++c)
      good &= Require("BUF-GUARD-WRITE", now.Bits(0, c) == then.Bits(0, c), [&] {
        return Finding{name + " entry " + std::to_string(c) + ", past " +
                           std::to_string(inputs.rows) + " rows",
                       "unchanged", "written"};
      });
    const auto unwritten = Unwritten(now, inputs);
    good &= Require("BUF-OUTPUT-ALL", !unwritten, [&] {
      return Finding{name + " " + *unwritten, "written", "still holds its poison"};
    });
    if ((field.name != "ids" && field.name != "top_ids") || unwritten) continue;
    const int64_t vocab = VocabOf(*context_.operation, inputs);
    for (int64_t r = 0; r < inputs.rows; ++r) {
      const auto wrong = WrongId(now, r, vocab);
      good &= Require("ROBUST-ID-RANGE", !wrong, [&] { return *wrong; });
    }
  }
  return good;
}

}  // namespace assay
