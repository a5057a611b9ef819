// Every variant stays within a budget of host's result, and offers only what it changes.

#include "conformance/subjects/variants/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "conformance/subjects/host/verify_test_call.h"

namespace assay::host {
namespace {

constexpr int64_t kVocab = 5000;

bool Offers(const Variant& variant, std::string_view operation) {
  return std::find(variant.operations.begin(), variant.operations.end(), operation) !=
         variant.operations.end();
}

Config ConfigOf(const Variant& variant) {
  return {.profile = FindProfile(variant.profile), .numerics = variant.numerics};
}
Config HostFor(const Variant& variant) {
  return {.profile = FindProfile(variant.profile), .numerics = {}};
}

std::vector<float> Probabilities(double sigma, uint32_t seed) {
  return Invoke(Config{}, &Softmax, {.values = NormalRow(kVocab, sigma, seed)}).output;
}

TEST(Variants, SoftmaxWithinTheBudget) {
  for (const Variant& variant : Variants()) {
    if (!Offers(variant, "softmax")) continue;
    for (const float t : {1.0f, 0.3f, 0.01f, 1e-4f}) {
      const FilterInput in{.values = NormalRow(kVocab, 3, 7), .temperature = t};
      const auto got = Invoke(ConfigOf(variant), &Softmax, in);
      const auto want = Invoke(HostFor(variant), &Softmax, in);
      const double top = *std::max_element(in.values.begin(), in.values.end()) / double{t};
      double sum = 0;
      for (size_t i = 0; i < in.values.size(); ++i) {
        const double z = in.values[i] / double{t};
        const double budget =
            (16 + 4 * (std::fabs(z) + std::fabs(top)) + 2.4 * (top - z)) * 0x1p-23;
        EXPECT_NEAR(got.output[i], want.output[i], budget * want.output[i] + 0x1p-126)
            << variant.id << " at " << i;
        EXPECT_LE(got.output[i], 1 + 0x1p-23);
        sum += got.output[i];
      }
      EXPECT_NEAR(sum, 1, 8 * 0x1p-24) << variant.id;
    }
  }
}

// Rows of few levels, on which the roundings of a sum all point one way.
TEST(Variants, SoftmaxOfLevelsSumsToOne) {
  for (const int64_t vocab : {1024, 20000, 131072}) {
    for (const Variant& variant : Variants()) {
      if (!Offers(variant, "softmax")) continue;
      for (const float step : {0.3f, 1.2f, 5.0f, 1e-3f}) {
        FilterInput in{.values = std::vector<float>(static_cast<size_t>(vocab))};
        for (size_t i = 0; i < in.values.size(); ++i) {
          in.values[i] = -step * static_cast<float>(i % 3);
        }
        const auto got = Invoke(ConfigOf(variant), &Softmax, in).output;
        const double sum = std::accumulate(got.begin(), got.end(), 0.0);
        EXPECT_NEAR(sum, 1, (8 + static_cast<double>(vocab) / 16384) * 0x1p-24)
            << variant.id << " " << vocab << " " << step;
      }
    }
  }
}

TEST(Variants, FiltersKeepAboutTheSameSet) {
  for (const Variant& variant : Variants()) {
    for (const bool top_k : {false, true}) {
      if (!Offers(variant, top_k ? "top_k_renorm_probs" : "top_p_renorm_probs")) continue;
      const FilterFunction function = top_k ? &TopKRenormProbs : &TopPRenormProbs;
      for (const float p : {0.1f, 0.5f, 0.9f, 0.99f}) {
        const FilterInput in{
            .values = Probabilities(1, 3), .top_p = p, .top_k = static_cast<int32_t>(1000 * p)};
        const auto got = Invoke(ConfigOf(variant), function, in).output;
        const auto want = Invoke(HostFor(variant), function, in).output;
        int moved = 0;
        for (size_t i = 0; i < got.size(); ++i) {
          if ((got[i] == 0) != (want[i] == 0)) {
            ++moved;
          } else {
            EXPECT_NEAR(got[i], want[i], 32 * 0x1p-24 * want[i] + 1e-6 * moved) << variant.id;
          }
        }
        EXPECT_LE(moved, top_k ? 0 : 1) << variant.id;
      }
    }
  }
}

TEST(Variants, EqualWeightsAtTheCut) {
  std::vector<float> values(static_cast<size_t>(kVocab));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(1 + i % 4) * 0x1p-14f;
  for (const Variant& variant : Variants()) {
    if (!Offers(variant, "top_p_renorm_probs")) continue;
    for (const float p : {0.25f, 0.5f, 0.75f, 1.0f}) {
      const FilterInput in{.values = values, .top_p = p};
      const auto got = Invoke(ConfigOf(variant), &TopPRenormProbs, in).output;
      const auto want = Invoke(HostFor(variant), &TopPRenormProbs, in).output;
      for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i] == 0, want[i] == 0) << variant.id;
    }
  }
}

SampleInput ManyDraws(bool injected) {
  SampleInput in{.probs = Probabilities(2, 5), .top_k = 300, .top_p = 0.9f};
  for (int i = 0; i < 500; ++i) {
    in.indices.push_back(0);
    in.seed.push_back(99);
    in.offset.push_back(0);
    if (injected) in.uniforms.push_back((i + 0.5) / 500);
  }
  return in;
}

