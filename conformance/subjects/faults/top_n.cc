// Wrong top_n_logprobs.

#include <algorithm>
#include <functional>
#include <numeric>

#include "conformance/subjects/faults/filter_kit.h"
#include "conformance/subjects/faults/logprob_kit.h"

namespace assay::faults {
namespace {

Logprob TopN() { return Good().top_n_logprobs; }

using Ids = std::vector<int64_t>;
using Values = std::vector<double>;

// Defects that need every token's value leave rows of another path alone: a sort of them, call by
// call, would take most of a run.
bool LongRows(LogprobArgs args) { return Cols(*args->logits) > (1 << 15); }

Ids IdsOf(LogprobArgs args, int64_t r) {
  Ids ids;
  for (int64_t i = 0; i < args->n; ++i)
    ids.push_back(static_cast<int64_t>(Get(*args->top_ids, r, i)));
  return ids;
}

void Write(LogprobArgs args, int64_t r, const Ids& ids, const Values& row) {
  for (int64_t i = 0; i < args->n; ++i) {
    const auto id = ids[static_cast<size_t>(i)];
    Set(*args->top_ids, r, i, static_cast<double>(id));
    Set(*args->top_logprobs, r, i, row[static_cast<size_t>(id)]);
  }
}

// The list holds, with their right values, the first n tokens by `before(r, keys, a, b)`: the keys
// of a row's tokens are made of their values.
template <class Before, class Key = std::identity>
int32_t Listed(Call call, LogprobArgs args, Before before, Key key = {}) {
  if (LongRows(args)) return TopN()(call, args);
  const auto all = AllLogprobs(call, *args);
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    const Values& row = all[static_cast<size_t>(r)];
    Ids ids(row.size());
    std::iota(ids.begin(), ids.end(), int64_t{0});
    Values keys(row.size());
    std::ranges::transform(row, keys.begin(), key);
    std::ranges::partial_sort(ids, ids.begin() + args->n,
                              [&](int64_t a, int64_t b) { return before(r, keys, a, b); });
    Write(args, r, ids, row);
  });
}

double At(const Values& row, int64_t id) { return row[static_cast<size_t>(id)]; }

int32_t Unsorted(Call call, LogprobArgs args) {
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    Ids ids = IdsOf(args, r);
    Values row(static_cast<size_t>(Cols(*args->logits)));
    for (int64_t i = 0; i < args->n; ++i)
      row[static_cast<size_t>(ids[static_cast<size_t>(i)])] = Get(*args->top_logprobs, r, i);
    std::ranges::sort(ids);
    Write(args, r, ids, row);
  });
}

// The chosen token comes first, and again where it belongs: the last entry finds no room.
int32_t FirstTwice(Call call, LogprobArgs args) {
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    for (const DLTensor* list : {args->top_ids, args->top_logprobs})
      for (int64_t i = args->n - 1; i > 0; --i) Set(*list, r, i, Get(*list, r, i - 1));
  });
}

int32_t TiesHighest(Call call, LogprobArgs args) {
  return Listed(call, args, [](auto, const Values& row, int64_t a, int64_t b) {
    return At(row, a) != At(row, b) ? At(row, a) > At(row, b) : a > b;
  });
}
// Two halves of the row are merged, the upper one first.
int32_t TiesByHalf(Call call, LogprobArgs args) {
  return Listed(call, args, [](auto, const Values& row, int64_t a, int64_t b) {
    if (At(row, a) != At(row, b)) return At(row, a) > At(row, b);
    const bool up = 2 * a >= std::ssize(row), other = 2 * b >= std::ssize(row);
    return up != other ? up : a < b;
  });
}

int32_t Approximate(Call call, LogprobArgs args) {
  const auto before = [](auto, const Values& row, int64_t a, int64_t b) {
    return At(row, a) != At(row, b) ? At(row, a) > At(row, b) : a < b;
  };
  return Listed(call, args, before, Coarse);
}

int32_t BeforeTheMask(Call call, LogprobArgs args) {
  if (LongRows(args)) return TopN()(call, args);
  assay_logprob_args other = *args;
  other.bitmask = nullptr;
  const auto raw = AllLogprobs(call, other);
  return Listed(call, args, [&](int64_t r, const Values&, int64_t a, int64_t b) {
    const Values& row = raw[static_cast<size_t>(r)];
    const double x = std::isnan(row[0]) ? 0 : At(row, a), y = std::isnan(row[0]) ? 0 : At(row, b);
    return x != y ? x > y : a < b;
  });
}

int32_t NotRenormalised(Call call, LogprobArgs args) {
  if (LongRows(args)) return TopN()(call, args);
  assay_logprob_args other = *args;
  other.top_k = other.top_p = nullptr;
  const auto all = AllLogprobs(call, other);
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    const Ids ids = IdsOf(args, r);
    for (int64_t i = 0; i < args->n; ++i)
      if (Get(*args->top_logprobs, r, i) > -HUGE_VAL)
        Set(*args->top_logprobs, r, i,
            At(all[static_cast<size_t>(r)], ids[static_cast<size_t>(i)]));
  });
}

