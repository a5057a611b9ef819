#ifndef ASSAY_CONFORMANCE_SUBJECTS_PEERS_PEER_H_
#define ASSAY_CONFORMANCE_SUBJECTS_PEERS_PEER_H_

#include <cstdint>
#include <string_view>

#include "conformance/subject.h"

namespace assay {

// What every peer says of itself: fp32 on the first CUDA device, a row valid or not. Operations,
// flags and streams are its own.
inline assay_subject PeerOf(const char* name, const char* profile) {
  assay_subject made = {};
  made.abi = ASSAY_ABI;
  made.size = sizeof made;
  made.name = name;
  made.version = ASSAY_PEER_VERSION;
  made.profile = profile;
  made.device = {kDLCUDA, 0};
  made.dtypes = ASSAY_F32;
  made.status_form = ASSAY_STATUS_VALID;
  made.ops.size = sizeof made.ops;
  return made;
}

// assay_open of a library whose only subject is `peer`.
inline const assay_subject* OpenPeer(const assay_subject& peer, uint32_t abi, const char* name,
                                     const char* profile) {
  if (abi != ASSAY_ABI) return nullptr;
  if (name != nullptr && std::string_view(name) != peer.name) return nullptr;
  if (profile != nullptr && std::string_view(profile) != peer.profile) return nullptr;
  return &peer;
}

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SUBJECTS_PEERS_PEER_H_
