#include "conformance/draw.h"

#include <rapidcheck/seq/Create.h>
#include <rapidcheck/seq/Transform.h>
#include <rapidcheck/shrink/Shrink.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "conformance/expand.h"

namespace assay {
namespace {

// A covering array of strength two, greedily: each new case takes, axis by axis, the value that
// meets the most pairs not yet met. Deterministic.
class Pairs {
 public:
  explicit Pairs(const Domain& domain) : domain_(domain) {
    for (size_t a = 0; a < axes(); ++a)
      for (size_t b = a + 1; b < axes(); ++b)
        for (size_t i = 0; i < size(a); ++i)
          for (size_t j = 0; j < size(b); ++j) open_.insert({a, i, b, j});
  }

  bool done() const { return open_.empty(); }

  Case Next() {
    const Pair seed = *open_.begin();
    std::vector<int> choice(axes(), -1);
    choice[seed.a] = static_cast<int>(seed.i);
    choice[seed.b] = static_cast<int>(seed.j);
    for (size_t a = 0; a < axes(); ++a)
      if (choice[a] < 0) choice[a] = Best(a, choice);
    Case made;
    for (size_t a = 0; a < axes(); ++a) {
      made.*domain_.axes[a].field = domain_.axes[a].values[static_cast<size_t>(choice[a])];
      for (size_t b = a + 1; b < axes(); ++b)
        open_.erase({a, static_cast<size_t>(choice[a]), b, static_cast<size_t>(choice[b])});
    }
    return made;
  }

 private:
  struct Pair {
    size_t a, i, b, j;
    auto operator<=>(const Pair&) const = default;
  };
  size_t axes() const { return domain_.axes.size(); }
  size_t size(size_t axis) const { return domain_.axes[axis].values.size(); }

  int Best(size_t axis, const std::vector<int>& choice) const {
    int best = 0, most = -1;
    for (size_t i = 0; i < size(axis); ++i) {
      int meets = 0;
      for (size_t b = 0; b < axes(); ++b) {
        if (choice[b] < 0) continue;
        const auto j = static_cast<size_t>(choice[b]);
        meets += static_cast<int>(axis < b ? open_.count({axis, i, b, j})
                                           : open_.count({b, j, axis, i}));
      }
      if (meets > most) {
        most = meets;
        best = static_cast<int>(i);
      }
    }
    return best;
  }

