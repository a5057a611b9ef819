// A run that is killed at any moment and goes on, is cut into shards, or has other workers gives
// the record of one that is left alone, all but times.
#include <chrono>
#include <random>

#include "tools/program_fixture.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

class Runs : public Program {
 protected:
  static constexpr char kCertify[] = "certify host --only argmax --out r.json";

  // What a record says, without times.
  json Said() const {
    json record = Record();
    for (json& job : record["jobs"]) job.erase("seconds");
    for (const char* key : {"seconds", "started", "digest", "selection"}) record.erase(key);
    return record;
  }
  void StartAfresh() const {
    fs::remove(folder_ / "r.json");
    fs::remove(folder_ / "r.json.journal");
  }
};

// ASSAY_KILLS: how often; a few by default.
TEST_F(Runs, AreTheSameAfterAKillAtAnyMoment) {
  const auto start = Clock::now();
  ASSERT_EQ(Assay(kCertify).status, 0);
  const double whole = std::chrono::duration<double>(Clock::now() - start).count();
  const json said = Said();
  const char* const asked = std::getenv("ASSAY_KILLS");
  const int kills = asked ? std::atoi(asked) : 6;
  std::mt19937 random(1);
  int killed = 0, journals = 0;
  for (int tries = 0; killed < kills && tries < 10 * kills; ++tries) {  // some come too late
    StartAfresh();
    const double moment = std::uniform_real_distribution<>(0.01, whole)(random);
    SCOPED_TRACE("killed after " + std::to_string(moment) + " s");
    // A shell of its own dies by the signal that ends `timeout`, which kills itself likewise.
    const Ended run = Shell("(timeout -s KILL " + std::to_string(moment) + " " ASSAY_PROGRAM " " +
                            kCertify + ")");
    killed += run.status != 0;
    journals += Exists("r.json.journal");
    EXPECT_EQ(run.status == 0, Exists("r.json"));
    ASSERT_EQ(Assay(kCertify).status, 0);
    EXPECT_EQ(Said(), said);
    EXPECT_FALSE(Exists("r.json.journal"));
  }
  EXPECT_EQ(killed, kills);
  EXPECT_GT(journals, 0);
}

TEST_F(Runs, AreTheSameWithAnyNumberOfWorkers) {
  ASSERT_EQ(Assay(kCertify + std::string(" --jobs 1")).status, 0);
  const json said = Said();
  for (const char* jobs : {"2", "5"}) {
    StartAfresh();
    ASSERT_EQ(Assay(kCertify + std::string(" --jobs ") + jobs).status, 0);
    EXPECT_EQ(Said(), said) << jobs;
  }
}

TEST_F(Runs, AreTheSameInShards) {
  ASSERT_EQ(Assay(kCertify).status, 0);
  const json said = Said();
  for (const char* shard : {"1", "2", "3"})
    ASSERT_EQ(Assay("certify host --only argmax --jobs 1 --shard " + std::string(shard) +
                    "/3 --out s" + shard + ".json")
                  .status,
              0);
  StartAfresh();
  ASSERT_EQ(Assay("merge s2.json s3.json s1.json --out r.json").status, 0);
  EXPECT_EQ(Said(), said);
}

}  // namespace
}  // namespace assay
