#ifndef ASSAY_REFERENCE_MODEL_W_H_
#define ASSAY_REFERENCE_MODEL_W_H_

#include "reference/joint_law.h"

namespace assay {

// The witness for verifiers: three tokens, two drafts, rows in eighths. It was searched for, since
// most small models hide some defect: its first row leaves two survivors of different draft
// probability, the block and the token-wise rule differ on it, and its last rows differ.
Model ModelW();

// The same under a mask that bans one token of each row, by what was emitted before: rows in
// quarters. The drafter knows no mask.
Model MaskedModelW();

// As a tree of depth 2: the root's children are 0 and 1; those of 0 are 1 and 2, that of 1 is 0.
Tree ModelWTree();

}  // namespace assay

#endif  // ASSAY_REFERENCE_MODEL_W_H_