  const Domain& domain_;
  std::set<Pair> open_;
};

// At most `most` cases of the product of all axes, spread evenly over it: those a golden section
// apart, which never meet again. All of them where there are no more.
std::vector<Case> Product(const Domain& domain, int64_t most) {
  int64_t size = 1;
  for (const Axis& axis : domain.axes) size *= std::ssize(axis.values);
  auto step = static_cast<int64_t>(static_cast<double>(size) * 0.6180339887498949);
  while (std::gcd(step, size) != 1) ++step;
  std::vector<Case> cases;
  for (int64_t i = 0, place = 0; i < std::min(size, most); ++i, place = (place + step) % size) {
    Case& at = cases.emplace_back();
    int64_t rest = place;
    for (const Axis& axis : domain.axes) {
      const int64_t values = std::ssize(axis.values);
      at.*axis.field = axis.values[static_cast<size_t>(rest % values)];
      rest /= values;
    }
  }
  return cases;
}

int64_t LogUniform(int64_t low, int64_t high, rc::Random& random) {
  const double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
  const double value =
      std::exp(std::log(static_cast<double>(std::max<int64_t>(low, 1))) * (1 - unit) +
               std::log(static_cast<double>(std::max<int64_t>(high, 1))) * unit);
  return std::clamp(static_cast<int64_t>(std::llround(value)), low, high);
}

}  // namespace

Case Fit(Case at, const Domain& domain, const Context& context) {
  const assay_subject& subject = *context.subject;
  const auto has = [&](uint32_t flag) { return (subject.flags & flag) != 0; };
  if (subject.max_vocab > 0) at.vocab = std::min(at.vocab, subject.max_vocab);
  if (subject.max_rows > 0) at.rows = std::min(at.rows, subject.max_rows);
  if (at.rows > 1) at.rows = std::clamp(domain.max_elements / at.vocab, int64_t{1}, at.rows);
  if (at.rows == 0 && !has(ASSAY_ZERO_ROWS)) at.rows = 1;
  const int64_t top_k = TopKOf(at.top_k, at.vocab);
  if (subject.max_top_k > 0 && top_k > subject.max_top_k && top_k < at.vocab)
    at.top_k = subject.max_top_k;
  if (!has(ASSAY_ROW_STRIDE)) at.pad = 0;
  if (!has(ASSAY_SCALAR_PARAMS)) at.scalar = 0;
  if (!has(ASSAY_JOINT))
    at.order = ASSAY_ORDER_TOP_K_FIRST;
  else if (!has(ASSAY_TOP_K_FIRST))
    at.order = ASSAY_ORDER_JOINT;
  const auto element = static_cast<int64_t>(SizeOf(context.dtype));
  if (subject.alignment > element) {
    const int64_t step = subject.alignment / element;
    at.misalign -= at.misalign % step;
    at.pad += (step - (at.vocab + at.pad) % step) % step;
  }
  return at;
}

std::vector<Case> Sweep(const Domain& domain, const Context& context) {
  std::vector<Case> cases;
  std::set<std::string> seen;
  const auto add = [&](const Case& at) {
    const Case fitted = Fit(at, domain, context);
    if (seen.insert(Show(fitted)).second) cases.push_back(fitted);
  };
  Case plain;
  for (const Axis& axis : domain.axes) plain.*axis.field = axis.values.front();
  add(plain);
  for (const Axis& axis : domain.axes)
    for (const auto* values : {&axis.values, &axis.alone})
      for (const int64_t value : *values) {
        Case at = plain;
        at.*axis.field = value;
        add(at);
      }
  if (domain.sweep_only) return cases;
  int64_t seed = 1;
  for (Pairs pairs(domain); !pairs.done();) {
    Case at = pairs.Next();
    at.seed = seed++;
    add(at);
  }
  if (context.tier != Tier::kDeep) return cases;
  for (Case& at : Product(domain, CountAt(context.tier, domain.quick, domain.full))) {
    at.seed = seed++;
    add(at);
  }
  return cases;
}

Case DrawCase(const Domain& domain, const Context& context, rc::Random& random) {
  Case at;
  for (const Axis& axis : domain.axes) {
    const auto& values = axis.values;
    at.*axis.field = values[random.next() % values.size()];
    const bool sized = axis.field == &Case::vocab || axis.field == &Case::rows;
    if (sized && random.next() % 2)
      at.*axis.field = LogUniform(*std::min_element(values.begin(), values.end()),
                                  *std::max_element(values.begin(), values.end()), random);
  }
  at.seed = static_cast<int64_t>(random.next() >> 32);
  return Fit(at, domain, context);
}

bool InDomain(const Case& at, const Domain& domain) {
  constexpr int64_t Case::*kSizes[] = {&Case::rows,     &Case::vocab, &Case::pad,
                                       &Case::misalign, &Case::draws, &Case::seed};
  for (const Axis& axis : domain.axes) {
    const int64_t value = at.*axis.field;
    const bool size =
        std::find(std::begin(kSizes), std::end(kSizes), axis.field) != std::end(kSizes);
    if (size || (axis.field == &Case::top_k && value > 0)) continue;
    const auto has = [&](const std::vector<int64_t>& values) {
      return std::find(values.begin(), values.end(), value) != values.end();
    };
    if (!has(axis.values) && !has(axis.alone)) return false;
  }
  return true;
}

rc::Seq<Case> Simpler(const Case& at) {
  std::vector<Case> simpler;
  for (const CaseField& field : CaseFields()) {
    auto values = rc::shrink::towards(at.*field.value, field.plain);
    while (auto value = values.next()) {
      simpler.push_back(at);
      simpler.back().*field.value = *value;
    }
  }
  return rc::seq::fromContainer(std::move(simpler));
}

}  // namespace assay
