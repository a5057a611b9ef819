/* The contract between Assay and a library under test. Plain C11, also C++ and CUDA; needs only
 * DLPack. A library exports one symbol, `assay_open`, and fills one table of functions.
 *
 * Words: R output rows, N distribution rows, V vocabulary, W mask words a row, M pairs of rows,
 * P slots of parameters, L tokens of history a slot, B requests, D entries a request, G states
 * and K stop ids of a grammar, S steps of a script.
 * All tensors are DLPack descriptors: lanes 1, byte_offset 0, strides never null, last stride 1,
 * on the subject's device; 0-dimensional ones ([]) are in host memory whatever the device is. A
 * null pointer stands for an absent optional tensor. A row stride may exceed the row's length only
 * if the subject sets ASSAY_ROW_STRIDE. Pointers and descriptors live for the call only. */
#ifndef ASSAY_SUBJECT_H_
#define ASSAY_SUBJECT_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI 1u

/* What a call returns. Unless it is ASSAY_OK no output may have been written. */
enum {
  ASSAY_OK = 0,
  ASSAY_UNSUPPORTED = 1,      /* a combination that the limits cannot express: NotSupported */
  ASSAY_INVALID_ARGUMENT = 2, /* the call is malformed */
  ASSAY_DEVICE_ERROR = 3,     /* of a subject on a device: the process that made the call ends, as
                                 its context may be spoilt, and the job counts as Crash */
  ASSAY_INTERNAL = 4
};

/* What a row's `status` says; the highest that applies. */
enum {
  ASSAY_ROW_OK = 0,
  ASSAY_ROW_EMPTY = 1,     /* no token has positive probability */
  ASSAY_ROW_NAN = 2,       /* a NaN among the row's values */
  ASSAY_ROW_INF = 3,       /* +inf among the row's values */
  ASSAY_ROW_PARAMETER = 4, /* a parameter outside its domain */
  ASSAY_ROW_INDEX = 5,     /* a row or slot index outside its tensor */
  ASSAY_ROW_TOKEN = 6      /* a token id outside [0, V) */
};

/* How a subject writes `status`. */
enum {
  ASSAY_STATUS_NONE = 0,  /* never writes it; it receives null */
  ASSAY_STATUS_VALID = 1, /* 1: the row is good, 0: it is not */
  ASSAY_STATUS_CODES = 2  /* the codes above */
};

/* Dtypes of logits and probabilities that a subject takes. */
enum { ASSAY_F32 = 1u, ASSAY_F16 = 2u, ASSAY_BF16 = 4u };

/* Capabilities, `assay_subject.flags`. */
enum {
  ASSAY_ROW_STRIDE = 1u,      /* row strides above the row's length */
  ASSAY_SCALAR_PARAMS = 2u,   /* a parameter may be a 0-dimensional host tensor for all rows */
  ASSAY_INDICES = 4u,         /* samplers take `indices` */
  ASSAY_INJECTED = 8u,        /* samplers take `uniforms` */
  ASSAY_TOP_K_FIRST = 16u,    /* filter_order ASSAY_ORDER_TOP_K_FIRST is implemented */
  ASSAY_JOINT = 32u,          /* filter_order ASSAY_ORDER_JOINT is implemented */
  ASSAY_ZERO_ROWS = 64u,      /* calls with no rows at all are legal */
  ASSAY_MASK_ROW_MAPS = 128u, /* apply_token_bitmask takes logit_rows and mask_rows */
  ASSAY_RAGGED = 256u,        /* verifiers take requests of different numbers of rows */
  ASSAY_LOG_ACCEPT = 512u,    /* verifiers test u q < p on logarithms, which round */
  ASSAY_BLOCK_RULE = 1024u,   /* rejection_sample: method ASSAY_METHOD_BLOCK */
  ASSAY_NODE_ROWS = 2048u,    /* tree verifiers take any `retrieve_index`, not the identity alone */
  ASSAY_CHECKS_ARGUMENTS = 4096u, /* offsets, links, thresholds, row maps and d2t outside their
                                     domain are refused before anything is written */
  ASSAY_MASK_COLUMN_MAP = 8192u   /* apply_token_bitmask takes d2t */
};

