#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_SUMS_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_SUMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/subjects/host/host.h"

// fp32 sums over a row, in the order of a GPU kernel with 128 threads a tile. All spans of values
// are padded with zeros to a whole chunk of 128.
//
// The chain of dependent additions: a thread adds tile / 128 entries one after another, 7 levels
// join the threads, then comes one addition a tile in sequence (or a tree). A prefix inside a tile
// is two Kogge-Stone scans (32 entries, then the tile's groups of 32) on top of the tiles before
// it.
namespace assay::host {

struct SumShape {
  int tile = 1024;
  Scan scan = Scan::kSequentialTiles;
  Lanes lanes = Lanes::kButterfly;
};

// `rows`: output rows of the call. Under Batch::kMayDiffer more than 8 of them are summed in
// another order.
SumShape ShapeFor(const Config& config, int64_t rows);

// The longest chain over both shapes that `config` may use.
template <int kTile, bool kSequential>
int64_t AdditionChain(int64_t vocab) {
  const auto levels = [](int64_t n) {
    int64_t count = 0;
    while ((int64_t{1} << count) < n) ++count;
    return count;
  };
  const int64_t tiles = (vocab + kTile - 1) / kTile, in_tile = vocab < kTile ? vocab : kTile;
  const int64_t prefix = levels(in_tile) + 2, whole = (in_tile + 127) / 128 - 1 + 7;
  return (prefix > whole ? prefix : whole) + (kSequential ? tiles : 2 * levels(tiles) + 1);
}

float TileSum(const float* values, int64_t chunks, Lanes lanes);
float JoinTiles(std::vector<float> sums, const SumShape& shape);

// Of the entries above `pivot` in one tile.
struct TileAbove {
  float mass = 0;
  int64_t count = 0;
};
TileAbove SumAbove(const float* values, int64_t chunks, float pivot, Lanes lanes);

// Sum of a row without prefixes.
float Total(std::span<const float> values, const SumShape& shape);

// Tile sums and their prefixes.
struct TileSums {
  std::vector<float> sum, before, after;  // a tile's own; of all before it; through it
  float total = 0;
};
void ScanTiles(std::span<const float> values, const SumShape& shape, TileSums& out);

inline constexpr int kGroup = 32;

// Inclusive prefixes of one group.
void ScanGroup(const float* values, float* prefix);

// Inclusive prefixes of a tile's groups, relative to the tile's start.
void ScanGroups(const float* values, int64_t groups, float* through);

// Inclusive prefixes of a tile's entries, `count` a multiple of kGroup.
void ScanInside(const float* values, int64_t count, float* prefix);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_SUMS_H_
