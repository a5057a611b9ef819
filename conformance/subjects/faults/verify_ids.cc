// Faults of the verifiers that compare chains of drafts with given tokens.

#include "conformance/subjects/faults/verify_tree_kit.h"

namespace assay::faults {
namespace {

int32_t ChainGreedy(Call call, VerifyArgs args) { return Good().verify_chain_greedy(call, args); }
int32_t Sampled(Call call, VerifyArgs args) {
  return Good().verify_chain_target_sampled(call, args);
}
int32_t Match(Call call, VerifyArgs args) { return Good().verify_match(call, args); }

// Calls host, then spoil(b) for each request.
template <class Spoil>
int32_t Then(Verifier verifier, Call call, VerifyArgs args, Spoil spoil) {
  const int32_t code = verifier(call, args);
  for (int64_t b = 0; code == ASSAY_OK && Dose() && b < Requests(args); ++b) spoil(b);
  return code;
}

// ---- Chains. -----------------------------------------------------------------------------------

// Visits rows up to `count` of request b.
void Visit(VerifyArgs args, int64_t b, int64_t count) {
  Set(*args->accept_count, 0, b, static_cast<double>(count));
  for (int64_t i = 0; i <= count; ++i) {
    const int64_t row = FirstRow(args, b) + i;
    Set(*args->accept_index, b, i, static_cast<double>(row));
    Set(*args->predicts, 0, row, Get(*args->target_ids, 0, row));
  }
}

int32_t CountsAllMatches(Call call, VerifyArgs args) {
  return Then(&ChainGreedy, call, args, [&](int64_t b) {
    int64_t count = 0;
    for (int64_t row = FirstRow(args, b); row + 1 < FirstRow(args, b + 1); ++row)
      count += Entry(*args->candidates, row + 1) == Entry(*args->target_ids, row);
    Visit(args, b, count);
  });
}

int32_t SkipsFirst(Call call, VerifyArgs args) {  // the first draft counts as verified
  if (const Rehearsal good(&ChainGreedy, call, args); !good.ok() || !Dose()) {
    return ChainGreedy(call, args);
  }
  Ints candidates = Values<int32_t>(*args->candidates);
  for (int64_t b = 0; b < Requests(args); ++b)
    if (RowsOf(args, b) > 1)
      candidates[static_cast<size_t>(FirstRow(args, b) + 1)] =
          static_cast<int32_t>(Entry(*args->target_ids, FirstRow(args, b)));
  return With(&ChainGreedy, call, args, &assay_verify_args::candidates, std::move(candidates));
}

int32_t EmitsDraft(Call call, VerifyArgs args) {  // the rejected draft in place of the sample
  return Then(&Sampled, call, args, [&](int64_t b) {
    const int64_t row = FirstRow(args, b) + Entry(*args->accept_count, b);
    if (row + 1 < FirstRow(args, b + 1))
      Set(*args->predicts, 0, row, Get(*args->candidates, 0, row + 1));
  });
}

// As if each request had as many rows as the first.
int64_t DenseRow(VerifyArgs args, int64_t row) {
  const int64_t b = RequestOf(args, row), n = RowsOf(args, 0);
  return (b * n + row - FirstRow(args, b)) % Cols(*args->candidates);
}
int32_t RaggedAsDense(Call call, VerifyArgs args) {
  if (const Rehearsal good(&ChainGreedy, call, args); !good.ok() || !Dose()) {
    return ChainGreedy(call, args);
  }
  return WithEntriesOf(&ChainGreedy, call, args, &assay_verify_args::target_ids,
                       [&](int64_t row) { return DenseRow(args, row); });
}

int32_t IndexLocal(Call call, VerifyArgs args) {
  return Then(&ChainGreedy, call, args, [&](int64_t b) {
    for (int64_t i = 0; i <= Entry(*args->accept_count, b); ++i)
      Set(*args->accept_index, b, i, static_cast<double>(i));
  });
}

int32_t OmitsBonus(Call call, VerifyArgs args) {  // the row of the last token is not listed
  const Copy before(*args->accept_index);
  return Then(&ChainGreedy, call, args, [&](int64_t b) {
    const int64_t count = Entry(*args->accept_count, b);
    Set(*args->accept_index, b, count, Get(*before, b, count));
  });
}

int32_t FillsIndex(Call call, VerifyArgs args) {  // -1 over what the caller has there
  return Then(&Sampled, call, args, [&](int64_t b) {
    for (int64_t i = Entry(*args->accept_count, b) + 1; i < Cols(*args->accept_index); ++i)
      Set(*args->accept_index, b, i, -1);
  });
}

int32_t CountAdded(Call call, VerifyArgs args) {
  const Copy before(*args->accept_count);
  return Then(&Sampled, call, args, [&](int64_t b) {
    Set(*args->accept_count, 0, b, Get(*args->accept_count, 0, b) + Get(*before, 0, b));
  });
}

int32_t OffsetsUnchecked(Call call, VerifyArgs args) {  // the rows there are, whatever they say
  if (ChainGreedy(call, args) == ASSAY_OK || !Dose()) return ChainGreedy(call, args);
  Ints offsets = Values<int32_t>(*args->row_offsets);
  if (offsets.empty()) return ChainGreedy(call, args);
  const auto rows = static_cast<int32_t>(Cols(*args->candidates));
  offsets.front() = 0;
  offsets.back() = rows;
  return With(&ChainGreedy, call, args, &assay_verify_args::row_offsets, std::move(offsets));
}

// Drafts that the shortest request has no row for are not verified.
int32_t CutToShortest(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Sampled, call, args); !good.ok() || !Dose()) {
    return Sampled(call, args);
  }
  int64_t shortest = INT32_MAX;
  for (int64_t b = 0; b < Requests(args); ++b) shortest = std::min(shortest, RowsOf(args, b));
  Ints candidates = Values<int32_t>(*args->candidates);
  for (int64_t b = 0; b < Requests(args); ++b)
    for (int64_t row = FirstRow(args, b) + shortest; row < FirstRow(args, b + 1); ++row)
      candidates[static_cast<size_t>(row)] = -1;
  return With(&Sampled, call, args, &assay_verify_args::candidates, std::move(candidates));
}

