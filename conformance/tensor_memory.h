#ifndef ASSAY_CONFORMANCE_TENSOR_MEMORY_H_
#define ASSAY_CONFORMANCE_TENSOR_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

// The memory of a tensor: a 256-aligned address range of which the given zones, ascending byte
// ranges, are its own. Only they are filled, copied and compared, so that a range of many gigabytes
// costs the pages of its zones.
class TensorMemory {
 public:
  struct Zone {
    size_t begin, end;
  };

  TensorMemory() = default;
  TensorMemory(size_t bytes, std::vector<Zone> zones);  // throws std::bad_alloc
  TensorMemory(const TensorMemory& other);
  TensorMemory(TensorMemory&& other) noexcept;
  TensorMemory& operator=(TensorMemory other) noexcept;
  ~TensorMemory();

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  const std::vector<Zone>& zones() const { return zones_; }

  void Fill(const Zone& part, uint8_t pattern);
  bool Same(const TensorMemory& other, const Zone& part) const;
  bool Same(const TensorMemory& other) const;  // of equal zones

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_TENSOR_MEMORY_H_
