#include "reference/verify_tree.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reference/budget.h"
#include "reference/error.h"
#include "reference/illegal.h"

namespace assay {
namespace {

constexpr double kLeastThreshold = 1e-9;

size_t At(int32_t index) { return static_cast<size_t>(index); }

int32_t RowOf(const Tree& tree, int32_t node) {
  return tree.row.empty() ? node : tree.row[At(node)];
}

std::vector<int32_t> ChildrenOf(const Tree& tree, int32_t node) {
  std::vector<int32_t> children;
  for (int32_t child = tree.next_token[At(node)]; child >= 0;
       child = tree.next_sibling[At(child)]) {
    children.push_back(child);
  }
  return children;
}

void RequireLength(const char* what, size_t found, size_t expected) {
  if (found == expected) return;
  throw InputError(std::string(what) + ": found " + std::to_string(found) +
                   " entries, expected one for each of " + std::to_string(expected) + " nodes");
}

void RequireRange(const char* what, std::span<const int32_t> entries, int64_t least, int64_t end) {
  for (size_t node = 0; node < entries.size(); ++node) {
    if (entries[node] >= least && entries[node] < end) continue;
    throw InputError(std::string(what) + "[" + std::to_string(node) + "]: found " +
                     std::to_string(entries[node]) + ", expected one in [" + std::to_string(least) +
                     ", " + std::to_string(end) + ")");
  }
}

// The nodes reached from the root. Throws InputError where links reach one twice.
std::vector<int32_t> ReachedNodes(const Tree& tree) {
  std::vector<bool> seen(tree.candidates.size());
  std::vector<int32_t> reached;
  std::vector<int32_t> open = {0};
  const auto reach = [&](const char* what, int32_t from, int32_t node) {
    if (node < 0) return;
    if (node == 0 || seen[At(node)]) {
      throw InputError(std::string(what) + "[" + std::to_string(from) + "]: found node " +
                       std::to_string(node) + " again, expected a tree");
    }
    seen[At(node)] = true;
    open.push_back(node);
  };
  while (!open.empty()) {
    const int32_t node = open.back();
    open.pop_back();
    reached.push_back(node);
    reach("next_token", node, tree.next_token[At(node)]);
    if (node != 0) reach("next_sibling", node, tree.next_sibling[At(node)]);
  }
  return reached;
}

void RequireThreshold(const char* what, double value) {
  if (value >= 0 && value <= 1) return;
  throw InputError(std::string(what) + ": found " + Number(value) + ", expected one in [0, 1]");
}

class TargetOnlyWalk {
 public:
  TargetOnlyWalk(const Tree& tree, const Rows& target, const Rows& draft,
                 const Thresholds& thresholds, const Profile& profile, Decisions& decide)
      : tree_(tree),
        target_(target),
        draft_(profile.target_only_draft == TargetOnlyDraft::kTakenAway ? draft : Rows{}),
        thresholds_(thresholds),
        profile_(profile),
        decide_(decide) {}

  VerifyOutcome Run() {
    int32_t node = 0;
    while (outcome_.accepted + 1 < tree_.width) {
      const Level level = Test(node);
      if (level.accepted < 0) {
        level.accepted == kBadChild ? EmitBad(RowOf(tree_, node), outcome_)
                                    : Finish(node, level.rejected);
        return std::move(outcome_);
      }
      EmitAccepted(tree_.candidates[At(level.accepted)], RowOf(tree_, node), outcome_);
      node = level.accepted;
    }
    EmitLast({.target = TargetOf(node), .draft = {}}, RowOf(tree_, node), profile_, decide_,
             outcome_);
    return std::move(outcome_);
  }

 private:
  static constexpr int32_t kNoChild = -1, kBadChild = -2;
  struct Level {
    int32_t accepted;  // a node, or one of the constants
    std::vector<int32_t> rejected;
  };

  std::span<const double> TargetOf(int32_t node) const { return target_[At(RowOf(tree_, node))]; }

  Level Test(int32_t node) {
    Level level{kNoChild, {}};
    double mass = 0;
    for (const int32_t child : ChildrenOf(tree_, node)) {
      const int32_t id = tree_.candidates[At(child)];
      const DraftKind kind = KindOf(id, std::ssize(TargetOf(node)), profile_);
      if (kind == DraftKind::kNone) continue;
      if (kind == DraftKind::kBad) return {kBadChild, {}};
      if (IsRepeated(id, level.rejected)) continue;
      const double p = TargetOf(node)[At(id)];
      if (IsWeight(p)) mass += p;
      if (IsWeight(p) && (p >= thresholds_.single || (p > 0 && Accepts(node, mass, level)))) {
        level.accepted = child;
        return level;
      }
      level.rejected.push_back(id);
      if (!draft_.empty()) outcome_.draft_writes.push_back({RowOf(tree_, node), id, p});
    }
    return level;
  }

