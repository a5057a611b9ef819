#include "conformance/tensor_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace assay {
namespace {

constexpr size_t kMapped = size_t{1} << 28;  // larger ranges are address space alone until touched
constexpr std::align_val_t kAlignment{256};

uint8_t* Allocate(size_t bytes) {
  if (bytes < kMapped) return static_cast<uint8_t*>(::operator new(bytes, kAlignment));
  void* range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  return static_cast<uint8_t*>(range);
}

void Free(uint8_t* data, size_t bytes) {
  if (data == nullptr) return;
  if (bytes < kMapped)
    ::operator delete(data, kAlignment);
  else
    munmap(data, bytes);
}

}  // namespace

TensorMemory::TensorMemory(size_t bytes, std::vector<Zone> zones)
    : data_(Allocate(bytes)), bytes_(bytes), zones_(std::move(zones)) {}

TensorMemory::TensorMemory(const TensorMemory& other) : bytes_(other.bytes_), zones_(other.zones_) {
  if (other.data_ == nullptr) return;
  data_ = Allocate(bytes_);
  for (const Zone& zone : zones_)
    std::memcpy(data_ + zone.begin, other.data_ + zone.begin, zone.end - zone.begin);
}

TensorMemory::TensorMemory(TensorMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      zones_(std::move(other.zones_)) {}

TensorMemory& TensorMemory::operator=(TensorMemory other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(zones_, other.zones_);
  return *this;
}

TensorMemory::~TensorMemory() { Free(data_, bytes_); }

void TensorMemory::Fill(const Zone& part, uint8_t pattern) {
  std::memset(data_ + part.begin, pattern, part.end - part.begin);
}

bool TensorMemory::Same(const TensorMemory& other, const Zone& part) const {
  return std::memcmp(data_ + part.begin, other.data_ + part.begin, part.end - part.begin) == 0;
}

bool TensorMemory::Same(const TensorMemory& other) const {
  return bytes_ == other.bytes_ &&
         std::ranges::all_of(zones_, [&](const Zone& zone) { return Same(other, zone); });
}

}  // namespace assay
