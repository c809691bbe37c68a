"""Retrieval: the equation template of the most similar training problem, filled with the text's own numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from saligned.baselines.contract import Fitted, Report, gold_pairs, quantities_needed, solve_each
from saligned.baselines.templates import number_forms
from saligned.config import Config
from saligned.errors import DataError
from saligned.problem import Failure, Problem, Reading, Reason
from saligned.runtime.solution import Solution
from saligned.symbolic.actions import Program

Similarity = Literal["jaccard", "cosine"]
# Similarities of this many texts at a time: 512 × 23,000 floats are 94 MB.
CHUNK = 512
PHRASE = 3  # words
UNFIT = -2.0  # below every similarity


class Retrieval:
    """Jaccard similarity of sets of phrases, or the cosine of TF-IDF vectors of words."""

    def __init__(self, name: str, config: Config, similarity: Similarity) -> None:
        self.name, self.config, self.similarity = name, config, similarity
        self._vectorizer: Any = (
            CountVectorizer(binary=True, analyzer=_phrases)
            if similarity == "jaccard"
            else TfidfVectorizer(analyzer=_forms)
        )
        self._matrix: Any = None  # (training problems, forms), sparse
        self._programs: list[Program] = []
        self._needed = np.zeros(0, dtype=np.int64)  # quantities that each program names
        self._counts = np.zeros(0, dtype=np.int64)  # quantities that each problem has

    def fit(self, train: Sequence[Problem], valid: Sequence[Problem], directory: Path, report: Report) -> Fitted:
        """Index the problems. Nothing is selected, so the validation problems are as good as any."""
        self.index([*train, *valid])
        return Fitted()

    def index(self, problems: Sequence[Problem]) -> None:
        """Remember the problems with their programs."""
        pairs = gold_pairs(problems, self.config)
        if not pairs:
            raise DataError("none of the training problems has an equation over the numbers of its text")
        self._programs = [program for _, _, program in pairs]
        self._needed = np.array([quantities_needed(program, self.config.layout) for program in self._programs])
        readings = [reading for _, reading, _ in pairs]
        self._counts = np.array([len(reading.quantities) for reading in readings])
        self._matrix = self._vectorizer.fit_transform(readings)

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """The template of the nearest problem, or why it does not fit."""
        return solve_each(self.name, self.config, problems, lambda readings: self.write(readings)[0])

    def write(self, readings: Sequence[Reading]) -> tuple[list[Program | Failure], NDArray[np.float64]]:
        """The nearest problem's program for each text, and how similar that problem is."""
        nearest, similarity = self.nearest(readings)
        fewest = int(self._needed.min())
        programs: list[Program | Failure] = []
        for place, near, reading in zip(nearest, similarity, readings, strict=True):
            if near > UNFIT:
                programs.append(self._programs[place])
            else:
                detail = f"every template needs {fewest} quantities or more, the text has {len(reading.quantities)}"
                programs.append(Failure(Reason.NOT_EXPRESSIBLE, detail))
        return programs, similarity

    def nearest(self, readings: Sequence[Reading]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The most similar problem whose template fits (the first of equals) and its similarity.

        A problem with another number of quantities comes after all that have as many: its similarity is one lower.
        Looking only at templates that fit is worth 3 points of validation accuracy, the number of quantities 2 more.
        """
        places, values = [], []
        for start in range(0, len(readings), CHUNK):
            chunk = readings[start : start + CHUNK]
            counts = np.array([len(reading.quantities) for reading in chunk])[:, None]
            similarities = self._similarities(chunk) - (self._counts != counts)
            scores = np.where(self._needed <= counts, similarities, UNFIT)
            places.append(scores.argmax(1))
            values.append(scores.max(1))
        return np.concatenate(places), np.concatenate(values)

    def _similarities(self, readings: Sequence[Reading]) -> NDArray[np.float64]:
        """(texts, training problems)."""
        vectors = self._vectorizer.transform(readings)
        products = (vectors @ self._matrix.T).toarray()
        if self.similarity == "cosine":
            return np.asarray(products, dtype=np.float64)  # TF-IDF vectors have length 1
        # Phrases that no training problem has belong to the union, too.
        sizes = np.array([len(set(_phrases(reading))) for reading in readings])[:, None]
        union = sizes + np.asarray(self._matrix.sum(1)).reshape(1, -1) - products
        return np.asarray(products / np.maximum(union, 1), dtype=np.float64)


def _forms(reading: Reading) -> list[str]:
    """The words, with n_1, n_2, … for the numbers."""
    return [token.form for token in number_forms(reading).tokens]


def _phrases(reading: Reading) -> list[str]:
    """All phrases of up to three words: 44.6 % of the validation problems instead of 36.4 % by single words."""
    forms = _forms(reading)
    return [" ".join(forms[i : i + n]) for n in range(1, PHRASE + 1) for i in range(len(forms) - n + 1)]
