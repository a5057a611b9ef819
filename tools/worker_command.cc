#include "conformance/worker_child.h"
#include "tools/commands.h"

namespace assay {

int WorkerMain(const WorkerArgs& args) {
  ServeRequests(args.subject, args.profile, TierOf(args.tier));
}

}  // namespace assay
