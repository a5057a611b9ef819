#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_RATIO_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_RATIO_H_

#include <cstdint>

#include "conformance/subjects/host/stream.h"
#include "conformance/subjects/host/verify_last.h"

namespace assay::host {

// A request's coins: those given, else of its stream. Stream::kMidpoint32: word 0 draws the last
// token, word 1 + i tests the draft of row i, a metric's coins follow. Else words in the order of
// use. `row` counts inside the request.
class Coins {
 public:
  Coins(const VerifyCall& call, const Config& config, int64_t request);
  double Test(int64_t row) { return given_ ? OfRow(row) : Word(1 + row); }
  double Metric(int64_t row) { return given_ ? OfRow(row) : Word(rows_ + row); }
  double Last() { return given_ ? call_.final_coins[request_] : Word(0); }

 private:
  double OfRow(int64_t row) const { return call_.coins[first_ + row]; }
  double Word(int64_t place);

  const VerifyCall& call_;
  bool given_, by_row_;
  int64_t request_, first_, rows_;
  RowStream stream_;
  uint64_t used_ = 0;
};

// What target and draft give a draft: p = 0 where the test must reject.
struct Ratio {
  float p = 0, q = 1;
};
// Whether a draft's test passes on u.
bool Passes(const Ratio& ratio, double u, const Config& config);
// min(1, rho p / q).
float NextRho(float rho, const Ratio& ratio, const Config& config);

// A request of drafts that are tested one by one; row i tests draft i. Rows count inside it.
struct RatioRequest {
  const VerifyCall& call;
  const Config& config;
  Request request;

  int64_t Drafts() const { return request.rows - 1; }
  int32_t Draft(int64_t row) const { return call.candidates[request.first + row + 1]; }
  DraftId Kind(int64_t row) const { return ReadDraft(Draft(row), call.target.columns); }
  Ratio RatioOf(int64_t row) const;  // of a token
  Left Whole(int64_t row) const { return {.row = request.first + row}; }
  // After the rejection of a token.
  Left Rejected(int64_t row, float scale = 1) const;
};

// verify_block.cc: the block rule.
Answer RunBlock(const RatioRequest& request, Coins& coins, LastToken& last);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_RATIO_H_
