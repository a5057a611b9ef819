#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>

#include "conformance/faults.h"
#include "conformance/glob.h"
#include "conformance/library.h"
#include "conformance/other_bugs.h"
#include "conformance/property.h"
#include "conformance/report/layout.h"
#include "conformance/requirements.h"
#include "reference/error.h"
#include "tools/commands.h"
#include "tools/decided.h"

namespace assay {
namespace {

constexpr size_t kIndent = 4;

// Prints one thing; returns how many of its kind were printed.
using Printer = int (*)(const ListArgs&);

void Paragraph(std::string_view text) {
  if (!text.empty()) std::cout << Labelled("", kIndent, text);
}

int ListRequirements(const ListArgs& args) {
  if (args.format == "markdown") return RequirementsMarkdown(args.only);
  int count = 0;
  for (const Requirement& requirement : Requirements()) {
    if (!Matches(args.only, requirement.id)) continue;
    ++count;
    const Decided decided = DecidedBy(requirement.id);
    const std::string refuses = std::to_string(decided.faults.size());
    if (!args.verbose) {
      std::cout << Shortened(Left(requirement.id, 24) + Left(Name(requirement.kind), 8) +
                                 Left(Name(requirement.level), 7) + Left(GradeOf(decided), 12) +
                                 Right(refuses, 3) + "  " + std::string(requirement.clause),
                             kWidth)
                << '\n';
      continue;
    }
    std::cout << requirement.id << "   rev " << requirement.revision << "   "
              << Name(requirement.kind) << "   " << Name(requirement.level) << "   "
              << GradeOf(decided) << "   " << requirement.operations << '\n';
    Paragraph(requirement.clause);
    Paragraph("decided by " + Joined(decided.properties) +
              (decided.on_device ? ", of subjects on a device" : ""));
    Paragraph("refuses " + refuses + " faults: " + Joined(decided.faults));
    if (!requirement.guards.empty()) Paragraph("guards " + std::string(requirement.guards));
    if (!requirement.not_covered.empty())
      Paragraph("not covered: " + std::string(requirement.not_covered));
  }
  return count;
}

constexpr std::string_view kRoles[] = {"in", "optional", "out", "in and out"};

int ListOperations(const ListArgs& args) {
  int count = 0;
  for (const Operation& operation : Operations()) {
    if (!Matches(args.only, operation.name)) continue;
    ++count;
    std::cout << operation.name << '\n';
    if (!args.verbose) continue;
    for (const ArgField& field : operation.fields)
      std::cout << std::string(kIndent, ' ') << Left(field.name, 16)
                << Left(static_cast<size_t>(field.role) < std::size(kRoles)
                            ? kRoles[static_cast<size_t>(field.role)]
                            : "number",
                        12)
                << Left(field.dtype, 8) << field.shape << '\n';
  }
  return count;
}

int ListSubjects(const ListArgs& args) {
  struct Known {
    std::string_view name, opens, what;
  };
  constexpr Known kKnown[] = {
      {"reference", "reference", "the exact reference: proves the suite, not a kernel"},
      {"host", "host", "fp32 kernels on the CPU, tiled as a GPU's are"},
      {"cuda", "cuda", "the project's CUDA kernels: needs a device"},
      {"fault:ID", "fault:", "a wrong subject that must be refused: assay list faults"},
      {"variant:ID", "variant:", "a correct subject of another make: assay list variants"}};
  int count = 0;
  for (const Known& known : kKnown) {
    if (!Matches(args.only, known.name)) continue;
    std::string installed = "installed";
    try {
      ResolveSubject(known.opens);
    } catch (const InputError&) {
      installed = "not installed";
    }
    ++count;
    std::cout << Left(known.name, 14) << Left(installed, 16) << known.what << '\n';
  }
  if (args.only.empty())
    std::cout << Left("PATH.so", 14) << Left("", 16)
              << "anybody's library; PATH.so:NAME for one of several subjects in it\n";
  return count;
}

int ListProfiles(const ListArgs& args) {
  if (args.format == "markdown") return ProfilesMarkdown(args.only);
  std::vector<const Profile*> chosen;
  for (const Profile& profile : Profiles())
    if (Matches(args.only, profile.name)) chosen.push_back(&profile);
  if (!args.verbose) {
    for (const Profile* profile : chosen) {
      std::cout << Left(profile->name, 20);
      int differs = 0;
      for (const ProfileField& field : ProfileFields())
        differs += field.get(*profile) != field.get(Profiles().front());
      std::cout << differs << " of " << ProfileFields().size() << " choices differ from "
                << Profiles().front().name << '\n';
    }
    return static_cast<int>(chosen.size());
  }
  for (const Profile* profile : chosen) {
    std::cout << profile->name << '\n';
    for (const ProfileField& field : ProfileFields()) {
      std::cout << std::string(kIndent, ' ') << Left(field.name, 20)
                << Left(field.values[static_cast<size_t>(field.get(*profile))], 22);
      for (const ProfileSource& source : ProfileSources())
        if (source.profile == profile->name && source.field == field.name)
          std::cout << source.source;
      std::cout << '\n';
    }
  }
  return static_cast<int>(chosen.size());
}

std::string Show(const std::vector<Claim>& claims) {
  std::string out;
  for (const Claim& claim : claims)
    out += (out.empty() ? "" : ", ") + std::string(claim.requirement) + " by " +
           std::string(Name(claim.technique));
  return out;
}

// The mark of what runs on a device alone.
std::string OnDevice(bool on_device) { return on_device ? "[device] " : ""; }

int ListFaults(const ListArgs& args) {
  int count = 0;
  for (const Fault& fault : Faults()) {
    if (!Matches(args.only, fault.id)) continue;
    ++count;
    std::cout << Shortened(Left(fault.id, 30) + Left(fault.bug, 6) + OnDevice(fault.on_device) +
                               std::string(fault.what),
                           args.verbose ? 1000 : kWidth)
              << '\n';
    if (!args.verbose) continue;
    std::string how =
        "breaks " + std::string(fault.operation) + ", declares " + std::string(fault.profile);
    if (!fault.lie.empty()) how += ", follows " + std::string(fault.lie);
    Paragraph(how + ", tier " + std::string(Name(fault.tier)));
    Paragraph("refused by " + Show(fault.kills));
  }
  if (!args.verbose || !args.only.empty()) return count;
  for (const OtherBug& other : OtherBugs()) {
    const std::string how =
        other.same_as.empty() ? "not expressible: " : "as " + std::string(other.same_as) + ": ";
    std::cout << Left("(no fault of its own)", 30) << Left(other.bug, 6) << how << other.why
              << '\n';
  }
  return count;
}

int ListVariants(const ListArgs& args) {
  int count = 0;
  for (const Variant& variant : Variants()) {
    if (!Matches(args.only, variant.id)) continue;
    ++count;
    std::cout << Left(variant.id, 30) << Left(variant.profile, 14) << OnDevice(variant.on_device)
              << variant.what << '\n';
  }
  return count;
}

int ListProperties(const ListArgs& args) {
  int count = 0;
  for (const Property& property : Properties()) {
    if (!Matches(args.only, property.name)) continue;
    ++count;
    std::cout << property.name << '\n';
    if (!args.verbose) continue;
    std::set<std::string> operations(property.operations.begin(), property.operations.end());
    Paragraph(Joined(operations));
    Paragraph("decides " + Show(property.claims));
  }
  return count;
}

struct List {
  std::string_view what;
  Printer print;
  bool markdown = false;
};
constexpr List kLists[] = {{"requirements", ListRequirements, true},
                           {"operations", ListOperations},
                           {"subjects", ListSubjects},
                           {"profiles", ListProfiles, true},
                           {"faults", ListFaults},
                           {"variants", ListVariants},
                           {"properties", ListProperties}};

}  // namespace

int ListCommand(const ListArgs& args) {
  for (const List& list : kLists) {
    if (list.what != args.what) continue;
    if (args.format == "markdown" && !list.markdown)
      throw InputError("--format: found 'markdown', expected 'terminal' for the " + args.what);
    if (list.print(args) == 0 && !args.only.empty())
      throw InputError("--only: found '" + args.only + "', which matches none of the " + args.what);
    return kConforming;
  }
  throw InputError("list: found '" + args.what + "', unknown");
}

}  // namespace assay
