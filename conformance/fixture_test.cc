#include "conformance/fixture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/sha256.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A directory with one valid manifest, which a test then breaks in one place.
class FixtureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::temp_directory_path() /
           ("assay_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(dir_);
    Write("words.u32", words_);
    Write("seeds.json", "{}");
    manifest_ = {{"schema", 1},
                 {"files",
                  {{{"name", "words"},
                    {"file", "words.u32"},
                    {"dtype", "u32"},
                    {"shape", {3, 2}},
                    {"sha256", Digest(words_)}},
                   {{"name", "seeds"},
                    {"file", "seeds.json"},
                    {"dtype", "json"},
                    {"shape", json::array()},
                    {"sha256", Digest("{}")}}}}};
    WriteManifest();
  }

  void TearDown() override { fs::remove_all(dir_); }

  static std::string Digest(std::string_view text) {
    return Sha256Hex({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }

  void Write(const char* name, std::string_view text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }

  void WriteManifest() { Write("manifest.json", manifest_.dump()); }

  void SetWords(const char* field, const json& value) {
    manifest_["files"][0][field] = value;
    WriteManifest();
  }

  // The load fails, and its message holds each part.
  void ExpectError(const std::string& name, const std::vector<std::string>& parts) {
    try {
      LoadFixture(dir_, name);
      FAIL() << "no InputError";
    } catch (const InputError& error) {
      for (const std::string& part : parts) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << "\"" << part << "\" is not in: " << error.what();
      }
    }
  }

  const std::string words_ = "abcdefghijklmnopqrstuvwx";
  fs::path dir_;
  json manifest_;
};

