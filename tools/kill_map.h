#ifndef ASSAY_TOOLS_KILL_MAP_H_
#define ASSAY_TOOLS_KILL_MAP_H_

#include <map>
#include <set>
#include <string>

namespace assay {

// Which faults refute which requirements.
class KillMap {
 public:
  using Killers = std::set<std::string>;

  void Add(const std::string& requirement, const std::string& fault) {
    killers_[requirement].insert(fault);
  }
  // Faults down, requirements across by number; then requirements that the same faults refute.
  void Print() const;

 private:
  using Column = std::map<std::string, Killers>::const_iterator;

  void PrintTable() const;
  void PrintEqualSets() const;

  std::map<std::string, Killers> killers_;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_KILL_MAP_H_