  bool Accepts(int32_t node, double mass, const Level& level) {
    return decide_.Accept({.coin = {CoinUse::kAccept, RowOf(tree_, node)},
                           .target = mass,
                           .draft = std::max(thresholds_.accumulated, kLeastThreshold),
                           .edge = profile_.target_only_edge,
                           .slack = AcceptBudget(mass, static_cast<int>(level.rejected.size()))});
  }

  bool IsRepeated(int32_t id, const std::vector<int32_t>& rejected) const {
    return profile_.siblings == Siblings::kOnce &&
           std::ranges::find(rejected, id) != rejected.end();
  }

  void Finish(int32_t node, const std::vector<int32_t>& rejected) {
    const int32_t row = RowOf(tree_, node);
    const auto draft = draft_.empty() ? std::span<const double>{} : draft_[At(row)];
    EmitLast({.target = TargetOf(node), .draft = draft, .removed = rejected}, row, profile_,
             decide_, outcome_);
  }

  const Tree& tree_;
  const Rows& target_;
  const Rows draft_;
  const Thresholds& thresholds_;
  const Profile& profile_;
  Decisions& decide_;
  VerifyOutcome outcome_;
};

void RequireDistinctSiblings(const Tree& tree, const Profile& profile) {
  for (const int32_t node : ReachedNodes(tree)) {
    std::vector<int32_t> ids;
    for (const int32_t child : ChildrenOf(tree, node)) {
      const int32_t id = tree.candidates[At(child)];
      if (id >= 0 && std::ranges::find(ids, id) != ids.end()) {
        ThrowIllegal("candidates", "two siblings " + std::to_string(id), "different ones",
                     "siblings", profile);
      }
      ids.push_back(id);
    }
  }
}

}  // namespace

void RequireTree(const Tree& tree, int64_t rows) {
  const size_t nodes = tree.candidates.size();
  if (nodes == 0) throw InputError("candidates: found no node, expected a root");
  RequireLength("next_token", tree.next_token.size(), nodes);
  RequireLength("next_sibling", tree.next_sibling.size(), nodes);
  RequireLength("row", tree.row.empty() ? nodes : tree.row.size(), nodes);
  RequireRange("next_token", tree.next_token, -1, std::ssize(tree.candidates));
  RequireRange("next_sibling", tree.next_sibling, -1, std::ssize(tree.candidates));
  RequireRange("row", tree.row, 0, rows);
  if (tree.row.empty() && std::ssize(tree.candidates) > rows) {
    throw InputError("candidates: found " + std::to_string(nodes) + " nodes, expected at most " +
                     std::to_string(rows) + ", one a row");
  }
  if (tree.width < 1) {
    throw InputError("width: found " + std::to_string(tree.width) + ", expected at least 1");
  }
  ReachedNodes(tree);
}

VerifyOutcome WalkTree(const Tree& tree, const std::function<RowsToken(int32_t row)>& token) {
  VerifyOutcome outcome;
  for (int32_t node = 0;;) {
    const RowsToken next = token(RowOf(tree, node));
    Emit(next.id, RowOf(tree, node), outcome);
    outcome.status = next.status;
    if (next.id < 0 || std::ssize(outcome.emitted) == tree.width) return outcome;
    const std::vector<int32_t> children = ChildrenOf(tree, node);
    const auto match = std::ranges::find_if(
        children, [&](int32_t child) { return tree.candidates[At(child)] == next.id; });
    if (match == children.end()) return outcome;
    ++outcome.accepted;
    outcome.metric = outcome.accepted;
    node = *match;
  }
}

VerifyOutcome VerifyTreeGreedy(const Tree& tree, std::span<const int32_t> target_ids,
                               int64_t vocab) {
  RequireTree(tree, std::ssize(target_ids));
  RequireRange("target_ids", target_ids, 0, vocab);
  return WalkTree(tree, [&](int32_t row) { return RowsToken{target_ids[At(row)]}; });
}

VerifyOutcome VerifyTreeTargetOnly(const Tree& tree, const Rows& target, const Rows& draft,
                                   const Thresholds& thresholds, const Profile& profile,
                                   Decisions& decide) {
  RequireTree(tree, std::ssize(target));
  const int64_t vocab = RequireRows("target", target, target.size());
  RequireRows("draft", draft, draft.empty() ? 0 : target.size(), vocab);
  RequireThreshold("threshold_single", thresholds.single);
  RequireThreshold("threshold_acc", thresholds.accumulated);
  if (profile.siblings == Siblings::kIllegal) RequireDistinctSiblings(tree, profile);
  return TargetOnlyWalk(tree, target, draft, thresholds, profile, decide).Run();
}

}  // namespace assay
