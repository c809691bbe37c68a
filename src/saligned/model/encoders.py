"""An encoder beyond the paper: a pre-trained transformer in place of the BLSTM.

The architecture is RoFormer's (rotary positions on queries and keys, post-norm), so that its published weights fit.
"""

import math
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.config import Config
from saligned.errors import ModelError
from saligned.text.tokenizers import NUMBER
from saligned.text.vocabulary import Vocabulary

WIDTH, LAYERS, HEADS, FEED_FORWARD = 384, 6, 6, 1536
NORM_EPSILON = 1e-12
# Characters of our vocabulary that go by another name in RoFormer's.
NAMES = {"<pad>": "[PAD]", "<unk>": "[UNK]", NUMBER: "[MASK]"}


class Layer(nn.Module):
    """Self-attention and a feed-forward net, each followed by its residual and norm."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attention_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.widen, self.narrow = nn.Linear(WIDTH, FEED_FORWARD), nn.Linear(FEED_FORWARD, WIDTH)
        self.feed_forward_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, angles: Tensor) -> Tensor:
        """x (B, T, W), mask (B, 1, 1, T) added to the scores, angles (T, W / heads / 2)."""
        q, k, v = (_heads(project(x)) for project in (self.query, self.key, self.value))  # (B, A, T, W/A)
        scores = rotate(q, angles) @ rotate(k, angles).transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        attended = (scores + mask).softmax(-1) @ v  # (B, A, T, W/A)
        merged = attended.transpose(1, 2).flatten(2)  # (B, T, W)
        x = self.attention_norm(x + self.dropout(self.output(merged)))
        out: Tensor = self.feed_forward_norm(x + self.dropout(self.narrow(F.gelu(self.widen(x)))))
        return out


class TransformerEncoder(nn.Module):
    """Token states, and the state of a leading [CLS] for the decoder to start from."""

    size = WIDTH

    def __init__(self, words: int, config: Config) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, WIDTH, padding_idx=0)
        self.start = nn.Parameter(torch.randn(WIDTH) * 0.02)  # [CLS]
        self.segment = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.layers = nn.ModuleList(Layer(config.dropout) for _ in range(LAYERS))

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, W) → token states (B, T, W) and the start's state (B, W)."""
        start = self.start.expand(embedded.shape[0], 1, WIDTH)
        x = self.norm(torch.cat([start, embedded], 1) + self.segment)  # (B, 1 + T, W)
        steps = torch.arange(x.shape[1])
        mask = torch.where(steps.unsqueeze(0) <= lengths.unsqueeze(1), 0.0, -1e9)[:, None, None]
        frequencies = torch.exp(torch.arange(0, WIDTH // HEADS, 2) * (-math.log(10_000.0) / (WIDTH // HEADS)))
        angles = steps.unsqueeze(1) * frequencies.unsqueeze(0)  # (1 + T, W / heads / 2)
        for layer in self.layers:
            x = layer(x, mask, angles)
        return x[:, 1:], x[:, 0]


def rotate(x: Tensor, angles: Tensor) -> Tensor:
    """Rotary positions: each pair of neighbours is turned by its angle; (B, A, T, W/A)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([even * cos - odd * sin, odd * cos + even * sin], -1).flatten(-2)


def _heads(x: Tensor) -> Tensor:
    return x.reshape(*x.shape[:-1], HEADS, WIDTH // HEADS).transpose(1, 2)


def load_roformer(encoder: TransformerEncoder, vocabulary: Vocabulary, directory: Path) -> int:
    """Fill an encoder with the weights in a directory of `roformer_unilm_small.onnx` and `roformer_vocab.txt`.

    Returns how many forms of the vocabulary got a pre-trained vector; the others keep their random start.
    """
    try:
        graph = onnx.load(directory / "roformer_unilm_small.onnx").graph
        forms = (directory / "roformer_vocab.txt").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ModelError(f"no pre-trained RoFormer in {directory}: {error}") from error
    weights = {tensor.name: torch.from_numpy(np.array(numpy_helper.to_array(tensor))) for tensor in graph.initializer}
    index = {form: i for i, form in enumerate(forms)}
    table = weights["Embedding-Token/embeddings:0"]
    found = 0
    with torch.no_grad():
        for i, form in enumerate(vocabulary.forms[1:], 1):
            row = index.get(NAMES.get(form, form))
            if row is not None:
                encoder.embedding.weight[i] = table[row]
                found += 1
        encoder.start.copy_(table[index["[CLS]"]])
        encoder.segment.copy_(weights["Embedding-Segment/embeddings:0"][0])
        _copy_norm(encoder.norm, "Embedding-Norm", weights)
        for number, layer in enumerate(encoder.layers):
            assert isinstance(layer, Layer)
            _copy_layer(layer, number, weights)
    return found


def _copy_layer(layer: Layer, number: int, weights: dict[str, Tensor]) -> None:
    """Dense layers are numbered through the whole model: query, key, value, output, feed-forward in and out."""
    attention = f"Transformer-{number}-MultiHeadSelfAttention"
    feed_forward = f"Transformer-{number}-FeedForward"
    parts = (layer.query, layer.key, layer.value, layer.output, layer.widen, layer.narrow)
    for place, linear in enumerate(parts):
        block = attention if place < 4 else feed_forward
        dense = f"dense_{6 * number + place}" if number or place else "dense"
        linear.weight.copy_(weights[f"{block}/{dense}/Tensordot/Reshape_1:0"].T)
        linear.bias.copy_(weights[f"{block}/{dense}/BiasAdd/ReadVariableOp:0"])
    _copy_norm(layer.attention_norm, f"{attention}-Norm", weights)
    _copy_norm(layer.feed_forward_norm, f"{feed_forward}-Norm", weights)


def _copy_norm(norm: nn.LayerNorm, name: str, weights: dict[str, Tensor]) -> None:
    norm.weight.copy_(weights[f"{name}/mul/ReadVariableOp:0"])
    norm.bias.copy_(weights[f"{name}/add_1/ReadVariableOp:0"])