// ---- Match. ------------------------------------------------------------------------------------

int32_t MatchRunsPastRejection(Call call, VerifyArgs args) {
  return Then(&Match, call, args, [&](int64_t b) {  // each row's mask by its own draft alone
    for (int64_t row = FirstRow(args, b); row + 1 < FirstRow(args, b + 1); ++row)
      if (Entry(*args->candidates, row + 1) == Entry(*args->target_ids, row))
        Set(*args->accept_mask, 0, row + 1, 1);
  });
}

int32_t MatchCountsPlain(Call call, VerifyArgs args) {  // requests of one row get a count, too
  return Then(&Match, call, args, [&](int64_t b) {
    if (RowsOf(args, b) == 1) Set(*args->accept_count, 0, b, 0);
  });
}

int32_t MatchLastIsDraft(Call call, VerifyArgs args) {  // last_row without the offset of the root
  return Then(&Match, call, args, [&](int64_t b) {
    const int64_t last = Entry(*args->last_row, b);
    if (last > FirstRow(args, b)) Set(*args->last_row, 0, b, static_cast<double>(last - 1));
  });
}

}  // namespace

void AddVerifyIdFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::verify_chain_greedy> greedy{all, "verify_chain_greedy"};
  greedy.Add<CountsAllMatches>("greedy-counts-all-matches", "B128",
                               "drafts that match behind a rejected one count",
                               {{"MASK-VERIFY-LOSSLESS", kMetamorphic},
                                {"MASK-VERIFY-MIDSTEP", kExact},
                                {"MASK-VERIFY-RAGGED", kExact},
                                {"VERIFY-ACCEPT-STOP", kMetamorphic},
                                {"VERIFY-GREEDY-RULE", kExact}});
  greedy.Add<SkipsFirst>("greedy-skips-first", "B130", "the first draft is not verified",
                         {{"MASK-VERIFY-LOSSLESS", kMetamorphic},
                          {"MASK-VERIFY-MIDSTEP", kExact},
                          {"MASK-VERIFY-RAGGED", kExact},
                          {"VERIFY-COUNT-COUNTER", kExact},
                          {"VERIFY-GREEDY-RULE", kExact}});
  greedy.Add<RaggedAsDense>("ragged-as-dense", "B171",
                            "rows of a request are found as if all had as many as the first",
                            {{"MASK-VERIFY-LOSSLESS", kMetamorphic},
                             {"MASK-VERIFY-MIDSTEP", kExact},
                             {"MASK-VERIFY-RAGGED", kExact},
                             {"MASK-VERIFY-ROW", kEdge},
                             {"BUF-BATCH-LARGE", kMetamorphic},
                             {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                             {"DET-BATCH-POSITION", kMetamorphic},
                             {"DET-BATCH-SIZE", kMetamorphic},
                             {"VERIFY-ACCEPT-STOP", kMetamorphic},
                             {"VERIFY-DRAFT-RAGGED", kMetamorphic},
                             {"VERIFY-GREEDY-RULE", kExact},
                             {"VERIFY-TARGET-ROWS", kExact}});
  greedy.Add<IndexLocal>("index-local", "B149", "accept_index counts the rows of its request",
                         {{"BUF-BATCH-LARGE", kMetamorphic},
                          {"DET-BATCH-POSITION", kMetamorphic},
                          {"DET-BATCH-SIZE", kMetamorphic},
                          {"VERIFY-COUNT-EMITTED", kBounds},
                          {"VERIFY-FILL-TAIL", kExact}});
  greedy.Add<OmitsBonus>("count-omits-bonus", "B051", "the row of the last token is not listed",
                         {{"VERIFY-COUNT-EMITTED", kBounds}, {"VERIFY-FILL-TAIL", kExact}});
  greedy.Add<OffsetsUnchecked>("offsets-unchecked", "", "offsets are made to fit the rows",
                               {{"VERIFY-CALL-REFUSE", kBounds}});
  FaultRows<&assay_operations::verify_chain_target_sampled> sampled{all,
                                                                    "verify_chain_target_sampled"};
  sampled.Add<EmitsDraft>("match-emits-draft", "B128", "a rejected draft is emitted",
                          {{"MASK-VERIFY-LOSSLESS", kMetamorphic},
                           {"MASK-VERIFY-MIDSTEP", kExact},
                           {"MASK-VERIFY-RAGGED", kExact},
                           {"MASK-VERIFY-ROW", kEdge},
                           {"VERIFY-MATCH-RULE", kExact},
                           {"VERIFY-TARGET-ROWS", kExact}});
  sampled.Add<FillsIndex>("index-tail-filled", "B149", "-1 is written behind the rows visited",
                          {{"VERIFY-FILL-TAIL", kExact}});
  sampled.Add<CountAdded>("count-added", "B144", "the count is added to what is there",
                          {{"VERIFY-ACCEPT-STOP", kMetamorphic},
                           {"VERIFY-COUNT-COUNTER", kExact},
                           {"VERIFY-COUNT-EMITTED", kBounds},
                           {"VERIFY-MATCH-RULE", kExact}});
  sampled.Add<CutToShortest>("ragged-cut-to-shortest", "B150",
                             "no request has more drafts verified than the shortest has",
                             {{"MASK-VERIFY-MIDSTEP", kExact},
                              {"MASK-VERIFY-RAGGED", kExact},
                              {"DET-BATCH-SIZE", kMetamorphic},
                              {"VERIFY-DRAFT-RAGGED", kMetamorphic},
                              {"VERIFY-MATCH-RULE", kExact}});
  FaultRows<&assay_operations::verify_match> match{all, "verify_match"};
  match.Add<MatchRunsPastRejection>(
      "match-mask-resumes", "B128", "the mask takes each draft that matches, behind a rejected one",
      {{"VERIFY-COUNT-EMITTED", kBounds}, {"VERIFY-FILL-TAIL", kExact}});
  match.Add<MatchCountsPlain>("match-counts-plain", "",
                              "requests of which nothing is tested get a count",
                              {{"VERIFY-FILL-TAIL", kExact}});
  match.Add<MatchLastIsDraft>("match-last-row-short", "B140",
                              "last_row is the row before the last accepted draft",
                              {{"MASK-VERIFY-LOSSLESS", kMetamorphic},
                               {"MASK-VERIFY-MIDSTEP", kExact},
                               {"MASK-VERIFY-RAGGED", kExact},
                               {"VERIFY-ACCEPT-STOP", kMetamorphic},
                               {"VERIFY-FILL-TAIL", kExact},
                               {"VERIFY-MATCH-RULE", kExact}});
}

}  // namespace assay::faults
