#include "conformance/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "reference/error.h"

namespace assay {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    Check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void Update(const void* data, size_t size) {
    Check(EVP_DigestUpdate(context_.get(), data, size) == 1);
  }

  std::string Hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    Check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned char byte : std::span(digest).first(size)) {
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
    return hex;
  }

 private:
  static void Check(bool ok) {
    if (!ok) throw std::runtime_error("libcrypto: SHA-256 failed");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string Sha256Hex(std::span<const uint8_t> bytes) {
  Digest digest;
  digest.Update(bytes.data(), bytes.size());
  return digest.Hex();
}

std::string Sha256OfFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path.string() + ": cannot be opened for reading");
  Digest digest;
  std::vector<char> buffer(size_t{1} << 16);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.Update(buffer.data(), static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) throw InputError(path.string() + ": read error");
  return digest.Hex();
}

}  // namespace assay
