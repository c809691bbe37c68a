"""Published weights for the transformer encoder: BERT's for English, RoFormer's for Chinese.

A directory is recognised by its files. Our own tokens stay: a form that is no token of the published vocabulary, such
as an English word, starts as the mean of its pieces.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from saligned.errors import ConfigError, ModelError
from saligned.model.encoders import MAX_PLACES, Layer, TransformerEncoder
from saligned.text.tokenizers import NUMBER
from saligned.text.vocabulary import Vocabulary
from saligned.text.wordpieces import whole_words, word_pieces

ROFORMER, ROFORMER_FORMS = "roformer_unilm_small.onnx", "roformer_vocab.txt"
BERT, BERT_FORMS = "model.safetensors", "vocab.txt"
# Forms of our vocabulary that go by another name in the published ones.
NAMES = {"<pad>": "[PAD]", "<unk>": "[UNK]", NUMBER: "[MASK]"}
# BERT's sentence encoder has hardly met [MASK]: there a number starts as the mean of these.
NUMBERS = tuple(map(str, range(2, 100)))
# Words that a model knows beyond those of its training texts: 768 bytes each in a shipped model.
FAMILIAR_WORDS = 12_000


def familiar_words(directory: Path) -> list[str]:
    """The most frequent words of a published English vocabulary, so that a user's words are rarely unknown."""
    path = directory / BERT_FORMS
    return whole_words(read_forms(path), FAMILIAR_WORDS) if path.exists() else []


def load_pretrained(encoder: TransformerEncoder, vocabulary: Vocabulary, directory: Path) -> int:
    """Fill an encoder with the weights in a directory, by what it holds: BERT's or RoFormer's.

    Returns how many forms of the vocabulary got a pre-trained vector; the others keep their random start.
    """
    bert = (directory / BERT).exists()
    if bert != (encoder.places is not None):
        wanted = "absolute" if bert else "rotary"
        raise ConfigError(f'the weights in {directory} are made for positions = "{wanted}"')
    return (load_bert if bert else load_roformer)(encoder, vocabulary, directory)


def load_bert(encoder: TransformerEncoder, vocabulary: Vocabulary, directory: Path) -> int:
    """Fill an encoder from `model.safetensors` and `vocab.txt`; a word starts as the mean of its word pieces."""
    try:
        weights = load_file(directory / BERT)
        forms = read_forms(directory / BERT_FORMS)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"no pre-trained BERT in {directory}: {error}") from error
    index = {form: i for i, form in enumerate(forms)}
    table = weights["embeddings.word_embeddings.weight"]
    found = 0
    with torch.no_grad():
        for i, form in enumerate(vocabulary.forms[1:], 1):
            pieces = word_pieces(NAMES.get(form, form), index)
            if form == NUMBER:
                pieces = [number for number in NUMBERS if number in index] or pieces
            if pieces:
                encoder.embedding.weight[i] = table[[index[piece] for piece in pieces]].mean(0)
                found += 1
        encoder.start.copy_(table[index["[CLS]"]])
        encoder.segment.copy_(weights["embeddings.token_type_embeddings.weight"][0])
        assert encoder.places is not None
        encoder.places.copy_(weights["embeddings.position_embeddings.weight"][:MAX_PLACES])
        _copy_dense(encoder.norm, "embeddings.LayerNorm", weights)
        for number, layer in enumerate(encoder.layers):
            assert isinstance(layer, Layer)
            for name, part in _bert_parts(layer).items():
                _copy_dense(part, f"encoder.layer.{number}.{name}", weights)
    return found


def _bert_parts(layer: Layer) -> dict[str, nn.Linear | nn.LayerNorm]:
    return {
        "attention.self.query": layer.query,
        "attention.self.key": layer.key,
        "attention.self.value": layer.value,
        "attention.output.dense": layer.output,
        "attention.output.LayerNorm": layer.attention_norm,
        "intermediate.dense": layer.widen,
        "output.dense": layer.narrow,
        "output.LayerNorm": layer.feed_forward_norm,
    }


def _copy_dense(part: nn.Linear | nn.LayerNorm, name: str, weights: dict[str, Tensor]) -> None:
    part.weight.copy_(weights[f"{name}.weight"])
    part.bias.copy_(weights[f"{name}.bias"])


def read_forms(path: Path) -> list[str]:
    """A pre-trained vocabulary: one form a line."""
    return path.read_text(encoding="utf-8").splitlines()


def load_roformer(encoder: TransformerEncoder, vocabulary: Vocabulary, directory: Path) -> int:
    """Fill an encoder from `roformer_unilm_small.onnx` and `roformer_vocab.txt`."""
    try:
        graph = onnx.load(directory / ROFORMER).graph
        forms = read_forms(directory / ROFORMER_FORMS)
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
