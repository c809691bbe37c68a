"""The forms that a model knows, each with its index."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from saligned.errors import ModelError
from saligned.problem import Reading
from saligned.text.tokenizers import NUMBER

__all__ = ["PAD", "SPECIALS", "UNKNOWN", "Vocabulary"]

PAD, UNKNOWN = 0, 1
SPECIALS = ("<pad>", "<unk>", NUMBER)  # indices 0, 1, 2


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Forms in the order of their indices; the first three are the specials.

    >>> vocabulary = Vocabulary.build([["有", NUMBER, "人"], ["有"]], min_count=2)
    >>> vocabulary.forms, vocabulary.index("有"), vocabulary.index("人") == UNKNOWN
    (('<pad>', '<unk>', '<num>', '有'), 3, True)
    """

    forms: tuple[str, ...]
    _indices: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.forms[: len(SPECIALS)] != SPECIALS:
            raise ModelError(f"a vocabulary begins with {', '.join(SPECIALS)}")
        indices = {form: index for index, form in enumerate(self.forms)}
        if len(indices) != len(self.forms):
            raise ModelError("a form stands twice in the vocabulary")
        if any(not form or "\n" in form or "\r" in form for form in self.forms):
            raise ModelError("a form of the vocabulary is empty or has a line break")
        object.__setattr__(self, "_indices", indices)

    @classmethod
    def build(cls, token_lists: Iterable[Iterable[str]], *, min_count: int = 1, extra: Iterable[str] = ()) -> Self:
        """The forms that occur at least `min_count` times, the most frequent first; then the extra ones."""
        counts = Counter(form for forms in token_lists for form in forms)
        for special in SPECIALS:
            counts.pop(special, None)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        kept = (form for form, count in ranked if count >= min_count)
        return cls(tuple(dict.fromkeys((*SPECIALS, *kept, *extra))))

    def __len__(self) -> int:
        return len(self.forms)

    def __contains__(self, form: str) -> bool:
        return form in self._indices

    def index(self, form: str) -> int:
        """The index of a form, UNKNOWN for others."""
        return self._indices.get(form, UNKNOWN)

    def encode(self, reading: Reading) -> list[int]:
        """The indices of a reading's tokens."""
        indices = self._indices
        return [indices.get(token.form, UNKNOWN) for token in reading.tokens]

    def save(self, path: Path) -> None:
        """Write one form a line."""
        path.write_bytes("".join(f"{form}\n" for form in self.forms).encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; ModelError when the file is missing or damaged."""
        try:
            text = path.read_bytes().decode()
        except OSError as error:
            raise ModelError(f"the vocabulary {path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ModelError(f"the vocabulary {path} is damaged: no UTF-8 at byte {error.start}") from error
        if not text.endswith("\n"):
            raise ModelError(f"the vocabulary {path} is damaged: its last line is cut off")
        try:
            return cls(tuple(text[:-1].split("\n")))  # not splitlines, which also breaks at U+2028
        except ModelError as error:
            raise ModelError(f"the vocabulary {path} is damaged: {error}") from error
