#ifndef ASSAY_TOOLS_KILL_MAP_H_
#define ASSAY_TOOLS_KILL_MAP_H_

#include "conformance/report/kills.h"

namespace assay {

// What refused each fault, by which technique and after how many draws; the faults that one
// property alone refuses; the requirements that the same faults refute. Nothing without a fault.
void PrintKillMap(const Kills& kills);

}  // namespace assay

#endif  // ASSAY_TOOLS_KILL_MAP_H_