typedef struct assay_call {
  uint32_t size, message_bytes;
  const void* self; /* assay_subject.self */
  void* stream;     /* cudaStream_t, not the default one; null on the host. A call need not wait:
                       tensors of the device and the workspace last until the stream is done */
  void* workspace;  /* workspace_bytes(...) bytes, 256-aligned, any content */
  uint64_t workspace_bytes;
  char* message; /* a reason for a status that is not ASSAY_OK, zero-terminated */
} assay_call;

enum {
  ASSAY_ORDER_TOP_K_FIRST = 0, /* top-k, renormalise, top-p on the renormalised mass */
  ASSAY_ORDER_JOINT = 1        /* top-k and top-p both on the original row; intersection */
};

/* top_k from here on is off in every operation that takes top_k, whatever V is. */
#define ASSAY_TOP_K_OFF 1073741824 /* 2^30 */

/* softmax: output = softmax(input / temperature).
 * top_k_renorm_probs: keep the top_k largest, divide by their sum; dropped entries are +0.0.
 * top_p_renorm_probs: keep the smallest set of largest tokens that reaches mass top_p, likewise.
 * min_p_renorm_probs: keep the tokens with at least min_p times the largest probability, likewise.
 * top_k_top_p_renorm_probs: keep what both filters keep, by `filter_order`, likewise.
 * A row of these whose status is not ASSAY_ROW_OK is all zeros.
 * top_k_mask_logits: -inf where not among the top_k largest; kept entries keep their bits. A row
 * whose status is not ASSAY_ROW_OK is all -inf. */
typedef struct assay_filter_args {
  uint32_t size;
  uint32_t filter_order;       /* read by top_k_top_p_renorm_probs only */
  const DLTensor* input;       /* [R,V] value: logits for softmax and top_k_mask_logits, else
                                  probabilities */
  const DLTensor* temperature; /* [R] or [] f32, optional: 1 */
  const DLTensor* top_k;       /* [R] or [] i32 */
  const DLTensor* top_p;       /* [R] or [] f32 */
  const DLTensor* min_p;       /* [R] or [] f32, in [0, 1] */
  const DLTensor* output;      /* [R,V] f32 (value for top_k_mask_logits), written whole */
  const DLTensor* status;      /* [R] u8, written whole */
} assay_filter_args;

/* One token a row. Output row r draws from row indices[r] (r without indices) with seed[r],
 * offset[r], or with uniforms[r] if given.
 * argmax: the largest value; draws nothing.
 * sampling_from_probs, sampling_from_logits: from the row, from softmax(row). The latter may be a
 * noise race, which reads a word a token; it takes no uniforms.
 * top_k_, top_p_, min_p_, top_k_top_p_sampling_from_probs: from the row after the filters.
 * top_k_top_p_sampling_from_logits: from softmax(row) after the filters.
 * sample_rows: from softmax(row / temperature) after the filters, with the parameters of slot
 * param_rows[r]; ids and status may have more entries than there are output rows (the length of
 * indices): those keep their bytes.
 * draft_sample: from softmax(row / temperature); `probs` is that law, bit for bit the one that the
 * token is drawn by, zeros for a row whose status is not ASSAY_ROW_OK. */
typedef struct assay_sample_args {
  uint32_t size;
  uint32_t filter_order;       /* read by operations with top_k and top_p */
  const DLTensor* input;       /* [N,V] value: logits or probabilities */
  const DLTensor* indices;     /* [R] i32, optional; repeats are legal */
  const DLTensor* param_rows;  /* [R] i32: sample_rows only */
  const DLTensor* temperature; /* [P] f32: sample_rows; [R] or []: draft_sample; 0 is greedy */
  const DLTensor* top_k;       /* [N] ([R] for profiles with param_index = output_row), [P] for
                                  sample_rows, or []: i32 */
  const DLTensor* top_p;       /* likewise, f32 */
  const DLTensor* min_p;       /* likewise, f32, in [0, 1] */
  const DLTensor* seed;        /* [R] i64 holding 64 unsigned bits */
  const DLTensor* offset;      /* [R] i64 holding 64 unsigned bits */
  const DLTensor* uniforms;    /* [R] f64 in [0,1], optional: replaces the stream */
  const DLTensor* ids;         /* [R] i32, written whole */
  const DLTensor* probs;       /* [R,V] f32, written whole: draft_sample only */
  const DLTensor* status;      /* [R] u8, written whole */
} assay_sample_args;

