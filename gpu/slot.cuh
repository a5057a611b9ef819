#ifndef ASSAY_GPU_SLOT_CUH_
#define ASSAY_GPU_SLOT_CUH_

#include "gpu/logits.h"
#include "gpu/row.cuh"

// What one slot says, read so that no bound, however malformed, leads outside a tensor: each is
// clamped between the one before it and the tensor's end. Loops are shared by the block's threads.
namespace assay::gpu {

__device__ inline int64_t Clamp(int64_t x, int64_t least, int64_t most) {
  return x < least ? least : x > most ? most : x;
}

// Entries of a list.
struct Run {
  const int32_t* ids;
  int64_t first, last;

  __device__ int64_t Size() const { return last - first; }
  template <typename F>
  __device__ void ForEach(F f) const {
    for (int64_t i = first + threadIdx.x; i < last; i += kThreads) f(ids[i], i);
  }
};
// Runs `from` to `to` - 1 of a list.
__device__ inline Run RunsOf(const RaggedList& list, int64_t from, int64_t to) {
  if (list.begin == nullptr) return {nullptr, 0, 0};
  const int64_t first = Clamp(list.begin[from], 0, list.entries);
  return {list.ids, first, Clamp(list.begin[to], first, list.entries)};
}

struct Slot {
  Run history, output;  // output: the end of the history
  Run bias, allowed, stop, words;
  RaggedList word_list;
  int64_t first_word, last_word;
  bool too_short;  // stop ids are banned
  float repetition, frequency, presence;

  // f(last id) for each word whose other ids end the outputs. A thread compares a word.
  template <typename F>
  __device__ void ForMatches(F f) const {
    for (int64_t w = first_word + threadIdx.x; w < last_word; w += kThreads) {
      const Run word = RunsOf(word_list, w, w + 1);
      const int64_t before = word.Size() - 1;
      if (before < 0 || before > output.Size()) continue;
      int64_t equal = 0;
      const int32_t *ids = word.ids + word.first, *end = output.ids + (output.last - before);
      while (equal < before && ids[equal] == end[equal]) ++equal;
      if (equal == before) f(ids[before]);
    }
  }
  template <typename F>
  __device__ void ForBanned(F f) const {
    if (too_short) stop.ForEach([&](int32_t id, int64_t) { f(id); });
    ForMatches(f);
  }
  __device__ bool Repeats() const { return repetition != 1; }
  __device__ bool Adds() const { return frequency != 0 || presence != 0; }
};

__device__ inline Slot SlotOf(const ProcessArgs& args, int64_t p) {
  const int32_t* history = args.history.Row(p);
  const int64_t total = Clamp(args.total_len[p], 0, args.length);
  const int64_t prompt = Clamp(args.prompt_len[p], 0, total);
  Slot slot = {.history = {history, 0, total},
               .output = {history, prompt, total},
               .bias = RunsOf(args.bias_ids, p, p + 1),
               .allowed = RunsOf(args.allowed, p, p + 1),
               .stop = RunsOf(args.stop, p, p + 1),
               .words = {nullptr, 0, 0},
               .word_list = args.bad_words,
               .first_word = 0,
               .last_word = 0,
               .too_short = args.min_tokens != nullptr && total - prompt < args.min_tokens[p],
               .repetition = args.repetition[p],
               .frequency = args.frequency[p],
               .presence = args.presence[p]};
  if (args.bad_words.begin != nullptr) {
    slot.first_word = Clamp(args.bad_words_slot[p], 0, args.words);
    slot.last_word = Clamp(args.bad_words_slot[p + 1], slot.first_word, args.words);
    slot.words = RunsOf(args.bad_words, slot.first_word, slot.last_word);
  }
  return slot;
}

__device__ inline bool IsFinite(float x) { return x - x == 0; }

// Called by all threads of the block.
__device__ inline uint8_t StatusOf(const Slot& slot, const float* bias, int64_t columns) {
  uint32_t bad = 0;  // 1: a parameter, 2: an id
  const auto inside = [&](int32_t id, int64_t) {
    if (id < 0 || id >= columns) bad |= 2;
  };
  slot.history.ForEach(inside);
  slot.allowed.ForEach(inside);
  slot.stop.ForEach(inside);
  slot.words.ForEach(inside);
  slot.bias.ForEach([&](int32_t id, int64_t i) {
    inside(id, i);
    if (!IsFinite(bias[i])) bad |= 1;
  });
  if (!(slot.repetition > 0 && IsFinite(slot.repetition))) bad |= 1;
  if (!IsFinite(slot.frequency) || !IsFinite(slot.presence)) bad |= 1;
  bad = Reduce(bad, Either());
  return bad & 2 ? kRowToken : bad & 1 ? kRowParameter : kRowOk;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SLOT_CUH_
