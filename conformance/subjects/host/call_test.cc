// Strides, dtypes, scalars, row maps, and calls that must be refused with every output untouched.

#include "conformance/subjects/host/call.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

using Floats = std::vector<float>;

assay_filter_args FilterArgs(const Tensor& in, const DLTensor* top_k, const DLTensor* top_p,
                             const Tensor& out, const Tensor& status) {
  assay_filter_args args = {};
  args.size = sizeof args;
  args.input = in.Get();
  args.top_k = top_k;
  args.top_p = top_p;
  args.output = out.Get();
  args.status = status.Get();
  return args;
}

TEST(Layout, RowStridesOfInputAndOutput) {
  const Config strict;
  Floats input = {0.5f, 0.5f, 9, 0.25f, 0.75f}, output(6, 9.0f);
  std::vector<uint8_t> status(2, 9);
  std::vector<int32_t> k = {1, 2};
  const Tensor in(input, 2, 2, 3), out(output, 2, 2, 4), rows(status), ks(k);
  CallOn on(strict, 2, 2);
  const assay_filter_args args = FilterArgs(in, ks.Get(), nullptr, out, rows);
  ASSERT_EQ(TopKRenormProbs(&on.call, &args), ASSAY_OK) << on.message.data();
  EXPECT_EQ(output, (Floats{1, 0, 9, 9, 0.25f, 0.75f}));
}

TEST(Layout, Bfloat16AndHalfRows) {
  const Config strict;
  std::vector<uint16_t> brain = {0x3F00, 0x3E80, 0x3E80}, half = {0x3800, 0x3400, 0x3400};
  for (const bool is_half : {false, true}) {
    Floats output(3);
    std::vector<uint8_t> status(1);
    float p = 1;
    Tensor in(is_half ? half : brain, 1, 3);
    if (is_half) in.tensor.dtype.code = kDLFloat;
    const Tensor out(output, 1, 3), rows(status), ps(&p);
    CallOn on(strict, 1, 3);
    const assay_filter_args args = FilterArgs(in, nullptr, ps.Get(), out, rows);
    ASSERT_EQ(TopPRenormProbs(&on.call, &args), ASSAY_OK) << on.message.data();
    EXPECT_EQ(output, (Floats{0.5f, 0.25f, 0.25f}));
  }
}

TEST(Layout, NoRows) {
  const Config strict;
  Floats nothing;
  std::vector<uint8_t> status;
  const Tensor in(nothing, 0, 5), out(nothing, 0, 5), rows(status);
  CallOn on(strict, 0, 5);
  const assay_filter_args args = FilterArgs(in, nullptr, nullptr, out, rows);
  EXPECT_EQ(Softmax(&on.call, &args), ASSAY_OK);
}

struct Call {
  Config strict;
  Floats probs = {0.5f, 0.5f}, output = {-7, -7};
  std::vector<uint8_t> status = {77};
  std::vector<int32_t> ids = {77}, k = {1};
  std::vector<int64_t> seed = {1}, offset = {0};
  Floats p = {0.5f};
  Tensor in{probs, 1, 2}, out{output, 1, 2}, rows{status}, id{ids}, top_k{k}, top_p{p}, s{seed},
      o{offset};
  CallOn on{strict, 1, 2};
  assay_filter_args filter = FilterArgs(in, top_k.Get(), top_p.Get(), out, rows);
  assay_sample_args sample = SampleArgs();

  assay_sample_args SampleArgs() const {
    assay_sample_args args = {};
    args.size = sizeof args;
    args.input = in.Get();
    args.top_k = top_k.Get();
    args.top_p = top_p.Get();
    args.seed = s.Get();
    args.offset = o.Get();
    args.ids = id.Get();
    args.status = rows.Get();
    return args;
  }
};

void ExpectRefused(const std::function<void(Call&)>& spoil) {
  for (const bool sampling : {false, true}) {
    Call call;
    spoil(call);
    const int32_t code = sampling ? TopKTopPSamplingFromProbs(&call.on.call, &call.sample)
                                  : TopKRenormProbs(&call.on.call, &call.filter);
    EXPECT_EQ(code, ASSAY_INVALID_ARGUMENT);
    EXPECT_NE(std::string_view(call.on.message.data()), "");
    EXPECT_EQ(call.output, (Floats{-7, -7}));
    EXPECT_EQ(call.status[0], 77);
    EXPECT_EQ(call.ids[0], 77);
  }
}

