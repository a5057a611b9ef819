#include "conformance/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class JournalTest : public testing::Test {
 protected:
  JournalTest() : path_(fs::temp_directory_path() / ("journal_test." + std::to_string(getpid()))) {
    fs::remove(path_);
  }
  ~JournalTest() override { fs::remove(path_); }

  static JobResult Result(const std::string& property) {
    JobResult out;
    out.job.property = property;
    return out;
  }
  void Write(const std::vector<std::string>& properties) {
    Journal journal(path_, run_);
    for (const std::string& property : properties) journal.Append(Result(property));
  }
  std::vector<std::string> Resumed(const RunIdentity& run) {
    const Journal journal(path_, run);
    std::vector<std::string> out;
    for (const JobResult& result : journal.resumed()) out.push_back(result.job.property);
    return out;
  }
  void Append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  fs::path path_;
  RunIdentity run_{"sha", "", "strict", "spec", "commit", Tier::kQuick, "seed", {}};
};

using Names = std::vector<std::string>;

TEST_F(JournalTest, ResumesTheSameRun) {
  Write({"a", "b"});
  EXPECT_EQ(Resumed(run_), (Names{"a", "b"}));
  Write({"c"});
  EXPECT_EQ(Resumed(run_), (Names{"a", "b", "c"}));
}

TEST_F(JournalTest, ATornLastLineIsDropped) {
  Write({"a", "b"});
  Append(R"({"job":{"prop)");
  EXPECT_EQ(Resumed(run_), (Names{"a", "b"}));
  Write({"c"});
  EXPECT_EQ(Resumed(run_), (Names{"a", "b", "c"}));
}

TEST_F(JournalTest, ATornHeaderStartsAnew) {
  Append(R"({"commit":"com)");
  Write({"a"});
  EXPECT_EQ(Resumed(run_), Names{"a"});
}

TEST_F(JournalTest, AnotherRunStartsAnew) {
  for (std::string RunIdentity::*field :
       {&RunIdentity::subject_sha256, &RunIdentity::entry, &RunIdentity::profile,
        &RunIdentity::spec, &RunIdentity::suite_commit, &RunIdentity::seed}) {
    Write({"a"});
    RunIdentity other = run_;
    other.*field = "other";
    EXPECT_EQ(Resumed(other), Names{});
    fs::remove(path_);
  }
  Write({"a"});
  RunIdentity other = run_;
  other.selection.shard = 2;
  EXPECT_EQ(Resumed(other), Names{});
}

TEST_F(JournalTest, TwoRunsDoNotShareOne) {
  const Journal first(path_, run_);
  EXPECT_THROW(Journal(path_, run_), InputError);
}

TEST_F(JournalTest, ARefusedPathIsAnInputError) {
  EXPECT_THROW(Journal("/nowhere/at/all.journal", run_), InputError);
}

}  // namespace
}  // namespace assay