/* apply_token_bitmask: for each pair i, column j < vocab of row logit_rows[i] becomes -inf where
 * bit j%32 of word j/32 of mask row mask_rows[i] is 0; other entries keep their bits. With d2t the
 * bit is that of token j + d2t[j], one of the mask's: logits of a reduced (draft) vocabulary. */
typedef struct assay_mask_args {
  uint32_t size, reserved;
  int64_t vocab;              /* 0: its most, min(V, 32 W), or V with d2t */
  const DLTensor* logits;     /* [N,V] value, in place */
  const DLTensor* bitmask;    /* [N,W] i32, or [M,W] with row maps */
  const DLTensor* logit_rows; /* [M] i32, optional: pair i is row i */
  const DLTensor* mask_rows;  /* [M] i32, optional: pair i is mask row i, or as the profile says */
  const DLTensor* d2t;        /* [V] i32, optional: 0 */
} assay_mask_args;

/* gather_and_expand_scalars: row b, column j of each output is the pool's entry index[b]. A row
 * whose index lies outside the pool is reported and holds neutral values: temperature 1, top_k
 * ASSAY_TOP_K_OFF, top_p 1, min_p 0, seed 0, offset 0. */
typedef struct assay_gather_args {
  uint32_t size, reserved;
  int64_t n;             /* columns of the outputs, at least 1 */
  const DLTensor* index; /* [R] i32 */
  const DLTensor *temperature_pool, *top_p_pool, *min_p_pool; /* [P] f32 */
  const DLTensor* top_k_pool;                                 /* [P] i32 */
  const DLTensor *seed_pool, *offset_pool;                    /* [P] i64 */
  const DLTensor *temperature, *top_p, *min_p;                /* [R,n] f32, written whole */
  const DLTensor* top_k;                                      /* [R,n] i32, written whole */
  const DLTensor *seed, *offset;                              /* [R,n] i64, written whole */
  const DLTensor* status;                                     /* [R] u8, written whole */
} assay_gather_args;

/* apply_logits_processors: penalties, bias, allowed tokens, minimum length and bad words of slot
 * index[r] onto row r, in the profile's order. A -inf entry stays -inf, and what no rule names
 * keeps its bits. A list that is absent is no rule. Slot p owns entries x_begin[p] .. x_begin[p+1]
 * of a ragged list x. A word is a run of bad_words, not empty, that ends before the next entry of
 * bad_words_begin; slot p owns the words bad_words_slot[p] .. bad_words_slot[p+1]. The ids of one
 * slot's bias are distinct; 0 <= prompt_len <= total_len <= L. Results are rounded once from fp32.
 * `status` tells of the slot, never of the row's numbers: an index outside the pools; a repetition
 * that is not positive and finite, another penalty or a bias that is not finite; an id of a list or
 * of the history outside [0, V), even where its rule is not in force. A row whose status is not
 * ASSAY_ROW_OK keeps its bits. */
typedef struct assay_process_args {
  uint32_t size, reserved;
  const DLTensor* logits;     /* [R,V] value, in place */
  const DLTensor* index;      /* [R] i32: the slot of a row */
  const DLTensor* history;    /* [P,L] i32: prompt, then output; what lies behind them is padding */
  const DLTensor* prompt_len; /* [P] i32 */
  const DLTensor* total_len;  /* [P] i32: prompt and output */
  const DLTensor *repetition, *frequency, *presence;  /* [P] f32, optional: 1, 0, 0 */
  const DLTensor *bias_ids, *bias_begin, *bias;       /* [X] i32, [P+1] i32, [X] f32, optional */
  const DLTensor *allowed_ids, *allowed_begin;        /* [X] i32, [P+1] i32, optional; an empty run
                                                         of a slot is no rule */
  const DLTensor *stop_ids, *stop_begin, *min_tokens; /* [X], [P+1], [P] i32, optional: stop ids are
                                                         -inf below min_tokens outputs */
  const DLTensor *bad_words, *bad_words_begin, *bad_words_slot; /* [X], [words+1], [P+1] i32,
                                                                   optional */
  const DLTensor* status;                                       /* [R] u8, written whole */
} assay_process_args;

