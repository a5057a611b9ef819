// Verification under masks in trees, and step by step to whole texts.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/show.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/masked.h"

namespace assay {
namespace {

size_t At(int64_t index) { return static_cast<size_t>(index); }

// ---- Masks by the path. ------------------------------------------------------------------------

// Of a node's children one may be the row's target id; the others are forbidden ones while there
// are any. All are different.
void PutChildren(const Allowed& mask, int32_t target, size_t node, int64_t vocab,
                 CaseRandom& random, VerifyRequest& request) {
  std::vector<int32_t> tokens = Permutation(vocab, random);
  std::erase(tokens, target);
  std::ranges::stable_partition(tokens, [&](int32_t token) { return !Allows(mask, token); });
  const int64_t right = random.Below(4);
  size_t next = 0;
  int64_t sibling = 0;
  for (int32_t child = request.next_token[node]; child >= 0;
       child = request.next_sibling[At(child)])
    request.candidates[At(child)] =
        sibling++ == right || next == tokens.size() ? target : tokens[next++];
}

// Few tokens, so that many nodes have the same.
void MasksByPath(const Case& at, Trial& t) {
  MaskedBatch made = {EmptyBatch(at, t)};
  made.batch.injected = GivesCoins(t);
  for (int64_t b = 0; b < at.rows; ++b) {
    VerifyRequest& request = made.batch.requests[At(b)];
    CaseRandom random(at, b, 114);
    LinkAtRandom(random, t, made.batch, request);
    std::vector<Allowed>& masks = made.masks.emplace_back();
    for (int64_t row = 0; row < request.rows(); ++row)
      masks.push_back(MaskOf(static_cast<MaskKind>(at.special), at.vocab, random));
    PutLaws(masks, at.vocab, random, request);
    for (size_t node = 0; node < request.candidates.size(); ++node) {
      const size_t row = At(request.node_row[node]);
      PutChildren(masks[row], request.target_ids[row], node, at.vocab, random, request);
    }
    PutDraftRows(masks, at.vocab, false, request);
    PutCoins(random, request);
  }
  const auto told = RequireObedience("MASK-VERIFY-TREE", made, t);
  const bool sure = static_cast<MaskKind>(at.special) == MaskKind::kOneId;
  for (size_t b = 0; told && sure && b < told->size(); ++b)
    RequireOutcomeOf("MASK-VERIFY-TREE", made.batch, b, (*told)[b], t);
}

Domain Paths(const Context&) {
  Domain domain;
  domain.axes = {{&Case::drafts, {7, 2, 3, 4, 16}},
                 {&Case::vocab, {4, 3, 8, 33}},
                 {&Case::special, {0, 1, 3}},
                 {&Case::rows, {8, 1, 33}}};
  domain.max_elements = 1 << 13;
  domain.quick = 15;
  domain.full = 200;
  return domain;
}

// ---- Texts, token for token. -------------------------------------------------------------------

using Text = std::vector<int32_t>;

// A greedy model under a mask that hangs on what was emitted before.
class Writer {
 public:
  Writer(const Case& at, int64_t text) : at_(at), text_(text) {}

  // The row after `before`: its mask, its law and its largest token.
  void AddRow(const Text& before, std::vector<Allowed>& masks, VerifyRequest& request) const {
    CaseRandom random = RandomAfter(before, 115);
    masks.push_back(MaskOf(MaskKind::kRandom, at_.vocab, random));
    PutLaws(std::span(masks).last(1), at_.vocab, random, request);
  }
  int32_t Next(const Text& before) const {
    VerifyRequest request;
    std::vector<Allowed> masks;
    AddRow(before, masks, request);
    return request.target_ids.back();
  }
  // The right token in half of all places: the drafter knows no mask.
  int32_t Draft(const Text& before) const {
    CaseRandom random = RandomAfter(before, 116);
    return random.Below(2) == 0 ? Next(before) : static_cast<int32_t>(random.Below(at_.vocab));
  }

 private:
  CaseRandom RandomAfter(const Text& before, uint64_t purpose) const {
    Case place = at_;
    for (const int32_t token : before) place.seed = place.seed * 31 % 1000003 + token + 2;
    return CaseRandom(place, text_, purpose);
  }

  Case at_;
  int64_t text_;
};

VerifyRequest StepOf(const Writer& writer, Text text, VerifyRequest request) {
  std::vector<Allowed> masks;
  writer.AddRow(text, masks, request);
  Text drafts;
  while (drafts.size() + 1 < request.candidates.size()) {
    drafts.push_back(writer.Draft(text));
    text.push_back(drafts.back());
    writer.AddRow(text, masks, request);
  }
  PutChain(request);
  std::ranges::copy(drafts, request.candidates.begin() + 1);
  return request;
}

void WritesTheSame(const Case& at, Trial& t) {
  constexpr size_t kLength = 12;
  std::vector<Text> texts(At(at.rows)), greedy(At(at.rows));
  std::vector<Writer> writers;
  for (int64_t b = 0; b < at.rows; ++b) {
    writers.emplace_back(at, b);
    Text& want = greedy[At(b)];
    while (want.size() < kLength) want.push_back(writers.back().Next(want));
  }
  const auto shorter = [](const Text& text) { return text.size() < kLength; };
  while (std::ranges::any_of(texts, shorter)) {
    VerifyBatch batch = EmptyBatch(at, t);
    for (size_t b = 0; b < texts.size(); ++b)
      batch.requests[b] = StepOf(writers[b], texts[b], batch.requests[b]);
    const auto told = Verify(batch, t);
    if (!told) return;
    for (size_t b = 0; b < texts.size(); ++b)
      texts[b].insert(texts[b].end(), (*told)[b].emitted.begin(), (*told)[b].emitted.end());
  }
  for (size_t b = 0; b < texts.size(); ++b) {
    texts[b].resize(kLength);
    t.Require("MASK-VERIFY-LOSSLESS", texts[b] == greedy[b], [&] {
      return Finding{"text " + std::to_string(b), "token by token: " + ShowIds(greedy[b]),
                     ShowIds(texts[b])};
    });
  }
}

Domain Texts(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::drafts, {3, 1, 2, 5}}, {&Case::vocab, {8, 2, 3, 33}}, {&Case::rows, {4, 1}}};
  domain.quick = 5;
  domain.full = 60;
  return domain;
}

// The others have the joint law.
bool IsGreedy(const Operation& operation) { return !ReadsLaws(operation); }

}  // namespace

void AddVerifyMaskedTextProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_masked_trees", Verifiers(ReadsLinks),
                               {{"MASK-VERIFY-TREE", Technique::kExact}}, Paths, MasksByPath));
  all.push_back(VerifyProperty("verify_masked_texts", Verifiers(IsGreedy),
                               {{"MASK-VERIFY-LOSSLESS", Technique::kMetamorphic}}, Texts,
                               WritesTheSame));
}

}  // namespace assay
