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

}  // namespace

SubjectAnswer CallSubject(const Context& context, const Numbers& numbers, Tensors& tensors,
                          Tensor& workspace) {
  Device& device = context.device ? *context.device : HostDevice();
  const DLDevice id = device.id();
  const assay_subject& subject = *context.subject;
  std::array<char, 256> message{};
  std::vector<Placement> places = PlacementsOf(tensors, workspace);
  const int32_t status = device.Run(places, [&](void* stream) {
    const Views views = ViewsOf(tensors, id, places);
    const std::vector<uint8_t> args = ArgsOf(*context.operation, numbers, views);
    Tensor::View space;
    workspace.MakeView(&space, id, places.back().at);
    assay_call call = {};
    call.size = sizeof call;
    call.message = message.data();
    call.message_bytes = message.size();
    call.self = subject.self;
    call.stream = stream;
    call.workspace = workspace.cols() > 0 ? space.tensor.data : nullptr;
    call.workspace_bytes = static_cast<uint64_t>(workspace.cols());
    const int32_t code = context.operation->invoke(subject.ops, &call, args.data());
    message.back() = 0;
    if (code == ASSAY_DEVICE_ERROR && id.device_type != kDLCPU)
      throw DeviceError(std::string("the subject returned ASSAY_DEVICE_ERROR: ") + message.data());
    return code;
  });
  return {status, message.data()};
}

}  // namespace assay
