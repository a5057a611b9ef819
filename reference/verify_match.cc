#include "reference/verify_match.h"

#include <algorithm>
#include <string>
#include <utility>

#include "reference/error.h"
#include "reference/verify_chain.h"

namespace assay {
namespace {

void RequireRows(const char* what, size_t found, int64_t rows) {
  if (std::cmp_equal(found, rows)) return;
  throw InputError(std::string(what) + ": found " + std::to_string(found) +
                   " entries, expected one for each of " + std::to_string(rows) + " rows");
}

std::string Length(size_t request, int64_t rows) {
  return "row_offsets: found request " + std::to_string(request) + " of " + std::to_string(rows) +
         " rows";
}

void Append(const VerifyOutcome& outcome, int64_t first, int64_t drafts, MatchResult& result) {
  for (int64_t row = 0; row <= drafts; ++row) result.mask.push_back(row <= outcome.accepted);
  result.last_row.push_back(static_cast<int32_t>(first + outcome.accepted));
  result.last.push_back(outcome.emitted.back());
  result.outcomes.push_back(outcome);
}

}  // namespace

MatchLayout MatchLayoutOf(std::span<const int32_t> row_offsets) {
  if (row_offsets.empty() || row_offsets[0] != 0) {
    throw InputError("row_offsets: found no first entry 0, expected one");
  }
  MatchLayout layout;
  for (size_t request = 0; request + 1 < row_offsets.size(); ++request) {
    const int64_t rows = int64_t{row_offsets[request + 1]} - row_offsets[request];
    const bool longer = rows > 1;
    if (rows < 1) throw InputError(Length(request, rows) + ", expected at least 1");
    if (longer && (layout.prefill > 0 || (layout.decode > 0 && rows != layout.drafts + 1))) {
      throw InputError(Length(request, rows) + ", expected longer requests first, of one length");
    }
    if (longer) layout.drafts = rows - 1;
    ++(longer ? layout.decode : layout.prefill);
  }
  return layout;
}

MatchResult VerifyMatch(const MatchLayout& layout, std::span<const int32_t> inputs,
                        std::span<const int32_t> outputs, int64_t vocab) {
  RequireRows("inputs", inputs.size(), RowsOf(layout));
  RequireRows("outputs", outputs.size(), RowsOf(layout));
  MatchResult result;
  int64_t first = 0;
  for (int64_t request = 0; request < layout.decode + layout.prefill; ++request) {
    const int64_t drafts = request < layout.decode ? layout.drafts : 0;
    const auto rows = [&](std::span<const int32_t> ids) {
      return ids.subspan(static_cast<size_t>(first), static_cast<size_t>(drafts + 1));
    };
    const auto tested = rows(inputs).subspan(1);
    const VerifyOutcome outcome = VerifyChainIds(tested, rows(outputs), vocab);
    Append(outcome, first, drafts, result);
    if (request < layout.decode) {
      for (int64_t i = 0; i < drafts; ++i) {
        result.accepted.push_back(i < outcome.accepted ? tested[static_cast<size_t>(i)] : -1);
      }
      result.counts.push_back(outcome.accepted);
    }
    first += drafts + 1;
  }
  return result;
}

KvRewind RewindKv(KvState state, int64_t rejected, int64_t block_size) {
  if (rejected < 0 || rejected >= block_size || rejected > state.length) {
    throw InputError("rejected: found " + std::to_string(rejected) +
                     ", expected at least 0, below the block size " + std::to_string(block_size) +
                     " and at most the length " + std::to_string(state.length));
  }
  KvRewind rewind{.state = std::move(state)};
  KvState& kv = rewind.state;
  kv.length -= rejected;
  kv.last_offset -= rejected;
  if (kv.last_offset >= 0) return rewind;
  kv.last_offset += block_size;
  rewind.released = kv.last_block;
  --kv.block_count;
  const auto entry = [&](int64_t i) -> int32_t& { return kv.blocks.at(static_cast<size_t>(i)); };
  kv.last_block = entry(std::max<int64_t>(kv.block_count - 1, 0));
  entry(std::min<int64_t>(kv.block_count, std::ssize(kv.blocks) - 1)) = -1;
  return rewind;
}

}  // namespace assay
