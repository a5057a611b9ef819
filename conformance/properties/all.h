#ifndef ASSAY_CONFORMANCE_PROPERTIES_ALL_H_
#define ASSAY_CONFORMANCE_PROPERTIES_ALL_H_

#include <vector>

#include "conformance/property.h"

namespace assay {

// One function a file; all.cc calls them in this order.
void AddSoftmaxProperties(std::vector<Property>& all);
void AddFilterProperties(std::vector<Property>& all);
void AddFilterValueProperties(std::vector<Property>& all);
void AddMinPProperties(std::vector<Property>& all);
void AddTopKLogitsProperties(std::vector<Property>& all);
void AddTopKDenseProperties(std::vector<Property>& all);
void AddArgmaxProperties(std::vector<Property>& all);
void AddVocabSweepProperties(std::vector<Property>& all);
void AddSamplingEdgeProperties(std::vector<Property>& all);
void AddSamplingKeptProperties(std::vector<Property>& all);
void AddSamplingDrawProperties(std::vector<Property>& all);
void AddSamplingLawProperties(std::vector<Property>& all);
void AddSamplingIndependenceProperties(std::vector<Property>& all);
void AddSamplingMassProperties(std::vector<Property>& all);
void AddHeavyRowProperties(std::vector<Property>& all);
void AddSampleRowsProperties(std::vector<Property>& all);
void AddSeedProperties(std::vector<Property>& all);
void AddGatherProperties(std::vector<Property>& all);
void AddPenaltyProperties(std::vector<Property>& all);
void AddTokenRuleProperties(std::vector<Property>& all);
void AddRuleSlotProperties(std::vector<Property>& all);
void AddLogprobProperties(std::vector<Property>& all);
void AddTopNProperties(std::vector<Property>& all);
void AddRaceDrawProperties(std::vector<Property>& all);
void AddRaceEdgeProperties(std::vector<Property>& all);
void AddMapLawProperties(std::vector<Property>& all);
void AddLedgerProperties(std::vector<Property>& all);
void AddVerifyOutcomeProperties(std::vector<Property>& all);
void AddVerifyWordProperties(std::vector<Property>& all);
void AddVerifyLedgerProperties(std::vector<Property>& all);
void AddVerifyCoinProperties(std::vector<Property>& all);
void AddVerifyLawProperties(std::vector<Property>& all);
void AddVerifyStreamProperties(std::vector<Property>& all);
void AddDraftProperties(std::vector<Property>& all);
void AddVerifyAcceptProperties(std::vector<Property>& all);
void AddVerifyRequestProperties(std::vector<Property>& all);
void AddVerifyResidualProperties(std::vector<Property>& all);
void AddVerifyDraftProperties(std::vector<Property>& all);
void AddVerifyBlockProperties(std::vector<Property>& all);
void AddVerifyBatchProperties(std::vector<Property>& all);
void AddVerifyEndProperties(std::vector<Property>& all);
void AddVerifyTreeProperties(std::vector<Property>& all);
void AddVerifyTargetOnlyProperties(std::vector<Property>& all);
void AddVerifyLayoutProperties(std::vector<Property>& all);
void AddVerifyRefusedProperties(std::vector<Property>& all);
void AddVerifyMaskProperties(std::vector<Property>& all);
void AddVerifyMaskedTextProperties(std::vector<Property>& all);
void AddVerifyMaskedEmptyProperties(std::vector<Property>& all);
void AddTokenMaskProperties(std::vector<Property>& all);
void AddMaskPairProperties(std::vector<Property>& all);
void AddMaskWidthProperties(std::vector<Property>& all);
void AddMaskFrameProperties(std::vector<Property>& all);
void AddMatcherProperties(std::vector<Property>& all);
void AddMatcherHistoryProperties(std::vector<Property>& all);
void AddMaskGraphProperties(std::vector<Property>& all);
void AddMaskStepProperties(std::vector<Property>& all);
void AddMaskColumnProperties(std::vector<Property>& all);
void AddRecordedProperties(std::vector<Property>& all);
void AddMaskedSamplingProperties(std::vector<Property>& all);
void AddMaskedWriteProperties(std::vector<Property>& all);
void AddBrokenInputProperties(std::vector<Property>& all);
void AddAnyMemoryProperties(std::vector<Property>& all);
void AddAnyBatchProperties(std::vector<Property>& all);
void AddAnyLargeProperties(std::vector<Property>& all);
void AddDeviceModeProperties(std::vector<Property>& all);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_ALL_H_
