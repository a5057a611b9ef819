#include "conformance/other_bugs.h"

namespace assay {
namespace {

constexpr OtherBug kOthers[] = {
    {"B006", "B014", "a uniform that was rounded to 1, before a logarithm"},
    {"B011", "B038", "what comes first decides; on a device"},
    {"B026", "B021", "the token at the cut is lost"},
    {"B028", "B027", "a search that ends before it has found the cut"},
    {"B060", "B053", "a row with a NaN emits one token, whatever the seed"},
    {"B071", "B070", "the 32-bit offset of a verifier's row"},
    {"B072", "B070", "the 32-bit offset of a renormalised row"},
    {"B073", "", "a row of more than 2^31 columns: 8 GiB that no engine has"},
    {"B086", "",
     "an input written and restored within a call: calls share none, and after it is whole"},
    {"B087", "B058", "an id out of the row; what made it so is a library's"},
    {"B098", "B097", "each step begins the stream anew"},
    {"B111", "", "rows without a seed: the contract gives one to each"},
    {"B132", "", "an unfiltered law before a verifier: the contract hands laws over"},
    {"B158", "", "a processor left out before a verifier: the contract hands laws over"},
};

}  // namespace

std::span<const OtherBug> OtherBugs() { return kOthers; }

}  // namespace assay