TEST(Refused, BadArguments) {
  ExpectRefused([](Call& c) { c.filter.size = c.sample.size = 16; });
  ExpectRefused([](Call& c) { c.filter.input = c.sample.input = nullptr; });
  ExpectRefused([](Call& c) { c.filter.status = c.sample.status = nullptr; });
  ExpectRefused([](Call& c) { c.filter.output = nullptr, c.sample.ids = nullptr; });
  ExpectRefused([](Call& c) { c.filter.top_k = c.sample.top_k = nullptr; });
  ExpectRefused([](Call& c) { c.in.tensor.dtype = {kDLFloat, 64, 1}; });
  ExpectRefused([](Call& c) { c.in.tensor.dtype.lanes = 2; });
  ExpectRefused([](Call& c) { c.in.tensor.ndim = 1; });
  ExpectRefused([](Call& c) { c.in.tensor.strides[1] = 2; });
  ExpectRefused([](Call& c) { c.in.tensor.strides = nullptr; });
  ExpectRefused([](Call& c) { c.in.tensor.device.device_type = kDLCUDA; });
  ExpectRefused([](Call& c) { c.top_k.tensor.dtype = {kDLInt, 64, 1}; });
  ExpectRefused([](Call& c) { c.top_k.tensor.shape[0] = 3; });
  ExpectRefused([](Call& c) { c.rows.tensor.shape[0] = 3; });
  ExpectRefused([](Call& c) { c.on.call.workspace_bytes = 8; });
  ExpectRefused([](Call& c) {
    c.filter.size = 0;
    c.sample.seed = nullptr;
  });
  ExpectRefused([](Call& c) {
    c.filter.size = 0;
    c.sample.filter_order = 2;
  });
}

struct Masked {
  Floats logits = Floats(3 * 40, 1.0f);
  std::vector<int32_t> words = {-1, 0x7F, 0, -1, 1, 0};  // three rows of two words
  std::vector<int32_t> logit_rows = {2, 2, 0}, mask_rows = {0, 1, 2};
  int32_t Apply(const Config& config, int64_t vocab, bool maps) {
    const Tensor values(logits, 3, 40), bits(words, 3, 2), onto(logit_rows), from(mask_rows);
    CallOn on(config, 3, 40);
    const assay_mask_args args = {sizeof(args),
                                  0,
                                  vocab,
                                  values.Get(),
                                  bits.Get(),
                                  maps ? onto.Get() : nullptr,
                                  maps ? from.Get() : nullptr,
                                  nullptr};
    return ApplyTokenBitmask(&on.call, &args);
  }
  int64_t Finite(size_t row) const {
    int64_t count = 0;
    for (size_t i = 0; i < 40; ++i) count += logits[row * 40 + i] == 1.0f ? 1 : 0;
    return count;
  }
};

TEST(Mask, BitsTailAndMaps) {
  Config config;
  Masked plain;
  ASSERT_EQ(plain.Apply(config, 0, false), ASSAY_OK);
  EXPECT_EQ(plain.Finite(0), 39);
  EXPECT_EQ(plain.Finite(1), 8);
  EXPECT_EQ(plain.Finite(2), 1);
  Masked maps;
  ASSERT_EQ(maps.Apply(config, 0, true), ASSAY_OK);
  EXPECT_EQ(maps.Finite(0), 1);
  EXPECT_EQ(maps.Finite(1), 40);
  EXPECT_EQ(maps.Finite(2), 7);
  Masked narrow;
  ASSERT_EQ(narrow.Apply(config, 33, false), ASSAY_OK);
  EXPECT_EQ(narrow.Finite(0), 33);
  config.profile.mask_beyond = MaskBeyond::kUntouched;
  Masked untouched;
  ASSERT_EQ(untouched.Apply(config, 33, false), ASSAY_OK);
  EXPECT_EQ(untouched.Finite(0), 40);
}

TEST(Mask, RefusesBeforeItWrites) {
  const Config config;
  Masked mask;
  EXPECT_EQ(mask.Apply(config, 41, false), ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(mask.Apply(config, -1, false), ASSAY_INVALID_ARGUMENT);
  mask.logit_rows[2] = 3;
  EXPECT_EQ(mask.Apply(config, 0, true), ASSAY_INVALID_ARGUMENT);
  mask.logit_rows[2] = 0;
  mask.mask_rows[2] = -1;
  EXPECT_EQ(mask.Apply(config, 0, true), ASSAY_INVALID_ARGUMENT);
  for (size_t row = 0; row < 3; ++row) EXPECT_EQ(mask.Finite(row), 40);
}

}  // namespace
}  // namespace assay::host
