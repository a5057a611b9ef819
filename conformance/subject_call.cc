#include "conformance/subject_call.h"

#include <array>
#include <cstring>
#include <vector>

#include "conformance/device.h"

namespace assay {
namespace {

using Views = std::map<std::string_view, Tensor::View>;

// The workspace comes last.
std::vector<Placement> PlacementsOf(Tensors& tensors, Tensor& workspace) {
  std::vector<Placement> places;
  for (auto& [name, tensor] : tensors)
    if (tensor.ndim() > 0) places.push_back({&tensor.memory()});
  places.push_back({&workspace.memory()});
  return places;
}

Views ViewsOf(const Tensors& tensors, DLDevice device, const std::vector<Placement>& places) {
  Views views;
  auto place = places.begin();
  for (const auto& [name, tensor] : tensors) {
    if (tensor.ndim() > 0)
      tensor.MakeView(&views[name], device, (place++)->at);
    else
      tensor.MakeView(&views[name]);
  }
  return views;
}

// The argument struct; it points to the views.
std::vector<uint8_t> ArgsOf(const Operation& operation, const Numbers& numbers,
                            const Views& views) {
  std::vector<uint8_t> args(operation.args_size, 0);
  const auto size = static_cast<uint32_t>(operation.args_size);
  std::memcpy(args.data(), &size, sizeof size);
  for (const ArgField& field : operation.fields) {
    if (field.role == Role::kScalar) {
      const auto it = numbers.find(field.name);
      const int64_t number = it == numbers.end() ? 0 : it->second;
      std::memcpy(args.data() + field.at, &number, field.dtype == "u32" ? 4 : 8);
    } else if (const auto it = views.find(field.name); it != views.end()) {
      const DLTensor* pointer = &it->second.tensor;
      std::memcpy(args.data() + field.at, &pointer, sizeof pointer);
    }
  }
  return args;
}

// What `places` say of a call, passed to the subject.
int32_t Pass(const Context& context, SubjectCall& call, const std::vector<Placement>& places,
             DLDevice device, void* stream) {
  const Views views = ViewsOf(call.tensors, device, places);
  const std::vector<uint8_t> args = ArgsOf(*context.operation, *call.numbers, views);
  const int64_t bytes = call.workspace.cols();
  Tensor::View workspace;
  call.workspace.MakeView(&workspace, device, places.back().at);
  std::array<char, 256> message{};
  assay_call passed = {};
  passed.size = sizeof passed;
  passed.message = message.data();
  passed.message_bytes = message.size();
  passed.self = context.subject->self;
  passed.stream = stream;
  passed.workspace = bytes > 0 ? workspace.tensor.data : nullptr;
  passed.workspace_bytes = static_cast<uint64_t>(bytes);
  const int32_t status = context.operation->invoke(context.subject->ops, &passed, args.data());
  message.back() = 0;
  call.message = message.data();
  return status;
}

}  // namespace

void CallSubject(const Context& context, Mode mode, std::span<SubjectCall> calls) {
  Device& device = context.device ? *context.device : HostDevice();
  const DLDevice id = device.id();
  const bool ends = id.device_type != kDLCPU && mode != Mode::kGraph;
  std::vector<DeviceCall> placed(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    placed[i].places = PlacementsOf(calls[i].tensors, calls[i].workspace);
    placed[i].work = [&, i](void* stream) {
      const int32_t status = Pass(context, calls[i], placed[i].places, id, stream);
      if (ends && status == ASSAY_DEVICE_ERROR)
        throw DeviceError("the subject returned ASSAY_DEVICE_ERROR: " + calls[i].message);
      return status;
    };
  }
  device.RunAll(mode, placed);
  for (size_t i = 0; i < calls.size(); ++i) {
    calls[i].status = placed[i].status;
    if (mode == Mode::kGraph) calls[i].message = calls[0].message;
  }
}

ResidentCall::ResidentCall(const assay_subject& subject, const Operation& operation,
                           const Numbers& numbers, Tensors tensors, int64_t rows, int64_t vocab,
                           DeviceDriver& device)
    : subject_(subject), operation_(operation), device_(device), tensors_(std::move(tensors)) {
  for (auto& [name, tensor] : tensors_) {
    Tensor::View& view = views_[name];
    if (tensor.ndim() == 0)
      tensor.MakeView(&view);
    else
      tensor.MakeView(&view, device.id(), Bring(tensor.memory()));
  }
  args_ = ArgsOf(operation, numbers, views_);
  if (subject.workspace_bytes)
    workspace_bytes_ = static_cast<uint64_t>(subject.workspace_bytes(rows, vocab));
  if (workspace_bytes_ > 0) workspace_ = memory_.emplace_back(device.Allocate(workspace_bytes_));
}

ResidentCall::~ResidentCall() {
  for (uint8_t* memory : memory_) {
    try {
      device_.Free(memory);
    } catch (const DeviceError&) {
      // What fails after this says more.
    }
  }
}

uint8_t* ResidentCall::Bring(TensorMemory& memory) {
  const size_t bytes = memory.zones().back().end;
  uint8_t* at = memory_.emplace_back(device_.Allocate(bytes));
  device_.CopyIn(at, memory.data(), bytes);
  device_.Synchronise();
  return at;
}

void ResidentCall::Launch() const {
  std::array<char, 256> message{};
  assay_call call = {};
  call.size = sizeof call;
  call.message = message.data();
  call.message_bytes = message.size();
  call.self = subject_.self;
  call.stream = device_.stream();
  call.workspace = workspace_;
  call.workspace_bytes = workspace_bytes_;
  const int32_t status = operation_.invoke(subject_.ops, &call, args_.data());
  if (status == ASSAY_OK) return;
  throw DeviceError(std::string(operation_.name) + " of " + subject_.name + " returned status " +
                    std::to_string(status) + " " + message.data());
}

}  // namespace assay
