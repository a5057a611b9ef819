#ifndef ASSAY_TOOLS_PROGRAM_FIXTURE_H_
#define ASSAY_TOOLS_PROGRAM_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace assay {

namespace fs = std::filesystem;
using nlohmann::json;

// For tests: the built program in a folder of its own.
struct Ended {
  int status;
  std::string out, err;
};

class Program : public testing::Test {
 protected:
  Program() : folder_(fs::temp_directory_path() / ("program_test." + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~Program() override { fs::remove_all(folder_); }

  Ended Shell(const std::string& command) const {
    const std::string whole =
        "cd " + folder_.string() + " && " + command + " >out.txt 2>err.txt </dev/null";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read("out.txt"), Read("err.txt")};
  }
  Ended Assay(const std::string& arguments) const { return Shell(ASSAY_PROGRAM " " + arguments); }

  // Runs a hostile subject that misbehaves in one call only, and only in softmax.
  Ended Hostile(const std::string& manner, const std::string& more = "") const {
    fs::remove(folder_ / "once");
    return Shell("ASSAY_HOSTILE_ONCE=once " ASSAY_PROGRAM " certify " ASSAY_HOSTILE ":" + manner +
                 " --only CALL-OK --out r.json --jobs 2 " + more);
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  bool Exists(const std::string& name) const { return fs::exists(folder_ / name); }
  json Record() const { return json::parse(Read("r.json")); }

  fs::path folder_;
};

inline void ExpectIn(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << "'" << part << "' is not in:\n" << text;
}

}  // namespace assay

#endif  // ASSAY_TOOLS_PROGRAM_FIXTURE_H_
