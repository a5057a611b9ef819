#include "conformance/properties/all.h"

#include "conformance/trial.h"

namespace assay {
namespace {

// What every call decides is claimed by every property.
std::vector<Property> MakeProperties() {
  std::vector<Property> all;
  AddSoftmaxProperties(all);
  AddFilterProperties(all);
  AddFilterValueProperties(all);
  AddMinPProperties(all);
  AddTopKLogitsProperties(all);
  AddTopKDenseProperties(all);
  AddArgmaxProperties(all);
  AddLogprobProperties(all);
  AddTopNProperties(all);
  AddVocabSweepProperties(all);
  AddBrokenInputProperties(all);
  AddTokenMaskProperties(all);
  AddMaskPairProperties(all);
  AddMaskWidthProperties(all);
  AddMaskFrameProperties(all);
  AddMatcherProperties(all);
  AddMatcherHistoryProperties(all);
  AddMaskGraphProperties(all);
  AddMaskStepProperties(all);
  AddMaskColumnProperties(all);
  AddRecordedProperties(all);
  AddMaskedSamplingProperties(all);
  AddMaskedWriteProperties(all);
  AddAnyMemoryProperties(all);
  AddAnyBatchProperties(all);
  AddAnyLargeProperties(all);
  AddSamplingEdgeProperties(all);
  AddSamplingKeptProperties(all);
  AddSamplingDrawProperties(all);
  AddSamplingLawProperties(all);
  AddSamplingIndependenceProperties(all);
  AddSamplingMassProperties(all);
  AddHeavyRowProperties(all);
  AddSampleRowsProperties(all);
  AddSeedProperties(all);
  AddGatherProperties(all);
  AddPenaltyProperties(all);
  AddTokenRuleProperties(all);
  AddRuleSlotProperties(all);
  AddRaceDrawProperties(all);
  AddRaceEdgeProperties(all);
  AddMapLawProperties(all);
  AddLedgerProperties(all);
  AddVerifyOutcomeProperties(all);
  AddVerifyWordProperties(all);
  AddVerifyLedgerProperties(all);
  AddVerifyCoinProperties(all);
  AddVerifyLawProperties(all);
  AddVerifyStreamProperties(all);
  AddDraftProperties(all);
  AddVerifyAcceptProperties(all);
  AddVerifyRequestProperties(all);
  AddVerifyResidualProperties(all);
  AddVerifyDraftProperties(all);
  AddVerifyBlockProperties(all);
  AddVerifyBatchProperties(all);
  AddVerifyEndProperties(all);
  AddVerifyTreeProperties(all);
  AddVerifyTargetOnlyProperties(all);
  AddVerifyLayoutProperties(all);
  AddVerifyRefusedProperties(all);
  AddVerifyMaskProperties(all);
  AddVerifyMaskedTextProperties(all);
  AddVerifyMaskedEmptyProperties(all);
  AddDeviceModeProperties(all);
  const std::vector<Claim> harness = HarnessClaims();
  for (Property& property : all) {
    property.claims.insert(property.claims.end(), harness.begin(), harness.end());
    property.harness_claims += harness.size();
  }
  return all;
}

const std::vector<Property>& Table() {
  static const std::vector<Property> kTable = MakeProperties();
  return kTable;
}

}  // namespace

std::span<const Property> Properties() { return Table(); }

const Property* FindProperty(std::string_view name) {
  for (const Property& property : Table())
    if (property.name == name) return &property;
  return nullptr;
}

bool IsStatistical(const Property& property) {
  for (const Claim& claim : property.claims)
    if (GradeOf(claim.technique) == Grade::kStatistical) return true;
  return false;
}

}  // namespace assay
