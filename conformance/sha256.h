#ifndef ASSAY_CONFORMANCE_SHA256_H_
#define ASSAY_CONFORMANCE_SHA256_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace assay {

// SHA-256 as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::span<const uint8_t> bytes);

// The same over a file's content. Throws InputError if the file cannot be read.
std::string Sha256OfFile(const std::filesystem::path& path);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SHA256_H_
