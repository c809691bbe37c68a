"""One frozen, typed configuration: what a model is, and how it was trained. It is saved beside the weights."""

import dataclasses
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_type_hints

from saligned.errors import ConfigError
from saligned.symbolic.actions import OperandLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The defaults are the paper's (§ Hyperparameter Setup)."""

    # Text
    tokenizer: Literal["char", "word", "segmented", "english"] = "char"
    min_count: int = 2
    vectors: str = ""  # a fastText .vec or .bin file; "train" trains skip-gram fastText on the training texts

    # Operands
    constants: tuple[str, ...] = ("1", "3.14")
    max_unknowns: int = 1

    # Encoder: the paper's BLSTM, or a transformer that starts from the pre-trained weights in a directory
    encoder: Literal["blstm", "transformer"] = "blstm"
    pretrained: str = ""
    positions: Literal["rotary", "absolute"] = "rotary"  # RoFormer's, or BERT's
    use_traits: bool = False  # tell the encoder the kind and size of each number

    # Network
    embedding: int = 128
    hidden: int = 256
    dropout: float = 0.1
    gate: Literal["sigmoid", "affine"] = "sigmoid"

    # Ablations (§ Ablation Test) and the variant of § Constant Embedding Analysis
    use_gate: bool = True
    use_attention: bool = True
    use_stack: bool = True
    use_semantic_transformer: bool = True
    operand_vectors: Literal["position", "self-attention", "placeholder"] = "position"

    # Training
    start: str = ""  # a shipped model or the directory of an earlier training: begin with its weights
    swap: float = 0.0  # how often the operands of a + or × trade places, anew each epoch
    epochs: int = 30
    batch_size: int = 32
    learning_rate: float = 1e-3
    encoder_learning_rate: float = 0.0  # 0: the same as learning_rate
    warmup: float = 0.0  # epochs in which the learning rate rises from 0
    weight_decay: float = 0.0
    schedule: Literal["cosine", "constant"] = "cosine"
    clip: float = 5.0
    precision: Literal["float32", "bfloat16"] = "float32"  # of the transformer's products while it trains
    seed: int = 1

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            choices = get_args(kind) if getattr(kind, "__origin__", None) is Literal else None
            if choices and value not in choices:
                raise ConfigError(f"{name} is {value!r}; choose one of {', '.join(map(str, choices))}")
        for name in ("max_unknowns", "embedding", "hidden", "epochs", "batch_size", "min_count"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")

    @property
    def layout(self) -> OperandLayout:
        """The order of a problem's operands."""
        return OperandLayout(tuple(Fraction(constant) for constant in self.constants), self.max_unknowns)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """A configuration from plain JSON values; unknown keys are rejected."""
        known = {field.name for field in dataclasses.fields(cls)}
        if unknown := sorted(set(fields) - known):
            raise ConfigError(f"unknown fields: {', '.join(unknown)}; known are {', '.join(sorted(known))}")
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
        return cls(**values)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a JSON file."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path} is no readable JSON configuration: {error}") from error
        if not isinstance(fields, dict):
            raise ConfigError(f"{path} must hold one JSON object")
        return cls.from_dict(fields)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dataclasses.asdict(self)
