#include "conformance/verify/tags.h"

#include <algorithm>
#include <numeric>

#include "conformance/verify/clauses.h"

namespace assay {
namespace {

constexpr uint64_t kShorter = 71, kTagCoins = 72;  // purposes of CaseRandom

size_t At(int64_t index) { return static_cast<size_t>(index); }

// `tree` and all that come of it by adding nodes up to `nodes`, the next one below the last node or
// one of its ancestors, so that each ordered tree is made once, its nodes numbered in preorder.
void Grow(std::vector<int32_t>& parents, size_t nodes, std::vector<std::vector<int32_t>>& made) {
  if (parents.size() == nodes) return made.push_back(parents);
  for (int32_t above = static_cast<int32_t>(parents.size()) - 1; above >= 0;
       above = parents[At(above)]) {
    parents.push_back(above);
    Grow(parents, nodes, made);
    parents.pop_back();
  }
}

TagShape ShapeOf(const std::vector<int32_t>& parents) {
  TagShape shape{.children = std::vector<std::vector<int32_t>>(parents.size()),
                 .chosen = std::vector<int32_t>(parents.size(), -1)};
  for (size_t node = 1; node < parents.size(); ++node)
    shape.children[At(parents[node])].push_back(static_cast<int32_t>(node));
  return shape;
}

// The next choice in the order of an odometer; false after the last.
bool NextChoice(TagShape& shape) {
  for (size_t node = 0; node < shape.children.size(); ++node) {
    const auto& children = shape.children[node];
    const auto at = std::ranges::find(children, shape.chosen[node]);
    const auto next = at == children.end() ? children.begin() : at + 1;
    if (next != children.end()) {
      shape.chosen[node] = *next;
      return true;
    }
    shape.chosen[node] = -1;
  }
  return false;
}

std::vector<double> Half(int64_t vocab, int32_t one, int32_t other) {
  std::vector<double> row(At(vocab));
  row[At(one)] += 0.5;
  row[At(other)] += 0.5;
  return row;
}

void Link(const TagShape& shape, VerifyRequest& request) {
  const size_t nodes = shape.children.size();
  request.next_token.assign(nodes, -1);
  request.next_sibling.assign(nodes, -1);
  request.node_row = shape.row;
  if (shape.row.empty()) {
    request.node_row.resize(nodes);
    std::iota(request.node_row.begin(), request.node_row.end(), 0);
  }
  for (size_t node = 0; node < nodes; ++node) {
    int32_t* link = &request.next_token[node];
    for (const int32_t child : shape.children[node]) {
      *link = child;
      link = &request.next_sibling[At(child)];
    }
  }
}

void PutDrafts(const Case& at, const TagShape& shape, int64_t first, VerifyRequest& request) {
  for (size_t node = 0; node < shape.children.size(); ++node) {
    const int32_t tag = TagOf(at, first + request.node_row[node]);
    int64_t other = tag;
    for (const int32_t child : shape.children[node]) {
      other = (other + 1) % at.vocab;
      request.candidates[At(child)] =
          child == shape.chosen[node] ? tag : static_cast<int32_t>(other);
    }
  }
}

void PutRows(const Case& at, const Trial& trial, int64_t first, CaseRandom& random,
             VerifyRequest& request) {
  const bool laws = ReadsLaws(trial.operation());
  for (int64_t i = 0; i < request.rows(); ++i) {
    const int32_t tag = TagOf(at, first + i);
    request.target_ids.push_back(tag);
    if (!laws) continue;
    request.target.push_back(Half(at.vocab, tag, tag));
    request.draft.push_back(Half(at.vocab, tag, static_cast<int32_t>((tag + 1) % at.vocab)));
    request.coins.push_back(AnyCoin(random));
  }
  request.final_coin = AnyCoin(random);
}

}  // namespace

TagShape ChainShape(int64_t drafts, uint64_t accepts) {
  std::vector<int32_t> parents(At(drafts + 1));
  std::iota(parents.begin(), parents.end(), -1);
  TagShape shape = ShapeOf(parents);
  for (int64_t i = 0; i < drafts; ++i)
    if (accepts >> i & 1) shape.chosen[At(i)] = static_cast<int32_t>(i + 1);
  return shape;
}

std::vector<TagShape> SmallTrees(int64_t nodes) {
  std::vector<std::vector<int32_t>> trees;
  std::vector<int32_t> root = {-1};
  Grow(root, At(nodes), trees);
  std::vector<TagShape> shapes;
  for (const auto& parents : trees) {
    TagShape shape = ShapeOf(parents);
    do shapes.push_back(shape);
    while (NextChoice(shape));
  }
  return shapes;
}

TagShape Renumbered(const TagShape& shape, CaseRandom& random) {
  const auto nodes = std::ssize(shape.children);
  std::vector<int32_t> number = Permutation(nodes, random);
  std::swap(number[At(std::ranges::find(number, 0) - number.begin())], number[0]);
  TagShape made = shape;
  const auto renumber = [&](int32_t node) { return node < 0 ? -1 : number[At(node)]; };
  for (size_t node = 0; node < number.size(); ++node) {
    const size_t to = At(number[node]);
    made.children[to] = shape.children[node];
    std::ranges::transform(made.children[to], made.children[to].begin(), renumber);
    made.chosen[to] = renumber(shape.chosen[node]);
  }
  return made;
}

std::vector<TagShape> PatternShapes(const Case& at, const Trial& trial) {
  const bool plain_last = FindField(trial.operation(), "last_row");
  CaseRandom random(at, 0, kShorter);
  std::vector<TagShape> shapes, last;
  for (uint64_t accepts = 0; accepts >> at.drafts == 0; ++accepts) {
    shapes.push_back(ChainShape(at.drafts, accepts));
    if (!trial.Has(ASSAY_RAGGED) || random.Below(2) == 0) continue;
    const int64_t drafts = plain_last ? 0 : random.Below(at.drafts + 1);
    (plain_last ? last : shapes).push_back(ChainShape(drafts, random.Next()));
  }
  shapes.insert(shapes.end(), last.begin(), last.end());
  return shapes;
}

std::vector<std::span<const TagShape>> InCalls(std::span<const TagShape> shapes) {
  constexpr size_t kMost = 64;
  std::vector<std::span<const TagShape>> parts;
  for (; shapes.size() > kMost; shapes = shapes.subspan(kMost))
    parts.push_back(shapes.first(kMost));
  parts.push_back(shapes);
  return parts;
}

int32_t TagOf(const Case& at, int64_t row) {
  return static_cast<int32_t>((row + at.seed % at.vocab) % at.vocab);
}

VerifyBatch TagBatch(const Case& at, const Trial& trial, std::span<const TagShape> shapes,
                     int64_t width) {
  VerifyBatch batch;
  batch.vocab = at.vocab;
  batch.width = width;
  batch.injected = GivesCoins(trial);
  const bool block = trial.Has(ASSAY_BLOCK_RULE) && FindField(trial.operation(), "method");
  if (block && at.seed % 2 == 1) batch.method = RejectionMethod::kBlock;
  int64_t first = 0;
  for (const TagShape& shape : shapes) {
    const auto b = std::ssize(batch.requests);
    CaseRandom random(at, b, kTagCoins);
    VerifyRequest request = EmptyRequest(at, b, std::ssize(shape.children) - 1, trial);
    request.temperature = b % 4 == 3 ? 0 : 1;
    request.candidates[0] = TagOf(at, first);  // its root's, which nothing compares
    Link(shape, request);
    PutDrafts(at, shape, first, request);
    PutRows(at, trial, first, random, request);
    first += request.rows();
    batch.requests.push_back(std::move(request));
  }
  return batch;
}

}  // namespace assay