/* gather_token_logprobs: log softmax of the row at token tokens[r], and the token's rank.
 * top_n_logprobs: the n largest log-probabilities, descending, equal ones by lowest id.
 * Raw: of the logits. Masked: entries whose bit in `bitmask` is 0 count as -inf, before all else.
 * Processed: of the law after temperature, top_k, top_p, by `filter_order`; -inf outside it. A row
 * whose status is not ASSAY_ROW_OK holds NaN, rank 0, ids -1. */
typedef struct assay_logprob_args {
  uint32_t size, filter_order;
  int64_t n;                                   /* top_n_logprobs: at least 1, at most V */
  const DLTensor* logits;                      /* [R,V] value */
  const DLTensor* tokens;                      /* [R] i32: gather_token_logprobs */
  const DLTensor* bitmask;                     /* [R,W] i32, optional; W >= V/32 */
  const DLTensor *temperature, *top_k, *top_p; /* [R] or [], f32, i32, f32, optional */
  const DLTensor* logprobs;                    /* [R] f32, written whole */
  const DLTensor* ranks;                       /* [R] i32, written whole */
  const DLTensor *top_ids, *top_logprobs;      /* [R,n] i32, f32, written whole */
  const DLTensor* status;                      /* [R] u8, written whole */
} assay_logprob_args;

/* Draft i of a request is accepted by rejection_sample by the ratio test of each; or by the block
 * rule, which reads all coins. */
enum { ASSAY_METHOD_STANDARD = 0, ASSAY_METHOD_BLOCK = 1 };

/* Speculative verification. Request b owns rows row_offsets[b] to row_offsets[b+1] - 1, one or
 * more; without ASSAY_RAGGED all have equally many. Its first candidate is its root: committed
 * before, never compared, any value. The others are drafts; -1 is none. `target` holds laws, after
 * filters and mask. In a chain row j is the law of the token after candidate j, which the draft of
 * row j+1 is tested against; `draft`, if given, has in row j the law that the draft of row j+1 came
 * from (the last row of a request: any bytes, not read). In a tree candidate j is node j -
 * row_offsets[b] of its request; a node's law is row retrieve_index[j], its children next_token[j]
 * and on by next_sibling, as nodes of the request, -1 none. Each emits the accepted drafts and one
 * token more, at most D.
 *
 * verify_chain_greedy, verify_chain_target_sampled: the longest prefix of drafts equal to
 *   target_ids of the row before; the ids of the rows visited are emitted. The first is given
 *   argmaxes, the second tokens drawn before.
 * verify_tree_greedy: from the root to the child that equals the current node's target id, to the
 *   end.
 * chain_speculative_sampling_target_only, tree_speculative_sampling_target_only: children in
 *   sibling order with one coin, that of their parent's row: with p a child's probability and m the
 *   sum of p so far, accepted iff p >= threshold_single or coin * max(threshold_acc, 1e-9) < m. The
 *   last token by final_coins from the row without the rejected ids.
 * chain_speculative_sampling: the draft of row j+1 is accepted iff u q < p, of its id in row j. The
 *   last token from max(p - q, 0) of the row that rejected, or from the request's last row. u of
 *   row j is coins[j], that of the last token final_coins[b]; or of the request's stream.
 * rejection_sample: likewise, by `method`; q is 1 without `draft`. A request with temperature 0 by
 *   the largest entries of its rows, as verify_chain_greedy.
 * verify_match: as verify_chain_target_sampled; requests of one row, of which nothing is tested,
 *   come last, the others are equally long. `emitted` gets the accepted drafts alone; of requests
 *   of one row it and accept_count stay as they were.
 * A draft outside [-1, V) is reported (ASSAY_ROW_INDEX) where it is reached and ends the request
 * with token -1. */
