#include "conformance/worker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "conformance/worker_process.h"
#include "reference/error.h"

namespace assay {
namespace {

Hello Info() {
  Hello out;
  out.subject.name = "made up";
  out.subject.offered = {"softmax"};
  out.device.name = "a device";
  return out;
}

// A worker in shell: says hello, then runs `body` for each request.
WorkerOptions Shell(const std::string& body, double timeout = 60) {
  return {{"/bin/sh", "-c",
           "echo 'hello " + HelloToJson(Info()) + "' >&4; while read -r request <&3; do " + body +
               "; done"},
          2,
          timeout};
}

std::string ResultOf(const std::string& property) {
  JobResult result;
  result.job = {property, "softmax", "f32"};
  result.cases = 7;
  return "result " + JobResultToJson(result);
}

Request RequestFor(const std::string& property) {
  Request out;
  out.job = {{property, "softmax", "f32"}, {{"SOFTMAX-VALUES", Technique::kExact}}};
  return out;
}

std::map<std::string, JobResult> RunAll(const WorkerOptions& options, int count) {
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) requests.push_back(RequestFor("p" + std::to_string(i)));
  WorkerPool pool(options);
  const Hello hello = pool.Open();
  EXPECT_EQ(hello.subject.name, "made up");
  EXPECT_EQ(hello.device.name, "a device");
  std::map<std::string, JobResult> out;
  pool.Run(requests, [&](size_t index, const WorkerPool::Answer& answer) {
    out[requests[index].job.key.property] = answer.result;
  });
  return out;
}

TEST(Worker, AnswersAreRead) {
  const auto results = RunAll(Shell("echo '" + ResultOf("p") + "' >&4"), 5);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results.at("p3").cases, 7);
  EXPECT_EQ(results.at("p3").end, JobEnd::kDone);
}

TEST(Worker, ACrashCostsTheJobInFlightAndNamesItsCase) {
  const auto results = RunAll(
      Shell("case $request in *p2*) echo 'case {\"vocab\":9}' >&4; echo dying >&2; kill -SEGV $$;; "
            "*) echo '" +
            ResultOf("p") + "' >&4;; esac"),
      5);
  ASSERT_EQ(results.size(), 5u);
  for (const auto& [property, result] : results)
    EXPECT_EQ(result.end, property == "p2" ? JobEnd::kCrash : JobEnd::kDone) << property;
  const JobResult& lost = results.at("p2");
  EXPECT_EQ(lost.reason, "signal SIGSEGV; stderr: dying");
  ASSERT_EQ(lost.counterexamples.size(), 1u);
  EXPECT_EQ(lost.counterexamples[0].at.vocab, 9);
  EXPECT_EQ(lost.counterexamples[0].requirement, "SOFTMAX-VALUES");
}

TEST(Worker, AnExceptionIsQuoted) {
  const auto results = RunAll(Shell("echo 'threw out of luck' >&4; exit 3"), 1);
  EXPECT_EQ(results.at("p0").reason, "exception: out of luck");
}

TEST(Worker, SilenceIsATimeoutAndHeartbeatsAreNot) {
  const auto start = std::chrono::steady_clock::now();
  auto results = RunAll(Shell("sleep 100", 0.3), 2);
  EXPECT_EQ(results.at("p1").end, JobEnd::kTimeout);
  EXPECT_EQ(results.at("p1").reason, "no sign of life for 0.3 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  results =
      RunAll(Shell("for i in 1 2 3 4 5 6 7 8; do echo 'case {}' >&4; sleep 0.2; done; echo '" +
                       ResultOf("p") + "' >&4",
                   1),
             1);
  EXPECT_EQ(results.at("p0").end, JobEnd::kDone);
}

TEST(Worker, AClosedReplyPipeIsACrash) {
  const auto results = RunAll(Shell("exec 4>&-; sleep 100"), 1);
  EXPECT_EQ(results.at("p0").end, JobEnd::kCrash);
  EXPECT_EQ(results.at("p0").reason, "closed its reply pipe and was killed");
}

TEST(Worker, ADescendantThatHoldsThePipesIsNotWaitedFor) {
  const auto results = RunAll(Shell("sleep 100 & kill -KILL $$"), 1);
  EXPECT_EQ(results.at("p0").reason, "signal SIGKILL");
}

TEST(Worker, GarbageIsACrash) {
  for (const char* garbage : {"result {}", "result", "what", "hello {}", "case []"}) {
    const auto results = RunAll(Shell(std::string("echo '") + garbage + "' >&4; sleep 100"), 1);
    EXPECT_TRUE(results.at("p0").reason.starts_with("garbage on the reply pipe")) << garbage;
  }
}

TEST(Worker, AFloodOfOutputNeitherBlocksNorFillsMemory) {
  const auto results = RunAll(Shell("head -c 200000000 /dev/zero; head -c 200000000 /dev/zero >&2; "
                                    "echo '" +
                                    ResultOf("p") + "' >&4"),
                              1);
  EXPECT_EQ(results.at("p0").end, JobEnd::kDone);
}

std::string OpenError(const std::string& script) {
  WorkerPool pool({{"/bin/sh", "-c", script}, 1, 0.5});
  try {
    pool.Open();
  } catch (const InputError& error) {
    return error.what();
  }
  return "opened";
}

TEST(Worker, ASubjectThatCannotBeOpenedIsAnInputError) {
  EXPECT_EQ(OpenError("echo 'refused no such file' >&4; exit 2"),
            "the subject cannot be opened: no such file");
  EXPECT_EQ(OpenError("kill -SEGV $$"),
            "the subject cannot be opened: while it was opened: signal SIGSEGV");
  EXPECT_EQ(OpenError("sleep 100"),
            "the subject cannot be opened: while it was opened: no sign of life for 0.5 s");
}

TEST(Worker, AMissingDeviceIsNoInputError) {
  WorkerPool pool({{"/bin/sh", "-c", "echo 'no_device found no driver' >&4; exit 2"}, 1, 60});
  try {
    pool.Open();
    ADD_FAILURE() << "opened";
  } catch (const NoDeviceError& error) {
    EXPECT_STREQ(error.what(), "found no driver");
  }
}

TEST(Worker, TailKeepsTheEnd) {
  Tail tail;
  EXPECT_EQ(tail.Last(3), "");
  tail.Append("one", 3);
  EXPECT_EQ(tail.Last(3), "one");
  tail.Append("\ntwo\nthree\nfour\n", 16);
  EXPECT_EQ(tail.Last(3), "two | three | four");
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) tail.Append(line.data(), line.size());
  EXPECT_EQ(tail.Last(3).size(), 403u);
}

TEST(Worker, RequestsSurviveARoundTrip) {
  Request request = RequestFor("p");
  request.what = Request::Do::kRecheck;
  request.seed = ~uint64_t{0};
  request.at.vocab = 77;
  request.profiles = {"strict"};
  const Request back = RequestFromJson(RequestToJson(request));
  EXPECT_EQ(RequestToJson(back), RequestToJson(request));
  EXPECT_EQ(back.seed, ~uint64_t{0});
}

}  // namespace
}  // namespace assay
