#ifndef ASSAY_CONFORMANCE_STATISTICS_H_
#define ASSAY_CONFORMANCE_STATISTICS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/poolings.h"

namespace assay {

// How a statistical cell is decided: by one e-value, a non-negative statistic whose mean under the
// reference law is at most 1, so that P(E >= 1e10) <= 1e-10 (Markov). Distances are total
// variation, in (0, 1]. Every function throws InputError outside its stated domain.
//
// The e-value of K bins is a Dirichlet-multinomial mixture against the reference law,
//   E = DirMult(counts; kappa p) / Mult(counts; p),
// exact at any expected count and valid at every look (Lindon and Malek, arXiv 2011.03567). Its
// mean over kappa = K / (4 d^2), d = scale * target, is strongest against laws at distances near d.
// A mean of e-values is one under any dependence (Vovk and Wang, Ann. Stat. 49, 2021), so poolings,
// rows and vocabularies are averaged too.
inline constexpr double kLog10Refuse = 10.0;
inline constexpr std::array<double, 6> kDistanceScales = {0.25, 0.5, 1, 2, 4, 8};

// A coupled cell fails when P(Binomial(draws, b) >= disagreements) is below this.
inline constexpr double kTailRefuse = 1e-10;

// Power at which DetectableDistance is stated, and confidence of TvdUpper.
inline constexpr double kPower = 0.999;
inline constexpr double kTvdAlpha = 1e-6;

// Checks of a cell that refused: failed ones, or a stream too far from its law.
struct Evidence;
int64_t Refusals(const Evidence& evidence);

struct EValue {
  double log10_e = 0;
  std::string worst_pooling;  // the part of largest e-value; empty if there was none
  double worst_log10_e = 0;

  bool Refuses() const { return log10_e >= kLog10Refuse; }
};

// log10 of the e-value of `counts` [K] against `law` [K], averaged over the kappas. `target`: the
// distance that the cell must refuse. `law` is scaled to sum 1. A count where the law has no mass
// gives +infinity; fewer than two bins with mass, or no draw, give 0.
double Log10EMixture(std::span<const double> law, std::span<const int64_t> counts, double target);

// The same for a single event of probability p in [0, 1]: K = 2.
double Log10EBinomial(int64_t successes, int64_t trials, double p, double target);

// E-value of one stream of independent draws of one row: the mean over its poolings. `counts` [V]:
// draws of each token id. No pooling gives E = 1.
EValue StreamEValue(std::span<const Pooling> poolings, std::span<const int64_t> counts,
                    double target);

// E-value of independence, against the product of two known laws: `counts` [first x second],
// row-major, of disjoint pairs of pooled draws (a draw that serves in two pairs breaks exactness).
EValue IndependenceEValue(const Pooling& first, const Pooling& second,
                          std::span<const int64_t> counts, double target);

// E-value of a cell: the mean over its streams. None gives E = 1.
EValue MeanEValue(std::span<const EValue> streams);

// Smallest distance, measured in a pooling of `bins` bins, that a cell refuses with power 0.999
// after `draws` draws of a stream; 1 if none is. `poolings`: those of the stream times the streams
// of the cell, all of which the mean divides by. To first order 2 ln E = s X^2 - (K - 1) ln(1 + r),
// with r = draws / kappa, s = r / (1 + r) and Pearson's X^2, which is non-central chi-squared of K
// - 1 degrees of freedom. At distance d its non-centrality is at least 4 draws d^2
// (Cauchy-Schwarz), with equality if every bin is off by a factor 1 + 2d or 1 - 2d: what sits in
// few bins is refused earlier.
double DetectableDistance(int bins, int64_t draws, int poolings, double target);

// Upper confidence bound, 1 - 1e-6, of the distance between the law drawn from and `law` [V], on
// 256 blocks of consecutive ids (a difference inside a block is not seen): half the sum of |share -
// mass| plus sqrt(ln 1e6 / 2 draws). Holds for any number of cells, since that half sum has a mean
// of at least the distance (Jensen) and moves by at most 1 / draws a draw (McDiarmid). 1 without a
// draw.
double TvdUpper(std::span<const double> law, std::span<const int64_t> counts);

// Pearson's X^2 of `counts` [K] against `law` [K], in standard deviations from its mean, both exact
// (Haldane, Biometrika 29, 1937). A description: it decides nothing.
double PearsonZ(std::span<const double> law, std::span<const int64_t> counts);

// Upper one-sided confidence bound 1 - alpha of a binomial probability (Clopper and Pearson,
// Biometrika 26, 1934). alpha in (0, 1); 1 without a trial.
double ClopperPearsonUpper(int64_t successes, int64_t trials, double alpha);

// P(Binomial(n, p) >= k), any k, p in [0, 1].
double BinomialUpperTail(int64_t n, int64_t k, double p);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_STATISTICS_H_
