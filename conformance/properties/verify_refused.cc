// Calls of verifiers that must be refused: links that are no tree, offsets that disagree with the
// rows, thresholds outside [0, 1].

#include <cmath>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/properties/refused.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/tags.h"

namespace assay {
namespace {

// ---- Links. ------------------------------------------------------------------------------------

// Four nodes: 0 -> {1, 2}, 2 -> {3}. What becomes wrong in one request of the call.
struct BadLink {
  std::string_view field;
  int32_t node, to;  // to: a node; kEnd: the request's rows
  std::string_view what;
};
constexpr int32_t kEnd = 4;
constexpr BadLink kBadLinks[] = {
    {"next_token", 0, kEnd, "first child past the request"},
    {"next_token", 3, INT32_MAX, "first child far outside"},
    {"next_token", 3, -2, "first child -2"},
    {"next_sibling", 1, kEnd, "sibling past the request"},
    {"next_sibling", 2, INT32_MIN, "sibling far outside"},
    {"next_token", 0, 0, "the root its own child"},
    {"next_token", 3, 3, "a node its own child"},
    {"next_token", 3, 0, "the root below a leaf"},
    {"next_token", 3, 2, "a node below its child"},
    {"next_sibling", 2, 1, "siblings in a circle"},
    {"next_sibling", 1, 1, "a node its own sibling"},
    {"next_token", 1, 3, "a node with two parents"},
};

// Drafts that are not accepted, so that each sibling is tested, or all accepted.
VerifyBatch Trees(const Case& at, const Trial& t) {
  TagShape shape{.children = {{1, 2}, {}, {3}, {}}, .chosen = {-1, -1, -1, -1}};
  if (at.place == 1) shape.chosen = {2, -1, 3, -1};
  const std::vector<TagShape> shapes(static_cast<size_t>(at.rows), shape);
  return TagBatch(at, t, shapes);
}

void BadLinks(const Case& at, Trial& t) {
  Inputs in = VerifyCall(Trees(at, t), t);
  const BadLink& bad = kBadLinks[at.special];
  in.tensors.at(bad.field).SetInt((at.rows - 1) * kEnd + bad.node, bad.to);
  t.RequireRefusal("VERIFY-TREE-SHAPE", in, std::string(bad.what));
}

Domain LinkCalls(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::special, {}}, {&Case::rows, {1, 3}}, {&Case::place, {0, 1}}, {&Case::vocab, {33}}};
  for (int64_t code = 0; code < std::ssize(kBadLinks); ++code)
    domain.axes.front().values.push_back(code);
  domain.quick = domain.full = 0;
  return domain;
}

// ---- Offsets, rows of nodes, thresholds. -------------------------------------------------------

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kBadThresholds[] = {kNan, -0x1p-20f, 1 + 0x1p-23f, kInf, -kInf};

enum : int64_t {
  kFirstOffset,
  kLastOffsetLess,
  kLastOffsetMore,
  kDescending,
  kEmptyRequest,
  kRowBefore,
  kRowPast,
  kSingle,
  kAcc,
  kBadCalls
};

std::string_view FieldOf(int64_t code) {
  if (code == kSingle) return "threshold_single";
  if (code == kAcc) return "threshold_acc";
  return code < kRowBefore ? "row_offsets" : "retrieve_index";
}

// Three requests of four rows.
void Spoil(int64_t code, int64_t place, Inputs& in) {
  Tensor& field = in.tensors.at(FieldOf(code));
  switch (code) {
    case kFirstOffset: return field.SetInt(0, 1);
    case kLastOffsetLess: return field.SetInt(3, 11);
    case kLastOffsetMore: return field.SetInt(3, 13);
    case kDescending: return field.SetInt(2, 3);
    case kEmptyRequest: return field.SetInt(2, 4);
    case kRowBefore: return field.SetInt(4, 3);
    case kRowPast: return field.SetInt(7, 8);
    default: field.Set(0, 0, static_cast<double>(kBadThresholds[place]));
  }
}

void BadCalls(const Case& at, Trial& t) {
  const std::vector<TagShape> shapes(3, ChainShape(3, static_cast<uint64_t>(at.drafts)));
  Inputs in = VerifyCall(TagBatch(at, t, shapes), t);
  Spoil(at.special, at.place, in);
  t.RequireRefusal("VERIFY-CALL-REFUSE", in, std::string(FieldOf(at.special)));
}

Domain CallsRefused(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {}},
                 {&Case::place, {0, 1, 2, 3, 4}},
                 {&Case::drafts, {7, 0, 2}},
                 {&Case::vocab, {33}}};
  for (int64_t code = 0; code < kBadCalls; ++code)
    if (FindField(*context.operation, FieldOf(code))) domain.axes.front().values.push_back(code);
  domain.quick = domain.full = 0;
  return domain;
}

}  // namespace

void AddVerifyRefusedProperties(std::vector<Property>& all) {
  all.push_back({"verify_bad_links",
                 Verifiers(ReadsLinks),
                 {{"VERIFY-TREE-SHAPE", Technique::kBounds}},
                 LinkCalls,
                 BadLinks,
                 NotChecked});
  all.push_back({"verify_bad_calls",
                 Verifiers(),
                 {{"VERIFY-CALL-REFUSE", Technique::kBounds}},
                 CallsRefused,
                 BadCalls,
                 NotChecked});
}

}  // namespace assay
