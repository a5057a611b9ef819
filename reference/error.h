#ifndef ASSAY_REFERENCE_ERROR_H_
#define ASSAY_REFERENCE_ERROR_H_

#include <stdexcept>

namespace assay {

// The one exception for bad input from a caller, a file or a command line. The message names the
// file, field or argument, what was found and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay

#endif  // ASSAY_REFERENCE_ERROR_H_