TEST_F(FixtureTest, LoadsAnArray) {
  const Fixture fixture = LoadFixture(dir_, "words");
  EXPECT_EQ(fixture.name, "words");
  EXPECT_EQ(fixture.dtype, "u32");
  EXPECT_EQ(fixture.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(std::string(fixture.bytes.begin(), fixture.bytes.end()), words_);
}

TEST_F(FixtureTest, LoadsJsonWithoutAShape) {
  manifest_["files"][1].erase("shape");
  WriteManifest();
  const Fixture fixture = LoadFixture(dir_, "seeds");
  EXPECT_EQ(fixture.dtype, "json");
  EXPECT_TRUE(fixture.shape.empty());
  EXPECT_EQ(std::string(fixture.bytes.begin(), fixture.bytes.end()), "{}");
}

TEST_F(FixtureTest, UnknownNameListsTheNames) {
  ExpectError("word", {"manifest.json", "\"files\"", "\"word\"", "words, seeds"});
}

TEST_F(FixtureTest, MissingManifest) {
  fs::remove(dir_ / "manifest.json");
  ExpectError("words", {"manifest.json", "cannot be read"});
}

TEST_F(FixtureTest, TruncatedManifestAtEveryLength) {
  const std::string text = manifest_.dump();
  for (size_t size = 0; size < text.size(); ++size) {
    Write("manifest.json", std::string_view(text).substr(0, size));
    ExpectError("words", {"manifest.json: not a JSON document"});
  }
}

TEST_F(FixtureTest, ManifestIsNoObject) {
  manifest_ = json::array({1});
  WriteManifest();
  ExpectError("words", {"manifest.json", "found [1]", "expected an object"});
}

TEST_F(FixtureTest, OtherSchema) {
  for (const json& schema : {json(2), json("1"), json(nullptr)}) {
    manifest_["schema"] = schema;
    WriteManifest();
    ExpectError("words", {"\"schema\"", "found " + schema.dump(), "expected 1"});
  }
  manifest_.erase("schema");
  WriteManifest();
  ExpectError("words", {"\"schema\"", "found nothing"});
}

TEST_F(FixtureTest, FilesIsNoArray) {
  manifest_["files"] = "words";
  WriteManifest();
  ExpectError("words", {"\"files\"", "found \"words\"", "expected an array"});
}

TEST_F(FixtureTest, EntryIsNoObject) {
  manifest_["files"][0] = 7;
  WriteManifest();
  ExpectError("words", {"files[0]", "found 7", "expected an object"});
}

TEST_F(FixtureTest, EachFieldMissingOrOfAnotherType) {
  for (const char* field : {"name", "file", "dtype", "shape", "sha256"}) {
    const std::string quoted = "\"" + std::string(field) + "\"";
    const json valid = manifest_["files"][0][field];
    SetWords(field, 5);
    ExpectError("words", {"files[0]", quoted, "found 5", "expected a"});
    manifest_["files"][0].erase(field);
    WriteManifest();
    ExpectError("words", {"files[0]", quoted, "found nothing", "expected a"});
    SetWords(field, valid);
  }
}

TEST_F(FixtureTest, UnknownDtype) {
  SetWords("dtype", "bf16");
  ExpectError("words", {"\"dtype\"", "found \"bf16\"", "\"f16\", \"u32\", \"i32\" or \"json\""});
}

TEST_F(FixtureTest, ShapeIsNoListOfPositiveIntegers) {
  for (const char* shape :
       {"[]", "[3,0]", "[3,-2]", "[3,2.5]", "[\"3\"]", "[18446744073709551615]", "{}"}) {
    SetWords("shape", json::parse(shape));
    ExpectError("words", {"\"shape\"", "positive integers"});
  }
}

TEST_F(FixtureTest, ShapeOverflows) {
  SetWords("shape", {int64_t{1} << 62, 2});
  ExpectError("words", {"\"shape\"", "below 2^63"});
}

TEST_F(FixtureTest, WrongSize) {
  SetWords("shape", {2, 2});
  ExpectError("words", {"words.u32", "found 24 bytes", "expected 16", "u32 [2,2]"});
  SetWords("shape", {3, 2});
  Write("words.u32", words_.substr(1));
  ExpectError("words", {"words.u32", "found 23 bytes", "expected 24"});
}

TEST_F(FixtureTest, DigestMismatch) {
  std::string changed = words_;
  changed[5] ^= 1;
  Write("words.u32", changed);
  ExpectError("words", {"words.u32", "found SHA-256 " + Digest(changed),
                        "expected " + Digest(words_), "\"sha256\""});
  Write("seeds.json", "{ }");
  ExpectError("seeds", {"seeds.json", "found SHA-256 " + Digest("{ }"), "\"sha256\""});
}

TEST_F(FixtureTest, DataFileMissingOrNoFile) {
  fs::remove(dir_ / "words.u32");
  ExpectError("words", {"words.u32", "cannot be read"});
  fs::create_directory(dir_ / "words.u32");
  ExpectError("words", {"words.u32", "cannot be read"});
}

class EnvironmentTest : public ::testing::Test {
 protected:
  EnvironmentTest() {
    const char* value = std::getenv("ASSAY_FIXTURES");
    if (value != nullptr) saved_ = value;
  }
  void TearDown() override {
    if (saved_) {
      ::setenv("ASSAY_FIXTURES", saved_->c_str(), 1);
    } else {
      ::unsetenv("ASSAY_FIXTURES");
    }
  }
  std::optional<std::string> saved_;
};

TEST_F(EnvironmentTest, NamesTheDirectory) {
  ::setenv("ASSAY_FIXTURES", "/some/where", 1);
  EXPECT_EQ(FixtureDir(), "/some/where");
}

TEST_F(EnvironmentTest, FallsBackToAnExistingDirectory) {
  for (const char* name : {"logits", "mask_json", "mask_json_tokens", "logits_json", "seeds"}) {
    ::unsetenv("ASSAY_FIXTURES");
    EXPECT_NO_THROW(LoadFixture(FixtureDir(), name)) << name;
  }
  ::setenv("ASSAY_FIXTURES", "", 1);
  EXPECT_TRUE(fs::exists(FixtureDir() / "manifest.json"));
}

TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(Sha256Hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::vector<uint8_t> abc = {'a', 'b', 'c'};
  EXPECT_EQ(Sha256Hex(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, OfFile) {
  const fs::path path = fs::temp_directory_path() / ("assay_sha256_" + std::to_string(::getpid()));
  const std::vector<uint8_t> bytes(200000, 'x');
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  EXPECT_EQ(Sha256OfFile(path), Sha256Hex(bytes));
  fs::remove(path);
  EXPECT_THROW(Sha256OfFile(path), InputError);
  EXPECT_THROW(Sha256OfFile(fs::temp_directory_path()), InputError);
}

}  // namespace
}  // namespace assay
