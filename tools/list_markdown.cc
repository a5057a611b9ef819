// `assay list requirements|profiles --format markdown`: the pages docs/spec.md and
// docs/profiles.md.

#include <iostream>
#include <vector>

#include "conformance/glob.h"
#include "conformance/requirements.h"
#include "reference/profile.h"
#include "tools/commands.h"
#include "tools/decided.h"

namespace assay {
namespace {

constexpr Kind kKinds[] = {Kind::kValues, Kind::kLaw,   Kind::kSeeds,
                           Kind::kMask,   Kind::kEdges, Kind::kMemory};

// Text in a cell or a paragraph: what Markdown would read as markup is escaped.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|*<`").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string Codes(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + Code(word);
  return out;
}

std::set<std::string> Words(std::string_view text) {
  std::set<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void Item(std::string_view label, const std::string& text) {
  if (!text.empty()) std::cout << "- " << label << ": " << text << '\n';
}

// Empty if every profile promises something.
std::string SilentProfiles(const Requirement& requirement) {
  std::set<std::string> silent;
  for (const Profile& profile : Profiles())
    if (requirement.applies && !requirement.applies(profile)) silent.emplace(profile.name);
  return Codes(silent);
}

void PrintRequirement(const Requirement& requirement) {
  const Decided decided = DecidedBy(requirement.id);
  std::cout << "\n### " << requirement.id << "\n\n" << Plain(requirement.clause) << "\n\n";
  Item("operations",
       requirement.operations == "all" ? "all" : Codes(Words(requirement.operations)));
  Item("level",
       std::string(Name(requirement.level)) + ", revision " + std::to_string(requirement.revision));
  Item("of", decided.on_device ? "subjects on a device" : "");
  Item("evidence", GradeOf(decided) + ", by " + Codes(decided.properties));
  Item("refuses", Codes(decided.faults));
  Item("guards", std::string(requirement.guards));
  Item("promised by every profile but", SilentProfiles(requirement));
  Item("not covered", Plain(requirement.not_covered));
}

std::vector<const Profile*> Chosen(std::string_view only) {
  std::vector<const Profile*> chosen;
  for (const Profile& profile : Profiles())
    if (Matches(std::string(only), profile.name)) chosen.push_back(&profile);
  return chosen;
}

std::string_view ValueOf(const ProfileField& field, const Profile& profile) {
  return field.values[static_cast<size_t>(field.get(profile))];
}

void PrintSideBySide(const std::vector<const Profile*>& profiles) {
  std::string head = "| choice |", rule = "| --- |";
  for (const Profile* profile : profiles) {
    head += " " + Code(profile->name) + " |";
    rule += " --- |";
  }
  std::cout << head << '\n' << rule << '\n';
  for (const ProfileField& field : ProfileFields()) {
    std::cout << "| " << Code(field.name) << " |";
    for (const Profile* profile : profiles) {
      const bool differs = field.get(*profile) != field.get(Profiles().front());
      const std::string value = Code(ValueOf(field, *profile));
      std::cout << ' ' << (differs ? "**" + value + "**" : value) << " |";
    }
    std::cout << '\n';
  }
}

void PrintSources(const Profile& profile) {
  std::string rows;
  for (const ProfileField& field : ProfileFields())
    for (const ProfileSource& source : ProfileSources())
      if (source.profile == profile.name && source.field == field.name)
        rows += "| " + Code(field.name) + " | " + Code(ValueOf(field, profile)) + " | " +
                Plain(source.source) + " |\n";
  if (rows.empty()) return;
  std::cout << "\n## Sources of " << Code(profile.name)
            << "\n\n| choice | value | source |\n| --- | --- | --- |\n"
            << rows;
}

}  // namespace

int RequirementsMarkdown(std::string_view only) {
  int count = 0;
  std::cout << "# Requirements\n\n"
               "Printed by `assay list requirements --format markdown`. Each clause can fail: the "
               "faults under\n*refuses* are kernels that it refuses. *guards* names public bugs.\n";
  for (const Kind kind : kKinds) {
    bool first = true;
    for (const Requirement& requirement : Requirements()) {
      if (requirement.kind != kind || !Matches(std::string(only), requirement.id)) continue;
      if (first) std::cout << "\n## " << Name(kind) << '\n';
      first = false;
      ++count;
      PrintRequirement(requirement);
    }
  }
  return count;
}

int ProfilesMarkdown(std::string_view only) {
  const std::vector<const Profile*> chosen = Chosen(only);
  std::cout << "# Profiles\n\n"
               "Printed by `assay list profiles --format markdown`. A profile is a set of choices "
               "in which engines\nlegitimately differ; bold ones differ from `"
            << Profiles().front().name
            << "`. *illegal* and *unspecified*: the engine promises nothing,\nso such input is "
               "never sent, or its result not judged. What each value means stands beside its\n"
               "enumerator in [profile.h](../reference/profile.h).\n\n";
  PrintSideBySide(chosen);
  for (const Profile* profile : chosen) PrintSources(*profile);
  return static_cast<int>(chosen.size());
}

}  // namespace assay
