// `assay bench SUBJECT...`: subjects on a device side by side, on the same inputs, in turns.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/glob.h"
#include "conformance/library.h"
#include "reference/error.h"
#include "tools/bench_tasks.h"
#include "tools/commands.h"
#include "tools/median.h"

namespace assay {
namespace {

constexpr double kRotated = 128e6;  // bytes of inputs that take turns: more than caches hold
constexpr int kMostSets = 8;
constexpr double kShortest = 2e-4;  // seconds that a measurement takes at least
constexpr double kWarmUp = 0.25;    // seconds of work before the first one: clocks rise

struct Contender {
  std::string name;
  const assay_subject* subject;
};

std::vector<Contender> Open(const std::vector<std::string>& spelled) {
  std::vector<Contender> contenders;
  for (const std::string& name : spelled) {
    const assay_subject* subject = OpenSubject(ResolveSubject(name), "");
    if (subject->device.device_type != kDLCUDA)
      throw InputError("subject '" + name + "': runs on " + Show(subject->device) +
                       ", expected one on a CUDA device");
    contenders.push_back({subject->name, subject});
  }
  return contenders;
}

// One contender's calls, a set of inputs each, that take turns. `graph`: they are captured, and the
// graph is timed, so that what the host does for a launch is not.
class Calls {
 public:
  Calls(const Contender& contender, const BenchTask& task, int64_t rows, int64_t vocab, bool graph,
        DeviceDriver& device)
      : device_(device), graph_(graph) {
    const double bytes = 4.0 * static_cast<double>(rows * vocab) * std::max(task.reads, 1.0);
    const int sets = std::clamp(static_cast<int>(kRotated / bytes) + 1, 2, kMostSets);
    for (int set = 0; set < sets; ++set) {
      Tensors tensors;
      Numbers numbers;
      task.fill(rows, vocab, static_cast<uint64_t>(set) + 1, tensors, numbers);
      calls_.push_back(std::make_unique<ResidentCall>(*contender.subject,
                                                      FindOperation(task.operation), numbers,
                                                      std::move(tensors), rows, vocab, device));
    }
    for (const auto& call : calls_) call->Launch();  // a first one loads code and allocates
    launches_ = std::max(1, static_cast<int>(kShortest / SecondsOf(4)));
  }

  // Of one call.
  double Seconds() { return SecondsOf(launches_); }

 private:
  double SecondsOf(int launches) {
    const auto work = [&] {
      for (int i = 0; i < launches; ++i) calls_[next_++ % calls_.size()]->Launch();
    };
    return (graph_ ? SecondsOfGraph(work) : device_.Seconds(work)) / launches;
  }
  double SecondsOfGraph(const std::function<void()>& work) {
    device_.BeginCapture();
    work();
    if (!device_.EndCapture()) throw InputError("--graph: a call cannot be captured");
    device_.LaunchCaptured();  // the first one brings the graph to the device
    return device_.Seconds([&] { device_.LaunchCaptured(); });
  }