typedef struct assay_verify_args {
  uint32_t size, method;       /* method: rejection_sample */
  const DLTensor* row_offsets; /* [B+1] i32, ascending from 0 to N */
  const DLTensor* candidates;  /* [N] i32 */
  const DLTensor* target_ids;  /* [N] i32, in [0, V) */
  const DLTensor* target;      /* [N,V] f32 */
  const DLTensor* draft;       /* [N,V] f32, optional; target-only operations may write where the
                                  profile says so */
  const DLTensor *next_token, *next_sibling;        /* [N] i32: trees */
  const DLTensor* retrieve_index;                   /* [N] i32, rows of all: trees */
  const DLTensor *threshold_single, *threshold_acc; /* [] f32, in [0, 1]; 1 and 1 are lossless */
  const DLTensor* temperature;   /* [B] f32: rejection_sample; only whether it is 0 is read */
  const DLTensor *seed, *offset; /* [B] i64 holding 64 unsigned bits */
  const DLTensor* coins;         /* [N] f64 in [0, 1], optional: replaces the stream, as does */
  const DLTensor* final_coins;   /* [B] f64 */
  const DLTensor* predicts; /* [N] i32: the token after each row that was visited; others free */
  const DLTensor* accept_index; /* [B,D] i32: rows visited, the root's first; then as it was */
  const DLTensor* accept_count; /* [B] i32: accepted drafts; where the profile says so added to what
                                   is there */
  const DLTensor* emitted;      /* [B,D] i32: the tokens, then -1 or free, as the profile says */
  const DLTensor* accept_metric; /* [B] i32, as accept_count: by the profile */
  const DLTensor* accept_mask;   /* [N] u8: 1 where the candidate is committed, roots too */
  const DLTensor* last_row;      /* [B] i32: the row that the last token follows */
  const DLTensor* status;        /* [B] u8, written whole; of the row that the last token is from */
} assay_verify_args;

/* Steps of token_matcher. An entry belongs to the run or window that the entries before it follow;
 * another number, and an entry of neither, does nothing and results in 0. */
enum {
  ASSAY_MATCH_NONE = 0,
  ASSAY_MATCH_ACCEPT = 1,   /* token arg */
  ASSAY_MATCH_ROLLBACK = 2, /* takes the last arg accepted tokens back, all or none */
  ASSAY_MATCH_FILL = 3,     /* the step's mask row */
  ASSAY_MATCH_RUN = 4,      /* accepts the tokens of its entries up to the first refused one */
  ASSAY_MATCH_WINDOW = 5,   /* the step's mask row, and that of each entry, a draft */
  ASSAY_MATCH_ENTRY = 6     /* token arg; a draft follows entry `parent` of its window, an earlier
                               one, or the matcher (-1) */
};

/* token_matcher: row r is a matcher that starts in state start[r] of the grammar and takes the
 * steps of its script. In state q a stop id is accepted iff may_end[q], after which the matcher has
 * ended and accepts nothing; any other token t iff transitions[q, t] is a state, not -1, which it
 * then is in. Entries of `transitions` at stop ids are not read. What is refused changes nothing.
 * Where the profile says so it has ended as well in a state with may_end that no token leaves.
 * From each state one with may_end can be reached.
 * Bit j % 32 of word j / 32 of a mask row: token j is accepted; of a matcher that has ended what
 * the profile says, and of a legal draft what a matcher would that had accepted the drafts from the
 * root of its window to it. A window leaves the matcher as it was; rows of drafts that are not
 * legal are free. `result` of accept, rollback, fill, window and entry: 1 if the token was
 * accepted, the tokens taken back, the row written, the draft legal, else 0; of a run: how many
 * entries were accepted. `ended`: whether the matcher has ended, or the path of a legal draft. */
typedef struct assay_match_args {
  uint32_t size, reserved;
  const DLTensor* transitions; /* [G,V] i32, in [-1, G) */
  const DLTensor* may_end;     /* [G] u8 */
  const DLTensor* stop_ids;    /* [K] i32, in [0, V) */
  const DLTensor* start;       /* [R] i32, in [0, G) */
  const DLTensor *op, *arg;    /* [R,S] i32 */
  const DLTensor* parent;      /* [R,S] i32; not read but of drafts */
  const DLTensor* mask;        /* [R,S W] i32: W words a step, W >= V/32; written for fills, windows
                                  and drafts alone */
  const DLTensor* result;      /* [R,S] i32, written whole */
  const DLTensor* ended;       /* [R,S] u8, written whole */
} assay_match_args;

