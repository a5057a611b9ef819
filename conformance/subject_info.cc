#include "conformance/subject_info.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/operations.h"

namespace assay {
namespace {

struct TextField {
  std::string_view name;
  std::string SubjectInfo::*value;
};
constexpr TextField kTexts[] = {
    {"spelled", &SubjectInfo::spelled}, {"file", &SubjectInfo::file},
    {"entry", &SubjectInfo::entry},     {"sha256", &SubjectInfo::sha256},
    {"name", &SubjectInfo::name},       {"version", &SubjectInfo::version},
    {"sources", &SubjectInfo::sources}, {"profile", &SubjectInfo::profile},
    {"device", &SubjectInfo::device},   {"rng_model", &SubjectInfo::rng_model}};

struct NumberField {
  std::string_view name;
  int64_t SubjectInfo::*value;
};
constexpr NumberField kNumbers[] = {{"flags", &SubjectInfo::flags},
                                    {"dtypes", &SubjectInfo::dtypes},
                                    {"status_form", &SubjectInfo::status_form},
                                    {"alignment", &SubjectInfo::alignment},
                                    {"max_vocab", &SubjectInfo::max_vocab},
                                    {"max_rows", &SubjectInfo::max_rows},
                                    {"max_top_k", &SubjectInfo::max_top_k}};

std::string Text(const char* text) { return text == nullptr ? "" : text; }

void NeverCalled() {}

}  // namespace

SubjectInfo Describe(const assay_subject& subject) {
  SubjectInfo out;
  out.name = Text(subject.name);
  out.version = Text(subject.version);
  out.sources = Text(subject.sources);
  out.profile = Text(subject.profile);
  out.rng_model = Text(subject.rng_model);
  out.device = Show(subject.device);
  out.flags = subject.flags;
  out.dtypes = subject.dtypes;
  out.status_form = subject.status_form;
  out.alignment = subject.alignment;
  out.max_vocab = subject.max_vocab;
  out.max_rows = subject.max_rows;
  out.max_top_k = subject.max_top_k;
  for (const Operation& operation : Operations())
    if (operation.offered(subject.ops)) out.offered.emplace_back(operation.name);
  return out;
}

assay_subject Shadow(const SubjectInfo& info) {
  assay_subject out = {};
  out.abi = ASSAY_ABI;
  out.size = sizeof out;
  out.name = info.name.c_str();
  out.version = info.version.c_str();
  out.profile = info.profile.c_str();
  out.device = {info.device.starts_with("cuda") ? kDLCUDA : kDLCPU, 0};
  out.flags = static_cast<uint32_t>(info.flags);
  out.dtypes = static_cast<uint32_t>(info.dtypes);
  out.status_form = static_cast<uint32_t>(info.status_form);
  out.max_vocab = info.max_vocab;
  out.max_rows = info.max_rows;
  out.max_top_k = info.max_top_k;
  out.ops.size = sizeof out.ops;
  // The table is a size and then pointers.
  void (*const stub)() = &NeverCalled;
  assay_operations all = {};
  for (size_t at = sizeof all.size; at < sizeof all; at += sizeof stub)
    std::memcpy(reinterpret_cast<char*>(&all) + at, &stub, sizeof stub);
  for (const Operation& operation : Operations())
    if (std::ranges::count(info.offered, operation.name) > 0) operation.copy(all, out.ops);
  return out;
}

nlohmann::json ToJson(const SubjectInfo& info) {
  nlohmann::json out = {{"offered", info.offered}};
  for (const TextField& field : kTexts) out[std::string(field.name)] = info.*field.value;
  for (const NumberField& field : kNumbers) out[std::string(field.name)] = info.*field.value;
  return out;
}

SubjectInfo SubjectInfoFrom(const JsonReader& reader) {
  SubjectInfo out;
  for (const TextField& field : kTexts) out.*field.value = reader.Text(field.name);
  for (const NumberField& field : kNumbers) out.*field.value = reader.Integer(field.name);
  out.offered = reader.Texts("offered");
  return out;
}

nlohmann::json ToJson(const DeviceInfo& info) {
  return {{"name", info.name},
          {"capability", info.capability},
          {"driver", info.driver},
          {"runtime", info.runtime}};
}

DeviceInfo DeviceInfoFrom(const JsonReader& reader) {
  return {reader.Text("name"), reader.Text("capability"), reader.Text("driver"),
          reader.Text("runtime")};
}

}  // namespace assay
