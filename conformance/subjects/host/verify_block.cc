// The block rule: all drafts are tested, the last one that passes ends what is accepted.

#include <vector>

#include "conformance/subjects/host/verify_ratio.h"

namespace assay::host {
namespace {

// Passes iff u below <= above, above > 0: the chance is above / below.
struct BlockTest {
  float above = 0, below = 1;
  bool Passes(double u) const { return above > 0 && u * double{below} <= double{above}; }
};

// rho[i] after i drafts, over the tokens before the first draft that is none.
std::vector<float> Rhos(const RatioRequest& request) {
  std::vector<float> rho = {1};
  for (int64_t row = 0; row < request.Drafts() && request.Kind(row) == DraftId::kToken; ++row)
    rho.push_back(NextRho(rho.back(), request.RatioOf(row), request.config));
  return rho;
}

// Of the i-th draft, i >= 1, which is not the last.
BlockTest TestOf(const RatioRequest& request, int64_t i, float rho, LastToken& last) {
  if (!(rho > 0)) return {};
  const float mass = last.Mass(request.Rejected(i, rho));
  const float whole = mass + (1 - rho);
  return whole > 0 ? BlockTest{mass, whole} : BlockTest{1, 1};
}

int64_t AcceptedOf(const RatioRequest& request, const std::vector<float>& rho, Coins& coins,
                   LastToken& last) {
  const auto count = static_cast<int64_t>(rho.size()) - 1;
  int64_t accepted = 0;
  for (int64_t i = 1; i <= count; ++i) {
    const float here = rho[static_cast<size_t>(i)];
    const BlockTest test = i < count ? TestOf(request, i, here, last) : BlockTest{here, 1};
    if (test.Passes(coins.Test(i - 1))) accepted = i;
  }
  return accepted;
}

}  // namespace

Answer RunBlock(const RatioRequest& request, Coins& coins, LastToken& last) {
  const std::vector<float> rho = Rhos(request);
  const auto count = static_cast<int64_t>(rho.size()) - 1;
  const int64_t accepted = AcceptedOf(request, rho, coins, last);
  Answer answer;
  for (int64_t row = 0; row < accepted; ++row)
    answer.Add(request.Draft(row), request.request.first + row);
  answer.accepted = static_cast<int32_t>(accepted);
  if (accepted == count && count < request.Drafts() && request.Kind(count) == DraftId::kBad) {
    AddBad(request.request.first + count, answer);
    return answer;
  }
  const bool rejected = accepted < count;
  last.Draw(rejected ? request.Rejected(accepted, rho[static_cast<size_t>(accepted)])
                     : request.Whole(accepted),
            coins.Last(), answer);
  return answer;
}

}  // namespace assay::host