/* Null: not offered. */
typedef struct assay_operations {
  size_t size;
  int32_t (*softmax)(const assay_call*, const assay_filter_args*);
  int32_t (*top_k_renorm_probs)(const assay_call*, const assay_filter_args*);
  int32_t (*top_p_renorm_probs)(const assay_call*, const assay_filter_args*);
  int32_t (*sampling_from_probs)(const assay_call*, const assay_sample_args*);
  int32_t (*top_k_top_p_sampling_from_probs)(const assay_call*, const assay_sample_args*);
  int32_t (*apply_token_bitmask)(const assay_call*, const assay_mask_args*);
  int32_t (*min_p_renorm_probs)(const assay_call*, const assay_filter_args*);
  int32_t (*top_k_top_p_renorm_probs)(const assay_call*, const assay_filter_args*);
  int32_t (*top_k_mask_logits)(const assay_call*, const assay_filter_args*);
  int32_t (*argmax)(const assay_call*, const assay_sample_args*);
  int32_t (*top_k_sampling_from_probs)(const assay_call*, const assay_sample_args*);
  int32_t (*top_p_sampling_from_probs)(const assay_call*, const assay_sample_args*);
  int32_t (*min_p_sampling_from_probs)(const assay_call*, const assay_sample_args*);
  int32_t (*top_k_top_p_sampling_from_logits)(const assay_call*, const assay_sample_args*);
  int32_t (*sample_rows)(const assay_call*, const assay_sample_args*);
  int32_t (*sampling_from_logits)(const assay_call*, const assay_sample_args*);
  int32_t (*gather_and_expand_scalars)(const assay_call*, const assay_gather_args*);
  int32_t (*apply_logits_processors)(const assay_call*, const assay_process_args*);
  int32_t (*gather_token_logprobs)(const assay_call*, const assay_logprob_args*);
  int32_t (*top_n_logprobs)(const assay_call*, const assay_logprob_args*);
  int32_t (*verify_chain_greedy)(const assay_call*, const assay_verify_args*);
  int32_t (*verify_chain_target_sampled)(const assay_call*, const assay_verify_args*);
  int32_t (*verify_tree_greedy)(const assay_call*, const assay_verify_args*);
  int32_t (*chain_speculative_sampling_target_only)(const assay_call*, const assay_verify_args*);
  int32_t (*tree_speculative_sampling_target_only)(const assay_call*, const assay_verify_args*);
  int32_t (*chain_speculative_sampling)(const assay_call*, const assay_verify_args*);
  int32_t (*rejection_sample)(const assay_call*, const assay_verify_args*);
  int32_t (*verify_match)(const assay_call*, const assay_verify_args*);
  int32_t (*draft_sample)(const assay_call*, const assay_sample_args*);
  int32_t (*token_matcher)(const assay_call*, const assay_match_args*);
} assay_operations;

typedef struct assay_subject {
  uint32_t abi, size;
  const char *name, *version;
  const char* profile;   /* the profile that it follows, a name that Assay knows */
  const char* rng_model; /* describes its stream, e.g. "midpoint32"; null: opaque */
  const char* sources;   /* digest of the kernels' sources, or null */
  DLDevice device; /* {kDLCPU, 0} or {kDLCUDA, i}; assay_open succeeds without the device, too */
  uint32_t flags, dtypes, status_form;
  uint32_t alignment;          /* bytes that row starts must be aligned to; 0: the element's size */
  int64_t max_vocab, max_rows; /* beyond them nothing is sent; 0: no limit */
  int64_t max_top_k;           /* likewise, for 0 < top_k < V */
  const int64_t* breakpoints; /* V or R where the subject changes its path, 0-terminated, or null */
  const void* self;
  int64_t (*workspace_bytes)(int64_t rows, int64_t vocab); /* null: none */
  double log2_error; /* of a noise race: absolute error of the inner log2 beyond the rounding of
                        its result; 0: 2^-22 */
  int64_t (*advance)(const char* operation, int64_t rows, int64_t vocab); /* how far the engine
                                               moves `offset` after such a call; null: unstated. Of
                                               a verifier: that of a request of `rows` rows, drafts
                                               and root, whatever of it is accepted */
  int64_t (*addition_chain)(int64_t vocab); /* longest chain of dependent fp32 additions in a sum
                                               over a row; null: vocab / 1024 */
  assay_operations ops;
} assay_subject;

/* The one exported symbol. `name` and `profile` may be null: the library's default. Null is
 * returned when the library has no subject of that name, profile or ABI. The result and all that
 * it points to live until the process ends. */
typedef const assay_subject* (*assay_open_fn)(uint32_t abi, const char* name, const char* profile);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_SUBJECT_H_ */
