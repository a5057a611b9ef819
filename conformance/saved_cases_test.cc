#include "conformance/saved_cases.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "conformance/fixture.h"
#include "conformance/property.h"
#include "conformance/requirements.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr char kGood[] =
    R"({"property": "mask_entries", "operation": "apply_token_bitmask", "dtype": "bf16",
        "case": {"vocab": 33, "special": 3}, "requirement": "MASK-BITS-ORDER", "source": "a run"})";

class SavedCasesTest : public testing::Test {
 protected:
  SavedCasesTest()
      : dir_(fs::temp_directory_path() / ("saved_cases_test." + std::to_string(getpid()))) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~SavedCasesTest() override { fs::remove_all(dir_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
  }
  static std::string File(const std::string& entries) { return "{\"cases\": [" + entries + "]}"; }
  // kGood with one text in place of another.
  static std::string But(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  }
  // What reading the directory throws must name each of `words`.
  void ExpectRefused(const std::vector<std::string>& words) {
    try {
      ReadSavedCases(dir_);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InputError& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  fs::path dir_;
};

TEST_F(SavedCasesTest, ReadsAllFilesInOrder) {
  Write("b.json", File(But("33", "7")));
  Write("a.json", File(std::string(kGood) + ", " + But("33", "5")));
  Write("notes.txt", "not read");
  const auto all = ReadSavedCases(dir_);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].at.vocab, 33);
  EXPECT_EQ(all[0].at.special, 3);
  EXPECT_EQ(all[0].at.rows, 1);
  EXPECT_EQ(all[0].job, (JobKey{"mask_entries", "apply_token_bitmask", "bf16"}));
  EXPECT_EQ(all[0].requirement, "MASK-BITS-ORDER");
  EXPECT_EQ(all[0].source, "a run");
  EXPECT_EQ(all[1].at.vocab, 5);
  EXPECT_EQ(all[2].at.vocab, 7);
}

TEST_F(SavedCasesTest, AnAbsentDirectoryHoldsNone) {
  EXPECT_TRUE(ReadSavedCases(dir_ / "none").empty());
}

TEST_F(SavedCasesTest, ErrorsNameFileEntryAndField) {
  const struct {
    const char *from, *to;
    std::vector<std::string> words;
  } kBad[] = {
      {"mask_entries", "mask_entry", {"property", "mask_entry"}},
      {"apply_token_bitmask", "softmax", {"operation", "softmax", "apply_token_bitmask"}},
      {"bf16", "f64", {"dtype", "f64"}},
      {"\"special\"", "\"specials\"", {"case", "specials"}},
      {"33", "\"33\"", {"case", "vocab"}},
      {"33", "0", {"case", "vocab 0"}},
      {"MASK-BITS-ORDER", "MASK-TAIL-BITS", {"requirement", "MASK-TAIL-BITS"}},
      {"a run", "", {"source"}},
      {"\"source\"", "\"origin\"", {"origin"}},
  };
  for (const auto& bad : kBad) {
    Write("bad.json", File(std::string(kGood) + ", " + But(bad.from, bad.to)));
    auto words = bad.words;
    words.insert(words.end(), {"bad.json", "cases[1]"});
    ExpectRefused(words);
  }
  Write("bad.json", "{\"cases\": [");
  ExpectRefused({"bad.json", "JSON"});
  Write("bad.json", "{\"case\": []}");
  ExpectRefused({"bad.json", "case"});
}

// The committed ones: readable, telling different things, and each about its own clause.
TEST(SavedCases, TheCommittedOnesAreReadable) {
  const auto all = ReadSavedCases(FixtureDir() / "cases");
  EXPECT_GE(all.size(), 12u);
  std::set<std::string> seen;
  for (const SavedCase& saved : all) {
    EXPECT_TRUE(
        seen.insert(saved.job.property + saved.job.operation + saved.job.dtype + Show(saved.at))
            .second)
        << saved.job.property << " " << Show(saved.at);
    const Requirement* requirement = FindRequirement(saved.requirement);
    ASSERT_TRUE(requirement) << saved.requirement;
    EXPECT_TRUE(Concerns(*requirement, saved.job.operation)) << saved.requirement;
  }
}

TEST(SavedCases, AJobGetsItsOwn) {
  size_t found = 0;
  for (const SavedCase& saved : ReadSavedCases(FixtureDir() / "cases")) {
    const auto cases = SavedCases(saved.job);
    for (const Case& at : cases) found += Show(at) == Show(saved.at);
  }
  EXPECT_GE(found, 12u);
  EXPECT_TRUE(SavedCases({"no such property", "softmax", "f32"}).empty());
}

}  // namespace
}  // namespace assay