  DeviceDriver& device_;
  bool graph_;
  std::vector<std::unique_ptr<ResidentCall>> calls_;
  size_t next_ = 0;
  int launches_ = 1;
};

// Bytes a second that the device reads and writes at most, each counted.
double CopyBandwidth(DeviceDriver& device) {
  constexpr size_t kBytes = size_t{1} << 29;
  uint8_t *from = device.Allocate(kBytes), *to = device.Allocate(kBytes);
  std::vector<double> seconds;
  for (int i = 0; i < 10; ++i)
    seconds.push_back(device.Seconds([&] { device.CopyWithin(to, from, kBytes); }));
  device.Free(from);
  device.Free(to);
  return 2.0 * kBytes / Median(seconds);
}

bool Offers(const Contender& contender, const BenchTask& task) {
  return FindOperation(task.operation).offered(contender.subject->ops);
}

nlohmann::json Measure(const std::vector<Contender>& contenders, const BenchTask& task,
                       int64_t rows, int64_t vocab, const BenchArgs& args, DeviceDriver& device) {
  std::vector<std::unique_ptr<Calls>> calls;
  std::vector<std::string> names;
  for (const Contender& contender : contenders) {
    if (!Offers(contender, task)) continue;
    calls.push_back(std::make_unique<Calls>(contender, task, rows, vocab, args.graph, device));
    names.push_back(contender.name);
  }
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kWarmUp))
    for (const auto& call : calls) call->Seconds();
  std::vector<std::vector<double>> seconds(calls.size()), ratios(calls.size());
  for (int turn = 0; turn < args.repetitions; ++turn) {
    std::vector<double> now;
    for (const auto& call : calls) now.push_back(call->Seconds());
    for (size_t i = 0; i < calls.size(); ++i) {
      seconds[i].push_back(now[i]);
      ratios[i].push_back(now[0] / now[i]);
    }
  }
  nlohmann::json point = {
      {"operation", task.operation}, {"what", task.what}, {"vocab", vocab}, {"rows", rows}};
  for (size_t i = 0; i < calls.size(); ++i)
    point["subjects"].push_back({{"name", names[i]},
                                 {"microseconds", 1e6 * Median(seconds[i])},
                                 {"ratio", Median(ratios[i])}});
  return point;
}

void Print(const nlohmann::json& result) {
  std::printf(
      "device %s, copy %.2f TB/s, medians of %d%s; a ratio is %s's time over the other's\n\n",
      result["device"].get<std::string>().c_str(), result["bandwidth"].get<double>() / 1e12,
      result["repetitions"].get<int>(), result["graph"].get<bool>() ? " in a graph" : "",
      result["first"].get<std::string>().c_str());
  std::printf(
      "| operation | V | rows | floor us | subject us | ratio |\n|---|---:|---:|---:|---|---|\n");
  for (const auto& point : result["points"]) {
    std::string times, ratios;
    for (const auto& subject : point["subjects"]) {
      char text[96];
      std::snprintf(text, sizeof text, "%s%s %.1f", times.empty() ? "" : ", ",
                    subject["name"].get<std::string>().c_str(),
                    subject["microseconds"].get<double>());
      const bool first = times.empty();
      times += text;
      std::snprintf(text, sizeof text, "%s%.3f", ratios.empty() ? "" : ", ",
                    subject["ratio"].get<double>());
      if (!first) ratios += text;
    }
    std::printf(
        "| %s (%s) | %ld | %ld | %.1f | %s | %s |\n", point["operation"].get<std::string>().c_str(),
        point["what"].get<std::string>().c_str(), point["vocab"].get<int64_t>(),
        point["rows"].get<int64_t>(), point["floor"].get<double>(), times.c_str(), ratios.c_str());
  }
}

}  // namespace

int BenchSubjects(const BenchArgs& args) {
  const std::vector<Contender> contenders = Open(args.what);
  const std::unique_ptr<DeviceDriver> device = OpenCuda(contenders[0].subject->device.device_id);
  const double bandwidth = CopyBandwidth(*device);
  nlohmann::json result = {{"device", device->info().name},   {"bandwidth", bandwidth},
                           {"repetitions", args.repetitions}, {"graph", args.graph},
                           {"first", contenders[0].name},     {"points", nlohmann::json::array()}};
  for (const BenchTask& task : BenchTasks()) {
    if (!Matches(args.only, task.operation)) continue;
    if (!Offers(contenders[0], task)) continue;
    for (const int64_t vocab : args.vocab)
      for (const int64_t rows : args.rows) {
        nlohmann::json point = Measure(contenders, task, rows, vocab, args, *device);
        const double entries = static_cast<double>(rows * vocab) * (task.reads + task.writes);
        point["floor"] = 1e6 * 4 * entries / bandwidth;
        result["points"].push_back(point);
      }
  }
  if (result["points"].empty())
    throw InputError("--only '" + args.only + "': names none of the operations that are timed");
  if (args.format == "json")
    std::cout << result.dump(1) << '\n';
  else
    Print(result);
  return kConforming;
}

}  // namespace assay
