#ifndef ASSAY_TOOLS_COMMANDS_H_
#define ASSAY_TOOLS_COMMANDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/plan.h"

namespace assay {

// What the command line says, as written. Each command returns the program's exit status and throws
// InputError for wrong input, which ends in status 2, or NoDeviceError, which ends in 3.
inline constexpr int kConforming = 0, kNotConforming = 1, kWrongInput = 2, kUndecided = 3;

struct CertifyArgs {
  std::string subject, profile, tier = "quick", seed, only, dtype, shard = "1/1", out, waivers;
  std::string format = "terminal";
  int jobs = 0;  // 0: one a core
  double timeout = 60;
  bool strict = false, verbose = false;
};
int CertifyCommand(const CertifyArgs& args);

struct ReportArgs {
  std::vector<std::string> records;
  std::string format = "terminal", out;
  std::string kills;  // what `selftest --out` wrote: a part of the HTML page
  bool strict = false, verbose = false;
};
int ReportCommand(const ReportArgs& args);

struct CompareArgs {
  std::string before, after;
  bool strict = false;
};
int CompareCommand(const CompareArgs& args);

struct MergeArgs {
  std::vector<std::string> parts;
  std::string out;
  bool strict = false;
};
int MergeCommand(const MergeArgs& args);

struct CheckArgs {
  std::string record, subject;
  bool strict = false;
};
int CheckCommand(const CheckArgs& args);

struct ReplayArgs {
  std::string record, cell;
  bool gdb = false;
  bool here = false;  // in this process: what --gdb starts
};
int ReplayCommand(const ReplayArgs& args);

struct ListArgs {
  std::string what, only, format = "terminal";
  bool verbose = false;
};
int ListCommand(const ListArgs& args);
// Whole pages; each returns how many things it printed.
int RequirementsMarkdown(std::string_view only);
int ProfilesMarkdown(std::string_view only);

struct SelftestArgs {
  std::string only;
  bool faults = false, variants = false;  // neither: both
  // One dtype a fault, and a wrapper fault over one operation: for every push.
  bool brief = false;
  int seeds = 0;            // fresh ones for variants; 0: the published one
  int null_runs = 0;        // of host instead, each with the share `draws` of the usual draws
  std::string draws = "1";  // a number, or a fraction as 1/16
  bool statistics = false;  // no coupled draws in them
  bool distances = false;   // instead: how small a defect is refused after how many draws
  int jobs = 0;
  double timeout = 60;
  std::string out;  // what refused each fault, as JSON
};
int SelftestCommand(const SelftestArgs& args);
int Distances(const SelftestArgs& args);
int NullRuns(const SelftestArgs& args);

struct BenchArgs {
  std::vector<std::string> what;                // "reference", or subjects on a device
  std::string save, only, format = "terminal";  // save: a folder for the reference's inputs
  std::vector<int64_t> vocab = {32000, 128256, 151936}, rows = {1, 16, 64, 256};
  int repetitions = 30;
  bool graph = false;  // captured calls are timed
};
int BenchCommand(const BenchArgs& args);
int BenchSubjects(const BenchArgs& args);

struct WorkerArgs {
  std::string subject, profile, tier = "quick";
};
int WorkerMain(const WorkerArgs& args);

int CoresOr(int jobs);  // all cores if `jobs` is 0

}  // namespace assay

#endif  // ASSAY_TOOLS_COMMANDS_H_
