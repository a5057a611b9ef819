// `assay bench reference`: times the exact reference on rows of a large vocabulary, in one thread,
// and says what it answered, so that others can be timed on the same rows
// (tools/bench_reference.py).

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "reference/error.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/philox.h"
#include "reference/sampling.h"
#include "reference/softmax.h"
#include "tools/commands.h"
#include "tools/median.h"

namespace assay {
namespace {

constexpr int64_t kVocab = 128256;
constexpr size_t kRows = 16;  // inputs take turns: 16 MiB, more than the caches hold
constexpr uint64_t kSeed = 0x243f6a8885a308d3;

// Logits of a language model have a few far above the rest; flat ones are the hard case of top-p.
struct Shape {
  std::string_view name;
  double deviation;
};
constexpr Shape kShapes[] = {{"steep", 4}, {"flat", 1}};

struct Task {
  std::string_view name, what;
  FilterParams params;
  bool draws;
};
const Task kTasks[] = {
    {"softmax", "softmax", {}, false},
    {"top_k_top_p",
     "softmax, top-k 50, top-p 0.9, draw",
     {.use_top_k = true, .use_top_p = true, .top_k = 50, .top_p = 0.9},
     true},
    {"top_p", "softmax, top-p 0.9, draw", {.use_top_p = true, .top_p = 0.9}, true}};

double Midpoint(uint64_t stream, uint64_t word) {
  return Uniform(UniformMap::kMidpoint32, PhiloxWord(kSeed, stream, word));
}

// Normal in fp32, by Box and Muller: one row after the other.
std::vector<double> MakeLogits(const Shape& shape) {
  std::vector<double> logits(kRows * static_cast<size_t>(kVocab));
  for (size_t i = 0; i < logits.size(); ++i) {
    const double radius = std::sqrt(-2 * std::log(Midpoint(0, 2 * i)));
    const double angle = 2 * std::numbers::pi * Midpoint(0, 2 * i + 1);
    logits[i] = static_cast<double>(static_cast<float>(shape.deviation * radius * std::cos(angle)));
  }
  return logits;
}

std::span<const double> RowOf(const std::vector<double>& logits, size_t row) {
  const auto width = static_cast<size_t>(kVocab);
  return {logits.data() + row * width, width};
}

struct Answer {
  int64_t kept = kVocab;
  int32_t token = -1;  // softmax draws none
};

Answer Run(const Task& task, std::span<const double> logits, double u) {
  static const Profile& profile = FindProfile("strict");
  const SoftmaxRow row = Softmax(logits, 1, profile);
  if (!task.draws) return {.kept = row.status == RowStatus::kOk ? kVocab : 0};
  const FilteredRow made = FilterRow(ReadWeights(row.probs, profile), task.params, profile, 0);
  const Cdf law = LawOf(made.row, made.kept, profile);
  return {made.kept.nominal, Draw(law, u, profile)};
}

// Median seconds of `work(row)`; rows take turns, and the first turn warms up.
template <class Work>
double SecondsOf(int repetitions, Work work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int turn = -1; turn < repetitions; ++turn) {
    for (size_t row = 0; row < kRows; ++row) {
      const auto start = Clock::now();
      work(row);
      if (turn >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  return Median(std::move(seconds));
}

// What any answer that writes a row must take.
double CopySeconds(const std::vector<double>& logits, int repetitions) {
  std::vector<double> out(static_cast<size_t>(kVocab));
  return SecondsOf(repetitions, [&](size_t row) {
    std::ranges::copy(RowOf(logits, row), out.begin());
    asm volatile("" ::"r"(out.data()) : "memory");  // it is read, as far as the compiler knows
  });
}

nlohmann::json Time(const Task& task, const std::vector<double>& logits, int repetitions) {
  std::vector<Answer> answers(kRows);
  const double seconds = SecondsOf(repetitions, [&](size_t row) {
    answers[row] = Run(task, RowOf(logits, row), Midpoint(1, row));
  });
  nlohmann::json out = {{"task", task.name}, {"what", task.what}, {"seconds", seconds}};
  for (const Answer& answer : answers) {
    out["kept"].push_back(answer.kept);
    out["tokens"].push_back(answer.token);
  }
  return out;
}

void Save(const std::string& folder, const std::string& name, const std::vector<double>& values) {
  const std::string path = folder + "/" + name;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file.flush()) throw InputError(path + ": cannot be written");
}

}  // namespace

int BenchCommand(const BenchArgs& args) {
  nlohmann::json results;
  double copy = 0;
  std::vector<double> uniforms;
  for (size_t row = 0; row < kRows; ++row) uniforms.push_back(Midpoint(1, row));
  if (!args.save.empty()) Save(args.save, "uniforms.f64", uniforms);
  for (const Shape& shape : kShapes) {
    const std::vector<double> logits = MakeLogits(shape);
    if (!args.save.empty()) Save(args.save, std::string(shape.name) + ".f64", logits);
    copy = CopySeconds(logits, args.repetitions);
    for (const Task& task : kTasks) {
      nlohmann::json result = Time(task, logits, args.repetitions);
      result["rows"] = shape.name;
      if (args.format == "terminal")
        std::printf("%-6s %-36s %8.3f ms a row\n", shape.name.data(), task.what.data(),
                    1e3 * result["seconds"].get<double>());
      results.push_back(std::move(result));
    }
  }
  if (args.format == "terminal")
    std::printf("       %-36s %8.3f ms a row\n", "a copy of the row", 1e3 * copy);
  if (args.format == "json")
    std::cout << nlohmann::json{{"vocab", kVocab},
                                {"rows", kRows},
                                {"copy_seconds", copy},
                                {"results", results}}
              << '\n';
  return kConforming;
}

}  // namespace assay
