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

// The subject's status; `workspace` may be null.
int32_t Invoke(const assay_subject& subject, const Operation& operation, const void* args,
               void* workspace, uint64_t workspace_bytes, void* stream, std::string* text) {
  std::array<char, 256> message{};
  assay_call call = {};
  call.size = sizeof call;
  call.message = message.data();
  call.message_bytes = message.size();
  call.self = subject.self;
  call.stream = stream;
  call.workspace = workspace;
  call.workspace_bytes = workspace_bytes;
  const int32_t status = operation.invoke(subject.ops, &call, args);
  message.back() = 0;
  *text = message.data();
  return status;
}

// What `places` say of a call, passed to the subject.
int32_t Pass(const Context& context, SubjectCall& call, const std::vector<Placement>& places,
             DLDevice device, void* stream) {
  const Views views = ViewsOf(call.tensors, device, places);
  const std::vector<uint8_t> args = ArgsOf(*context.operation, *call.numbers, views);
  const auto bytes = static_cast<uint64_t>(call.workspace.cols());
  Tensor::View workspace;
  call.workspace.MakeView(&workspace, device, places.back().at);
  return Invoke(*context.subject, *context.operation, args.data(),
                bytes > 0 ? workspace.tensor.data : nullptr, bytes, stream, &call.message);
}

}  // namespace

void CallSubject(const Context& context, Mode mode, std::span<SubjectCall> calls) {
  if (context.on_call) context.on_call();
  Device& device = context.device ? *context.device : HostDevice();
  const DLDevice id = device.id();
  const bool ends = !IsHost(id) && mode != Mode::kGraph;
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
  std::string message;
  const int32_t status = Invoke(subject_, operation_, args_.data(), workspace_, workspace_bytes_,
                                device_.stream(), &message);
  if (status == ASSAY_OK) return;
  throw DeviceError(std::string(operation_.name) + " of " + subject_.name + " returned status " +
                    std::to_string(status) + " " + message);
}

}  // namespace assay
