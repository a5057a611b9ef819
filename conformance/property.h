#ifndef ASSAY_CONFORMANCE_PROPERTY_H_
#define ASSAY_CONFORMANCE_PROPERTY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/dtype.h"
#include "conformance/job.h"
#include "conformance/operations.h"
#include "conformance/subject.h"
#include "reference/profile.h"

namespace assay {

class Device;
class Trial;

// What a check may depend on besides its case. The subject is open in this process.
struct Context {
  const assay_subject* subject = nullptr;
  Device* device = nullptr;  // the subject's; null: the host
  const Operation* operation = nullptr;
  DType dtype = DType::kF32;
  Profile profile;
  Tier tier = Tier::kQuick;
  std::vector<Case> saved;             // counterexamples and known answers for this job
  std::function<void()> on_call = {};  // told before the subject is called; may be empty
};

// The values that one field of a case takes. The first is the plain one. Those of `alone` meet
// plain values of the other fields only: they are too dear to be paired.
struct Axis {
  int64_t Case::*field;
  std::vector<int64_t> values;
  std::vector<int64_t> alone = {};
};

// Which cases a property is tried on. The sweep is every single value beside plain ones, then a
// pairwise covering array; random cases take each field at random and vocabulary and rows
// log-uniformly in between. rows x vocab stays below `max_elements`: rows give way.
struct Domain {
  std::vector<Axis> axes;
  int64_t max_elements = 1 << 20;
  int quick = 60, full = 1000;  // random cases a job; CountAt
  bool sweep_only = false;      // a fixed list: statistics, searched seeds
};

struct Claim {
  std::string_view requirement;
  Technique technique;

  bool operator==(const Claim&) const = default;
};

// An executable check that decides one or more requirements of one or more operations.
struct Property {
  std::string_view name;
  std::vector<std::string_view> operations;
  std::vector<Claim> claims;  // its own, then those of every call (HarnessClaims)
  Domain (*domain)(const Context&);
  void (*check)(const Case&, Trial&);
  // Why the subject cannot be checked so, or empty. Null: always can.
  std::string (*unsupported)(const Context&) = nullptr;
  bool f32_only = false;
  bool device_only = false;   // no job of a subject on the host
  size_t harness_claims = 0;  // how many claims are not its own

  std::span<const Claim> OwnClaims() const {
    return std::span(claims).first(claims.size() - harness_claims);
  }
};

// Statistics never shrink: another case has another law.
bool IsStatistical(const Property& property);

// Every property, in a fixed order.
std::span<const Property> Properties();
const Property* FindProperty(std::string_view name);  // null if unknown

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTY_H_
