#include "tools/mutants/mutant.h"

#include <cstdlib>

#ifdef ASSAY_MUTANTS_REACHED
namespace mutants {
unsigned char reached[1 << 14];
}
extern "C" __attribute__((visibility("default"))) unsigned char* assay_reached() {
  return mutants::reached;
}
#else
// Of the process, read once.
const int mutants::awake = [] {
  const char* id = std::getenv("ASSAY_MUTANT");
  return id ? std::atoi(id) : 0;
}();
#endif
