// Verifiers that test a draft against the target alone, children of a node with one coin.

#include <algorithm>
#include <cfloat>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/verify_call.h"
#include "conformance/subjects/host/verify_last.h"

namespace assay::host {
namespace {

constexpr float kLeastThreshold = 1e-9f;

// Nodes of a request; a chain's node has the next one as its only child.
struct Links {
  const VerifyCall& call;
  Request request;
  bool tree;

  // Of a node that is not the last of a full path.
  int32_t Child(int64_t node) const {
    return tree ? call.next_token[request.first + node] : static_cast<int32_t>(node + 1);
  }
  int32_t Sibling(int64_t node) const {
    return tree ? call.next_sibling[request.first + node] : -1;
  }
  int64_t Width() const { return tree ? call.width : request.rows; }
  int64_t Row(int64_t node) const {
    return tree ? call.retrieve_index[request.first + node] : request.first + node;
  }
};

class Walk {
 public:
  Walk(const VerifyCall& call, const Config& config, const Links& links)
      : call_(call), config_(config), links_(links) {}

  Answer Run(int64_t request, LastToken& last) {
    for (;;) {
      const int64_t row = links_.Row(node_);
      // A full path ends with the whole row.
      const bool full = answer_.accepted + 1 >= links_.Width();
      const int32_t child = full ? -1 : Accepted(row);
      if (bad_) {
        AddBad(row, answer_);
        return answer_;
      }
      if (child < 0) {
        last.Draw({.row = row, .take_draft = TakesDraft(full), .scale = 1, .removed = rejected_},
                  call_.final_coins[request], answer_);
        return answer_;
      }
      answer_.Add(call_.candidates[links_.request.first + child], row);
      ++answer_.accepted;
      node_ = child;
      rejected_.clear();
    }
  }

 private:
  // The child that the coin of `row` accepts, or -1.
  int32_t Accepted(int64_t row) {
    const auto* p = call_.target.Row<float>(row);
    const bool once = config_.profile.siblings == Siblings::kOnce;
    float mass = 0;
    for (int32_t child = links_.Child(node_); child >= 0; child = links_.Sibling(child)) {
      const int32_t id = call_.candidates[links_.request.first + child];
      const DraftId kind = ReadDraft(id, call_.target.columns);
      if (kind == DraftId::kNone) continue;
      bad_ = kind == DraftId::kBad;
      if (bad_) return -1;
      if (once && std::find(rejected_.begin(), rejected_.end(), id) != rejected_.end()) continue;
      const bool sound = p[id] >= 0 && p[id] <= FLT_MAX;
      if (sound) mass += p[id];
      if (sound && (p[id] >= call_.threshold_single || (p[id] > 0 && Below(row, mass))))
        return child;
      rejected_.push_back(id);
      if (Writes()) call_.draft.Row<float>(row)[id] = p[id];
    }
    return -1;
  }

  bool Below(int64_t row, float mass) const {
    const double scaled = call_.coins[row] * double{std::max(call_.threshold_acc, kLeastThreshold)};
    const bool reach = config_.profile.target_only_edge == AcceptEdge::kReach;
    return reach ? scaled <= double{mass} : scaled < double{mass};
  }

  bool Writes() const {
    return call_.draft.data && config_.profile.target_only_draft == TargetOnlyDraft::kTakenAway;
  }
  bool TakesDraft(bool full) const { return Writes() && !full; }

  const VerifyCall& call_;
  const Config& config_;
  const Links& links_;
  int64_t node_ = 0;
  bool bad_ = false;
  std::vector<int32_t> rejected_;
  Answer answer_;
};

int32_t TargetOnly(const assay_call* call, const assay_verify_args* args, uint32_t tree) {
  return Guard(call, args, [&](const Config& config) {
    const VerifyCall checked = CheckVerify(*args, kLaws | kThresholds | kPredicts | tree);
    float* workspace = CheckWorkspace(*call, checked.requests, checked.target.columns);
    LastToken last(checked, config, workspace);
    for (int64_t b = 0; b < checked.requests; ++b) {
      const Links links{checked, checked.At(b), tree != 0};
      Write(checked, b, Walk(checked, config, links).Run(b, last), config.profile);
    }
  });
}

}  // namespace

int32_t ChainSpeculativeSamplingTargetOnly(const assay_call* call, const assay_verify_args* args) {
  return TargetOnly(call, args, 0);
}
int32_t TreeSpeculativeSamplingTargetOnly(const assay_call* call, const assay_verify_args* args) {
  return TargetOnly(call, args, kTree);
}

}  // namespace assay::host
