"""An encoder beyond the paper: a pre-trained transformer in place of the BLSTM.

The architecture is BERT's (post-norm), so that published weights fit. Two families differ in how a token knows its
place: RoFormer (Chinese here) turns queries and keys by an angle, BERT (English here) adds a learned vector.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.config import Config

WIDTH, LAYERS, FEED_FORWARD = 384, 6, 1536
HEADS = {"rotary": 6, "absolute": 12}
NORM_EPSILON = 1e-12
# Learned places; the tokens of a longer text share the last one. The longest English training text has 123 words.
MAX_PLACES = 256


class Product(nn.Linear):
    """A linear layer that may multiply in bfloat16 while it trains; solving is always in full precision.

    On a processor with bfloat16 instructions a training step takes three quarters of the time.
    """

    def __init__(self, inputs: int, outputs: int, precision: str) -> None:
        super().__init__(inputs, outputs)
        self.short = precision == "bfloat16"

    def forward(self, x: Tensor) -> Tensor:
        """(…, inputs) → (…, outputs), in float32 both."""
        if not (self.short and self.training):
            return super().forward(x)
        return F.linear(x.bfloat16(), self.weight.bfloat16(), self.bias.bfloat16()).float()


class Layer(nn.Module):
    """Self-attention and a feed-forward net, each followed by its residual and norm."""

    def __init__(self, heads: int, dropout: float, precision: str) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (Product(WIDTH, WIDTH, precision) for _ in range(4))
        self.attention_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.widen = Product(WIDTH, FEED_FORWARD, precision)
        self.narrow = Product(FEED_FORWARD, WIDTH, precision)
        self.feed_forward_norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor, angles: Tensor | None) -> Tensor:
        """x (B, T, W), mask (B, 1, 1, T) added to the scores, rotary angles (T, W / heads / 2)."""
        q, k, v = (self.split(project(x)) for project in (self.query, self.key, self.value))  # (B, A, T, W/A)
        if angles is not None:
            q, k = rotate(q, angles), rotate(k, angles)
        attended = F.scaled_dot_product_attention(q, k, v, mask)  # (B, A, T, W/A)
        merged = attended.transpose(1, 2).flatten(2)  # (B, T, W)
        x = self.attention_norm(x + self.drop(self.output(merged)))
        out: Tensor = self.feed_forward_norm(x + self.drop(self.narrow(F.gelu(self.widen(x)))))
        return out

    def drop(self, x: Tensor) -> Tensor:
        """Dropout of single entries in steps of 1/256, eight of them decided by one random number.

        `nn.Dropout` draws a number an entry, on one core: an eighth of the training time.
        """
        if not self.training or self.dropout == 0:
            return x
        numbers = torch.empty(-(-x.numel() // 8), dtype=torch.int64).random_(-(2**63), None)
        dropped = round(self.dropout * 256)
        keep = numbers.view(torch.uint8)[: x.numel()].view(x.shape) >= dropped
        return x * (keep * (256 / (256 - dropped)))

    def split(self, x: Tensor) -> Tensor:
        """(B, T, W) → (B, A, T, W/A)."""
        return x.reshape(*x.shape[:-1], self.heads, WIDTH // self.heads).transpose(1, 2)


class TransformerEncoder(nn.Module):
    """Token states, and the state of a leading [CLS] for the decoder to start from."""

    size = WIDTH

    def __init__(self, words: int, config: Config) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, WIDTH, padding_idx=0)
        self.start = nn.Parameter(torch.randn(WIDTH) * 0.02)  # [CLS]
        self.segment = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=NORM_EPSILON)
        self.heads = HEADS[config.positions]
        self.layers = nn.ModuleList(Layer(self.heads, config.dropout, config.precision) for _ in range(LAYERS))
        absolute = config.positions == "absolute"
        self.places = nn.Parameter(torch.randn(MAX_PLACES, WIDTH) * 0.02) if absolute else None

    def forward(self, embedded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, W) → token states (B, T, W) and the start's state (B, W)."""
        steps = torch.arange(embedded.shape[1] + 1)
        mask = torch.where(steps.unsqueeze(0) <= lengths.unsqueeze(1), 0.0, -1e9)[:, None, None]
        x = torch.cat([self.start.expand(embedded.shape[0], 1, WIDTH), embedded], 1) + self.segment  # (B, 1 + T, W)
        angles = None
        if self.places is None:
            angles = rotary_angles(steps, WIDTH // self.heads)
        else:
            x = x + self.places[steps.clamp(max=MAX_PLACES - 1)]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask, angles)
        return x[:, 1:], x[:, 0]


def rotary_angles(steps: Tensor, size: int) -> Tensor:
    """By how much the pairs of a vector of this size are turned at each step, (T, size / 2)."""
    frequencies = torch.exp(torch.arange(0, size, 2) * (-math.log(10_000.0) / size))
    return steps.unsqueeze(1) * frequencies.unsqueeze(0)


def rotate(x: Tensor, angles: Tensor) -> Tensor:
    """Rotary positions: each pair of neighbours is turned by its angle; (B, A, T, W/A)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([even * cos - odd * sin, odd * cos + even * sin], -1).flatten(-2)
