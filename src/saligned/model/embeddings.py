"""fastText vectors for the encoder's embedding: from a file, or trained on the training texts."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saligned.config import Config
from saligned.errors import ConfigError, ModelError
from saligned.problem import Reading
from saligned.text.vocabulary import Vocabulary

TRAIN = "train"


def word_vectors(config: Config, vocabulary: Vocabulary, readings: Sequence[Reading]) -> NDArray[np.float32]:
    """A matrix (words, embedding); what fastText does not know starts at random, padding at zero."""
    random = np.random.default_rng(config.seed)
    matrix = random.normal(0, 0.1, (len(vocabulary), config.embedding)).astype(np.float32)
    matrix[0] = 0
    if config.vectors == TRAIN:
        found = _train(config, readings)
    elif config.vectors.endswith(".vec"):
        found = _read_text(Path(config.vectors))
    else:
        found = _read_binary(Path(config.vectors), vocabulary)
    for index, form in enumerate(vocabulary.forms):
        if form in found:
            if len(found[form]) != config.embedding:
                raise ConfigError(f"vectors have {len(found[form])} dimensions, `embedding` is {config.embedding}")
            matrix[index] = found[form]
    return matrix


def _train(config: Config, readings: Sequence[Reading]) -> dict[str, NDArray[np.float32]]:
    """Skip-gram on the training texts; one thread, so that the same texts give the same vectors."""
    import fasttext

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        lines = (" ".join(token.form for token in reading.tokens) for reading in readings)
        corpus.write_text("\n".join(lines), encoding="utf-8")
        model = fasttext.train_unsupervised(
            str(corpus),
            model="skipgram",
            dim=config.embedding,
            minCount=config.min_count,
            thread=1,
            epoch=10,
            verbose=0,
        )
    words, vectors = model.get_words(), model.get_input_matrix()
    return {word: vectors[model.get_word_id(word)] for word in words}


def _read_text(path: Path) -> dict[str, NDArray[np.float32]]:
    """The `.vec` format: a header `count dimensions`, then a word and its numbers a line."""
    vectors = {}
    try:
        with path.open(encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                word, *numbers = line.rstrip().split(" ")
                vectors[word] = np.array(numbers, dtype=np.float32)
    except (OSError, ValueError, StopIteration) as error:
        raise ModelError(f"{path} is no fastText .vec file: {error}") from error
    return vectors


def _read_binary(path: Path, vocabulary: Vocabulary) -> dict[str, NDArray[np.float32]]:
    """The `.bin` format; subwords give a vector to every word."""
    import fasttext

    try:
        model = fasttext.load_model(str(path))
    except ValueError as error:
        raise ModelError(f"{path} is no fastText .bin file: {error}") from error
    return {form: model.get_word_vector(form) for form in vocabulary.forms[2:]}
