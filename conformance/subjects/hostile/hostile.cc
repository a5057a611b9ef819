// Subjects that behave badly in softmax, for the tests of the runner's isolation. The name chooses
// how; apply_token_bitmask is always right. If ASSAY_HOSTILE_ONCE names a file, only the call that
// can create it behaves badly.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "conformance/subject.h"

namespace {

void Crash() { raise(SIGSEGV); }
void Hang() {
  for (;;) pause();
}
void Exit() { std::exit(0); }
void QuickExit() { _exit(7); }
void Throw() { throw std::runtime_error("no such luck"); }
void ThrowOn() { throw std::runtime_error("thrown where nothing may be"); }
void Terminate() noexcept { ThrowOn(); }
void CloseDescriptors() {
  for (int i = 0; i < 1024; ++i) close(i);
}
void CloseThenHang() {
  CloseDescriptors();
  Hang();
}
void PrintGigabyte() {
  static bool done = false;
  if (done) return;
  done = true;
  static char block[1 << 20];
  std::memset(block, 'x', sizeof block);
  for (int i = 0; i < 512; ++i) {
    std::fwrite(block, 1, sizeof block, stdout);
    std::fwrite(block, 1, sizeof block, stderr);
  }
}
void PrintThenCrash() {
  std::fputs("about to die\n", stderr);
  Crash();
}
// Frees a block twice, which the C library refuses at once.
void FreeTwice() {
  void* volatile block = std::malloc(4096);
  std::free(block);
  std::free(block);
}
// Writes past a block of its own, over what the caller keeps behind it.
void SmashHeap() {
  auto* const block = static_cast<volatile unsigned char*>(std::malloc(24));
  for (size_t i = 0; i < 1 << 17; ++i) block[i] = 0xff;
}
// Both copies go on and would answer.
void Fork() { (void)!fork(); }
// The parent is gone, the child holds the pipes open.
void ForkAndDie() {
  if (fork() == 0) Hang();
  raise(SIGKILL);
}
void ReplaceProgram() { execl("/bin/true", "true", nullptr); }
void Garbage() {
  for (int i = 3; i < 1024; ++i) (void)!write(i, "result nonsense\n", 16);
}

struct Manner {
  std::string_view name;
  void (*act)();
};
constexpr Manner kManners[] = {{"crash", Crash},
                               {"hang", Hang},
                               {"exit", Exit},
                               {"quick_exit", QuickExit},
                               {"throw", Throw},
                               {"terminate", Terminate},
                               {"close_descriptors", CloseDescriptors},
                               {"close_then_hang", CloseThenHang},
                               {"print_gigabyte", PrintGigabyte},
                               {"print_then_crash", PrintThenCrash},
                               {"free_twice", FreeTwice},
                               {"smash_heap", SmashHeap},
                               {"fork", Fork},
                               {"fork_and_die", ForkAndDie},
                               {"replace_program", ReplaceProgram},
                               {"garbage", Garbage}};

float* Row(const DLTensor* tensor, int64_t row) {
  return static_cast<float*>(tensor->data) + row * tensor->strides[0];
}

bool MyTurn() {
  const char* once = std::getenv("ASSAY_HOSTILE_ONCE");
  if (once == nullptr) return true;
  const int file = open(once, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  const auto* manner = static_cast<const Manner*>(call->self);
  if (manner->act != nullptr && MyTurn()) manner->act();
  const int64_t rows = args->input->shape[0], vocab = args->input->shape[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float* in = Row(args->input, r);
    float* out = Row(args->output, r);
    float sum = 0;
    for (int64_t i = 0; i < vocab; ++i) sum += out[i] = std::exp(in[i]);
    for (int64_t i = 0; i < vocab; ++i) out[i] /= sum;
  }
  return ASSAY_OK;
}

int32_t Mask(const assay_call*, const assay_mask_args* args) {
  const int64_t columns = args->logits->shape[1], words = args->bitmask->shape[1];
  const int64_t vocab = args->vocab > 0 ? args->vocab : std::min(columns, 32 * words);
  const int64_t pairs = args->logit_rows ? args->logit_rows->shape[0] : args->logits->shape[0];
  const auto row_of = [](const DLTensor* map, int64_t i) {
    return map ? static_cast<const int32_t*>(map->data)[i] : i;
  };
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t row = row_of(args->logit_rows, i), mask_row = row_of(args->mask_rows, i);
    if (row < 0 || row >= args->logits->shape[0] || mask_row < 0 ||
        mask_row >= args->bitmask->shape[0])
      continue;
    const auto* mask =
        static_cast<const int32_t*>(args->bitmask->data) + mask_row * args->bitmask->strides[0];
    for (int64_t j = 0; j < std::min(vocab, columns); ++j)
      if (j / 32 < words && !(static_cast<uint32_t>(mask[j / 32]) >> (j % 32) & 1))
        Row(args->logits, row)[j] = -INFINITY;
  }
  return ASSAY_OK;
}

assay_subject Make(const Manner* manner) {
  assay_subject out = {};
  out.abi = ASSAY_ABI;
  out.size = sizeof out;
  out.name = manner->name.data();
  out.version = "1";
  out.profile = "strict";
  out.device = {kDLCPU, 0};
  out.dtypes = ASSAY_F32;
  out.status_form = ASSAY_STATUS_NONE;
  out.self = manner;
  out.ops.size = sizeof out.ops;
  out.max_vocab = 256;  // it is the runner that is tested
  out.max_rows = 8;
  out.ops.softmax = Softmax;
  out.ops.apply_token_bitmask = Mask;
  return out;
}

constexpr Manner kQuiet = {"quiet", nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(uint32_t,
                                                                                  const char* name,
                                                                                  const char*) {
  static assay_subject subject;
  const std::string_view wanted = name ? name : "quiet";
  if (wanted == "null_open") return nullptr;
  if (wanted == "crash_open") Crash();
  if (wanted == "exit_open") std::exit(0);
  if (wanted == "throw_open") Throw();
  subject = Make(&kQuiet);
  if (wanted == "wrong_abi") subject.abi = ASSAY_ABI + 1;
  if (wanted == "no_operations") (subject.ops = {}).size = sizeof subject.ops;
  if (wanted == "no_device") subject.device = {kDLCUDA, 1 << 20};
  for (const Manner& manner : kManners)
    if (manner.name == wanted) subject = Make(&manner);
  return &subject;
}