TEST(Variants, SamplersAgreeOnInjectedUniforms) {
  const SampleInput in = ManyDraws(true);
  for (const Variant& variant : Variants()) {
    for (const bool filtered : {false, true}) {
      if (!Offers(variant, filtered ? "top_k_top_p_sampling_from_probs" : "sampling_from_probs")) {
        continue;
      }
      const SampleFunction function = filtered ? &TopKTopPSamplingFromProbs : &SamplingFromProbs;
      const auto got = Invoke(ConfigOf(variant), function, in).ids;
      const auto want = Invoke(HostFor(variant), function, in).ids;
      int differ = 0;
      for (size_t i = 0; i < got.size(); ++i) differ += got[i] != want[i] ? 1 : 0;
      EXPECT_LE(differ, 2) << variant.id;
    }
  }
}

// Requests of two drafts over 300 tokens, of laws that overlap in part.
VerifyInput ManyRequests(uint32_t method) {
  constexpr int32_t kRequests = 200, kTokens = 300;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  VerifyInput in{.offsets = {0}, .candidates = {}, .target = {}, .method = method};
  const auto add = [&](std::vector<float>& rows) {
    std::vector<float> row(kTokens);
    for (float& p : row) p = static_cast<float>(std::pow(unit(random), 8));
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (const float p : row) rows.push_back(static_cast<float>(p / sum));
    return static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  };
  for (int32_t b = 0; b < kRequests; ++b) {
    int32_t draft = 0;
    for (int32_t row = 0; row < 3; ++row) {
      in.candidates.push_back(draft);
      const int32_t largest = add(in.target), guess = add(in.draft);
      draft = row % 2 == 0 ? largest : guess;
      in.coins.push_back(unit(random));
    }
    in.offsets.push_back(3 * (b + 1));
    in.final_coins.push_back(unit(random));
    in.temperature.push_back(1);
  }
  return in;
}

TEST(Variants, RatioVerifiersAgreeOnInjectedCoins) {
  for (const uint32_t method : {ASSAY_METHOD_STANDARD, ASSAY_METHOD_BLOCK}) {
    const VerifyInput in = ManyRequests(method);
    for (const Variant& variant : Variants()) {
      if (!Offers(variant, "rejection_sample")) continue;
      const auto got = Invoke(ConfigOf(variant), in), want = Invoke(HostFor(variant), in);
      int differ = 0;
      for (size_t i = 0; i < got.emitted.size(); ++i) differ += got.emitted[i] != want.emitted[i];
      EXPECT_LE(differ, 3) << variant.id;
      EXPECT_GT(std::count(want.accept_count.begin(), want.accept_count.end(), 1), 20);
    }
  }
}

int32_t ApplyMask(const Config& config, std::vector<uint16_t>& logits,
                  std::vector<int32_t>& words) {
  const Tensor values(logits, 1, std::ssize(logits)), bits(words, 1, std::ssize(words));
  CallOn on(config, 1, std::ssize(logits));
  const assay_mask_args args = {sizeof(args), 0,       0,       values.Get(),
                                bits.Get(),   nullptr, nullptr, nullptr};
  return ApplyTokenBitmask(&on.call, &args);
}

// Any bits of bf16, under a word of ones and random ones.
TEST(Variants, MasksLeaveHostsBits) {
  std::mt19937 random(5);
  for (const Variant& variant : Variants()) {
    if (!Offers(variant, "apply_token_bitmask")) continue;
    for (const size_t vocab : {1u, 31u, 33u, 40u, 64u, 1000u}) {
      std::vector<uint16_t> got(vocab);
      for (uint16_t& bits : got) bits = static_cast<uint16_t>(random());
      std::vector<int32_t> words((vocab + 31) / 32, -1);
      for (size_t w = 1; w < words.size(); ++w) words[w] = static_cast<int32_t>(random());
      words[0] = vocab > 64 ? -1 : words[0] << 3;
      std::vector<uint16_t> want = got;
      EXPECT_EQ(ApplyMask(ConfigOf(variant), got, words), ASSAY_OK) << variant.id;
      EXPECT_EQ(ApplyMask(HostFor(variant), want, words), ASSAY_OK);
      EXPECT_EQ(got, want) << variant.id << " " << vocab;
    }
  }
}

// The law of each stream, coarsely: sixteen runs of ids, within six standard deviations.
TEST(Variants, StreamsFollowTheLaw) {
  SampleInput in = ManyDraws(false);
  in.top_k = 0;
  in.top_p = 1;
  std::vector<double> law(16, 0);
  for (size_t i = 0; i < in.probs.size(); ++i) law[i * 16 / in.probs.size()] += in.probs[i];
  for (const Variant& variant : Variants()) {
    if (variant.numerics.draws == host::Draws::kByProfile) continue;
    for (const SampleFunction function : {&SamplingFromProbs, &TopKTopPSamplingFromProbs}) {
      std::vector<double> seen(16, 0);
      for (int64_t call = 0; call < 40; ++call) {
        std::fill(in.offset.begin(), in.offset.end(), 64 * call);
        for (const int32_t id : Invoke(ConfigOf(variant), function, in).ids) {
          seen[static_cast<size_t>(id) * 16 / in.probs.size()] += 1.0 / (500 * 40);
        }
      }
      for (size_t i = 0; i < law.size(); ++i) {
        EXPECT_NEAR(seen[i], law[i], 6 * std::sqrt(law[i] / (500 * 40))) << variant.id;
      }
    }
  }
}

}  // namespace
}  // namespace assay::host
