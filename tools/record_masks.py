"""Records SmolLM2-135M-Instruct (Q4_1) answering under a JSON schema, one row a step:

mask_json.u32         XGrammar's bitmask over the vocabulary: bit t % 32 of word t / 32 is 1 if
                      token t is allowed
mask_json_tokens.i32  the token then accepted: the allowed token of the largest logit
logits_json.f16       the logits at that step, fp16

All are little-endian. The last step accepts the end-of-turn token. Prints a Markdown table of the
steps. The packages of tools/record_requirements.txt, one thread and the prompt below fix every bit.
"""

import argparse
import json
from pathlib import Path

import llama_cpp
import numpy as np
import xgrammar

from record_logits import load_model, shown, to_fp16, write_array

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 16},
        "founded": {"type": "integer"},
        "climate": {"type": "string", "enum": ["arid", "temperate", "tropical", "polar"]},
        "rivers": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
    },
    "required": ["city", "founded", "climate", "rivers"],
    "additionalProperties": False,
}
PROMPT = """<|im_start|>user
Turn this into a JSON object: Lyon was founded in 43, has a temperate climate, and lies where the
rivers Rhône and Saône meet.<|im_end|>
<|im_start|>assistant
"""
STEPS_AT_MOST = 40


def make_matcher(model: llama_cpp.Llama) -> xgrammar.GrammarMatcher:
    vocab = model._model

    def text(token: int) -> str:
        control = vocab.token_get_attr(token) & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
        return "" if control else vocab.token_get_text(token)  # XGrammar never allows an empty one

    info = xgrammar.TokenizerInfo(
        [text(token) for token in range(model.n_vocab())],
        xgrammar.VocabType.BYTE_LEVEL,
        stop_token_ids=[model.token_eos()],
    )
    compiler = xgrammar.GrammarCompiler(info, max_threads=1)
    return xgrammar.GrammarMatcher(
        compiler.compile_json_schema(json.dumps(SCHEMA), any_whitespace=False)
    )


def allowed_tokens(mask: np.ndarray, vocab: int) -> np.ndarray:
    return np.unpackbits(mask.view(np.uint8), bitorder="little")[:vocab].astype(bool)


def record(model: llama_cpp.Llama) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    print("| step | allowed | accepted |")
    print("| --- | --- | --- |")
    matcher = make_matcher(model)
    masks, tokens, rows = [], [], []
    model.eval(model.tokenize(PROMPT.encode(), add_bos=False, special=True))
    while not matcher.is_terminated():
        assert len(tokens) < STEPS_AT_MOST, "the answer does not end"
        mask = np.zeros((1, (model.n_vocab() + 31) // 32), dtype=np.int32)
        matcher.fill_next_token_bitmask(mask)
        allowed = allowed_tokens(mask[0], model.n_vocab())
        logits = model.scores[model.n_tokens - 1].copy()
        token = int(np.where(allowed, logits, -np.inf).argmax())
        print(f"| {len(tokens)} | {allowed.sum()} | {shown(model, token)} |")
        assert matcher.accept_token(token)
        masks.append(mask[0].view(np.uint32))
        tokens.append(token)
        rows.append(logits)
        model.eval([token])
    answer = model.detokenize(tokens).decode()
    assert set(json.loads(answer)) == set(SCHEMA["required"])
    return np.stack(masks), np.array(tokens, dtype=np.int32), np.stack(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    out: Path = parser.parse_args().out
    masks, tokens, logits = record(load_model())
    write_array(out / "mask_json.u32", masks)
    write_array(out / "mask_json_tokens.i32", tokens)
    write_array(out / "logits_json.f16", to_fp16(logits))


if __name__ == "__main__":
    main()