// The values are gathered by place in the list, not by token.
int32_t ValuesOfOthers(Call call, LogprobArgs args) {
  if (LongRows(args)) return TopN()(call, args);
  const auto all = AllLogprobs(call, *args);
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    Values found;
    for (const int64_t id : IdsOf(args, r)) found.push_back(At(all[static_cast<size_t>(r)], id));
    std::ranges::rotate(found, found.begin() + 1);
    std::ranges::sort(found, std::greater<>());
    const double last = found.back();
    for (int64_t i = 1; i < args->n; ++i) Set(*args->top_logprobs, r, i, last);
  });
}

int32_t BatchIds(Call call, LogprobArgs args) {
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    for (int64_t i = 0; i < args->n; ++i)
      Set(*args->top_ids, r, i,
          Get(*args->top_ids, r, i) + static_cast<double>(r * Cols(*args->logits)));
  });
}

// Past 1,024 entries nothing is found.
int32_t CandidateLimit(Call call, LogprobArgs args) {
  return ThenRows(TopN(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    for (int64_t i = 1024; i < args->n; ++i) {
      Set(*args->top_ids, r, i, -1);
      Set(*args->top_logprobs, r, i, -HUGE_VAL);
    }
  });
}

// The last, partial vector of four is never listed before the others are.
int32_t TailUnread(Call call, LogprobArgs args) {
  return Listed(call, args, [](auto, const Values& row, int64_t a, int64_t b) {
    const int64_t whole = std::ssize(row) - std::ssize(row) % 4;
    const bool x = row.size() > 4 && a >= whole, y = row.size() > 4 && b >= whole;
    if (x != y) return y;
    return At(row, a) != At(row, b) ? At(row, a) > At(row, b) : a < b;
  });
}

// A reported row lists the first tokens and is good.
int32_t Passes(Call call, LogprobArgs args, int status) {
  return ThenRows(TopN(), call, args, status, [&](int64_t r) {
    for (int64_t i = 0; i < args->n; ++i) Set(*args->top_ids, r, i, static_cast<double>(i));
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  });
}
int32_t EmptyPasses(Call call, LogprobArgs args) { return Passes(call, args, ASSAY_ROW_EMPTY); }
int32_t NanPasses(Call call, LogprobArgs args) { return Passes(call, args, ASSAY_ROW_NAN); }

}  // namespace

void AddTopNFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_n_logprobs> rows{all, "top_n_logprobs"};
  const Claim value = {"LOGP-VALUE-STAGE", kCoupling}, sum = {"LOGP-NORM-ONE", kBounds},
              order = {"LOGP-TOPN-RANK", kExact}, ties = {"LOGP-TOPN-TIES", kExact},
              sweep = {"BUF-VOCAB-SWEEP", kExact}, empty = {"ROBUST-EMPTY-ROW", kExact},
              nan = {"ROBUST-NAN-ROW", kExact}, inf = {"ROBUST-INF-LOGIT", kExact},
              param = {"ROBUST-PARAM-REFUSE", kExact};
  rows.Add<Unsorted>("topn-unsorted", "", "the largest tokens in the order of their ids",
                     {order, sweep, empty, nan, inf, param});
  rows.Add<FirstTwice>("topn-first-twice", "", "the first token is listed again",
                       {order, sum, sweep, empty, nan, inf, param});
  rows.Add<TiesHighest>("topn-ties-highest", "", "equal tokens by highest id", {ties, sweep});
  rows.Add<TiesByHalf>("topn-ties-by-half", "B031", "of equal tokens the row's second half first",
                       {ties, sweep});
  rows.Add<Approximate>("topn-approximate", "B033", "tokens compete with 8 significant bits",
                        {order});
  rows.Add<BeforeTheMask>("topn-before-mask", "", "the tokens are the largest without the mask",
                          {order, ties, sweep});
  rows.Add<NotRenormalised>("topn-not-renormalised", "",
                            "what the filters leave keeps its share of the whole row",
                            {value, sum});
  rows.Add<ValuesOfOthers>("topn-values-of-others", "",
                           "every token but the first has the last's value", {value, sum, sweep});
  rows.Add<BatchIds>("topn-batch-ids", "B061", "ids count through the rows of the batch",
                     {{"ROBUST-ID-RANGE", kBounds}});
  rows.Add<CandidateLimit>("topn-candidate-limit", "B037", "1,024 entries find room",
                           {order, sum, sweep, empty, nan, inf, param});
  rows.Add<TailUnread>("topn-tail-unread", "B065",
                       "the last, partial vector of four comes after all others",
                       {order, sweep, empty, nan, inf, param});
  rows.Add<EmptyPasses>("topn-empty-passes", "B056", "a row without a token lists the first ids",
                        {empty});
  // Rows with a NaN stand among those with a bad parameter.
  rows.Add<NanPasses>("topn-nan-passes", "B053", "a row with a NaN lists the first ids, with NaN",
                      {nan, param});
  rows.Lie("topn-nan-excluded", "B059", "NaN logits count as -inf", "nan_row=exclude",
           {nan, param});
  rows.Lie("topn-inf-certain", "B053", "+inf logits share all of the mass", "inf_logit=certain",
           {inf});
}

}  // namespace assay::faults
