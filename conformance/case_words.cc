#include "conformance/case_words.h"

#include <array>

#include "conformance/expand.h"
#include "conformance/show.h"

namespace assay {
namespace {

constexpr auto kFamilies = std::to_array<std::string_view>(
    {"dyadic", "flat", "ties", "one-hot", "steps", "zipf", "normal", "peaked", "near-ties",
     "recorded", "unscaled", "subnormal", "masked"});
static_assert(kFamilies.size() == family::kMasked + 1);

std::string Family(const Case& at) {
  const bool known = at.family >= 0 && at.family < std::ssize(kFamilies);
  return known ? std::string(kFamilies[static_cast<size_t>(at.family)]) : std::to_string(at.family);
}

std::string Place(const Case& at) {
  return std::to_string(at.place < 0 ? at.place : PlaceOf(at.place, at.vocab));
}

struct Word {
  int64_t Case::*field;
  std::string (*text)(const Case&);
};
constexpr Word kWords[] = {
    {&Case::family, Family},
    {&Case::top_k, [](const Case& at) { return std::to_string(TopKOf(at.top_k, at.vocab)); }},
    {&Case::top_p, [](const Case& at) { return Show(TopPOf(at.top_p)); }},
    {&Case::min_p, [](const Case& at) { return Show(MinPOf(at.min_p)); }},
    {&Case::temperature, [](const Case& at) { return Show(TemperatureOf(at.temperature)); }},
    {&Case::order,
     [](const Case& at) {
       return std::string(at.order == ASSAY_ORDER_JOINT ? "joint" : "top-k-first");
     }},
    {&Case::place, Place},
    {&Case::offset, [](const Case& at) { return std::to_string(OffsetOf(at.offset)); }}};

std::string ValueOf(const Case& at, int64_t Case::*field) {
  for (const Word& word : kWords)
    if (word.field == field) return word.text(at);
  return std::to_string(at.*field);
}

}  // namespace

std::string InWords(const Case& at) {
  std::string out;
  for (const CaseField& field : CaseFields()) {
    const bool always = field.value == &Case::rows || field.value == &Case::vocab;
    if (at.*field.value == field.plain && !always) continue;
    out += (out.empty() ? "" : " ") + std::string(field.name) + "=" + ValueOf(at, field.value);
  }
  return out;
}

}  // namespace assay
