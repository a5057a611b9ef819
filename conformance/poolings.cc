#include "conformance/poolings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "reference/error.h"

namespace assay {
namespace {

constexpr int kTieGroups = 8;

void CheckLaw(std::span<const double> law) {
  double total = 0;
  for (size_t id = 0; id < law.size(); ++id) {
    if (!(law[id] >= 0)) {
      throw InputError("law[" + std::to_string(id) + "] is " + std::to_string(law[id]) +
                       ", expected a probability");
    }
    total += law[id];
  }
  if (!(std::abs(total - 1) <= 1e-6)) {
    throw InputError("law sums to " + std::to_string(total) + ", expected 1");
  }
}

// The pooling that maps id to raw(id) in [0, raw_bins), with its bins renumbered.
template <typename Raw>
Pooling Partition(std::string name, std::span<const double> law, size_t raw_bins, Raw raw) {
  Pooling pooling{.name = std::move(name), .bin = std::vector<int32_t>(law.size()), .mass = {}};
  std::vector<int32_t> renumbered(raw_bins, -1);
  int32_t last = 0;
  for (size_t id = 0; id < law.size(); ++id) {
    if (law[id] > 0) {
      int32_t& number = renumbered[static_cast<size_t>(raw(id))];
      if (number < 0) {
        number = pooling.bins();
        pooling.mass.push_back(0);
      }
      last = number;
      pooling.mass[static_cast<size_t>(last)] += law[id];
    }
    pooling.bin[id] = last;
  }
  return pooling;
}

Pooling Partition(std::string name, std::span<const double> law, size_t raw_bins,
                  const std::vector<int32_t>& raw) {
  return Partition(std::move(name), law, raw_bins, [&raw](size_t id) { return raw[id]; });
}

Pooling EqualMass(std::string name, std::span<const double> law, std::span<const int32_t> order,
                  int bands) {
  std::vector<int32_t> raw(law.size());
  double below = 0;
  for (const int32_t token : order) {
    const auto id = static_cast<size_t>(token);
    raw[id] = std::min(bands - 1, static_cast<int>(bands * (below + law[id] / 2)));
    below += law[id];
  }
  return Partition(std::move(name), law, static_cast<size_t>(bands), raw);
}

std::vector<int32_t> IdOrder(std::span<const double> law) {
  std::vector<int32_t> order(law.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Ids of positive probability, likeliest first, ties in id order. Positive doubles order as their
// bits do, and a radix sort on those takes half the time of a comparison sort.
std::vector<int32_t> RankOrder(std::span<const double> law) {
  struct Token {
    uint64_t key;
    int32_t id;
  };
  std::vector<Token> tokens;
  tokens.reserve(law.size());
  for (size_t id = 0; id < law.size(); ++id) {
    if (law[id] > 0)
      tokens.push_back({~std::bit_cast<uint64_t>(law[id]), static_cast<int32_t>(id)});
  }
  std::vector<Token> sorted(tokens.size());
  for (int shift = 0; shift < 64; shift += 11) {
    const auto digit = [shift](const Token& token) { return token.key >> shift & 2047; };
    std::array<size_t, 2048> next{};
    for (const Token& token : tokens) ++next[digit(token)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), size_t{0});
    for (const Token& token : tokens) sorted[next[digit(token)]++] = token;
    std::swap(tokens, sorted);
  }
  std::vector<int32_t> order;
  order.reserve(tokens.size());
  for (const Token& token : tokens) order.push_back(token.id);
  return order;
}

Pooling Tokens(std::span<const double> law) {
  std::vector<int32_t> raw(law.size(), -1);
  int32_t next = 0;
  int32_t open = -1;
  int32_t closed = -1;
  double open_mass = 0;
  for (size_t id = 0; id < law.size(); ++id) {
    if (law[id] >= kResolution) {
      raw[id] = next++;
    } else if (law[id] > 0) {
      if (open < 0) open = next++;
      raw[id] = open;
      open_mass += law[id];
      if (open_mass >= kResolution) {
        closed = std::exchange(open, -1);
        open_mass = 0;
      }
    }
    if (next > kMaxTokenBins + 1) return {};
  }
  if (open >= 0 && closed >= 0) std::replace(raw.begin(), raw.end(), open, closed);
  Pooling pooling = Partition("tokens", law, static_cast<size_t>(next), raw);
  return pooling.bins() <= kMaxTokenBins ? pooling : Pooling{};
}

Pooling Cut(std::span<const double> law, std::span<const int32_t> cut_tokens) {
  std::vector<int32_t> raw(law.size(), 0);
  int32_t next = 1;
  for (const int32_t token : cut_tokens) {
    if (token < 0 || static_cast<size_t>(token) >= law.size()) {
      throw InputError("cut token is " + std::to_string(token) + ", expected an id below " +
                       std::to_string(law.size()));
    }
    int32_t& number = raw[static_cast<size_t>(token)];
    if (number == 0) number = next++;
  }
  return Partition("cut", law, static_cast<size_t>(next), raw);
}

Pooling Ties(std::span<const double> law, std::span<const int32_t> order) {
  struct Group {
    double mass;
    size_t first, size;  // a stretch of `order`
  };
  std::vector<Group> groups;
  for (size_t first = 0; first < order.size();) {
    const double p = law[static_cast<size_t>(order[first])];
    size_t end = first + 1;
    while (end < order.size() && law[static_cast<size_t>(order[end])] == p) ++end;
    const size_t size = end - first;
    if (size > 1) groups.push_back({p * static_cast<double>(size), first, size});
    first = end;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.mass > b.mass; });
  if (groups.size() > kTieGroups) groups.resize(kTieGroups);
  std::vector<int32_t> raw(law.size(), 0);
  int32_t next = 1;
  for (const Group& group : groups) {
    for (size_t i = 0; i < group.size; ++i) {
      raw[static_cast<size_t>(order[group.first + i])] = i < group.size / 2 ? next : next + 1;
    }
    next += 2;
  }
  return Partition("ties", law, static_cast<size_t>(next), raw);
}

}  // namespace

std::vector<Pooling> Poolings(std::span<const double> law, std::span<const int32_t> cut_tokens) {
  CheckLaw(law);
  const std::vector<int32_t> rank = RankOrder(law);
  std::vector<Pooling> kept;
  const auto keep = [&kept](Pooling pooling) {
    const auto same = [&pooling](const Pooling& other) { return other.bin == pooling.bin; };
    if (pooling.bins() > 1 && std::none_of(kept.begin(), kept.end(), same)) {
      kept.push_back(std::move(pooling));
    }
  };
  keep(Tokens(law));
  const std::vector<int32_t> ids = IdOrder(law);
  keep(EqualMass("blocks16", law, ids, 16));
  keep(EqualMass("blocks256", law, ids, 256));
  keep(EqualMass("rank16", law, rank, 16));
  for (const int shift : {0, 1, 2, 3}) {
    const std::string width = " " + std::to_string(1 << shift);
    keep(Partition("lane" + width, law, 32, [=](size_t id) { return id >> shift & 31; }));
    keep(Partition("warp" + width, law, 32, [=](size_t id) { return id >> (shift + 5) & 31; }));
    keep(Partition("tile" + width, law, (law.size() >> (shift + 10)) + 1,
                   [=](size_t id) { return id >> (shift + 10); }));
  }
  const auto top = static_cast<size_t>(rank.front());
  keep(Partition("top1", law, 2, [top](size_t id) { return id == top ? 1 : 0; }));
  keep(Cut(law, cut_tokens));
  keep(Ties(law, rank));
  return kept;
}

Pooling Blocks(std::span<const double> law, int blocks) {
  CheckLaw(law);
  if (blocks < 1) {
    throw InputError("blocks is " + std::to_string(blocks) + ", expected at least 1");
  }
  return EqualMass("blocks" + std::to_string(blocks), law, IdOrder(law), blocks);
}

std::vector<int64_t> PoolCounts(const Pooling& pooling, std::span<const int64_t> counts) {
  if (counts.size() != pooling.bin.size()) {
    throw InputError("counts has " + std::to_string(counts.size()) + " entries, expected " +
                     std::to_string(pooling.bin.size()));
  }
  std::vector<int64_t> pooled(pooling.mass.size(), 0);
  for (size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] < 0) {
      throw InputError("counts[" + std::to_string(id) + "] is " + std::to_string(counts[id]) +
                       ", expected at least 0");
    }
    pooled[static_cast<size_t>(pooling.bin[id])] += counts[id];
  }
  return pooled;
}

double PooledMass(const Pooling& pooling, std::span<const double> law) {
  std::vector<int32_t> members(pooling.mass.size(), 0);
  for (size_t id = 0; id < law.size(); ++id) {
    if (law[id] > 0) ++members[static_cast<size_t>(pooling.bin[id])];
  }
  double mass = 0;
  for (size_t bin = 0; bin < members.size(); ++bin) {
    if (members[bin] > 1) mass += pooling.mass[bin];
  }
  return mass;
}

}  // namespace assay
