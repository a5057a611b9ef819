#ifndef ASSAY_TOOLS_MUTANTS_MUTANT_H_
#define ASSAY_TOOLS_MUTANTS_MUTANT_H_

// Included before every mutated source. Two builds: one in which the environment wakes a mutant,
// and one in which all sleep and those that were reached are noted.
namespace mutants {

#ifdef ASSAY_MUTANTS_REACHED
extern unsigned char reached[];
__attribute__((always_inline)) inline bool On(int id) {
  reached[id] = 1;
  return false;
}
#else
// A constant, so that loops need not look at it again.
extern const int awake;
__attribute__((always_inline)) inline bool On(int id) { return awake == id; }
#endif

}  // namespace mutants

#endif  // ASSAY_TOOLS_MUTANTS_MUTANT_H_
