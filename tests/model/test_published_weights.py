"""The transformer encoder against PyTorch's own, with invented weights in the published files."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from saligned.config import Config
from saligned.errors import ConfigError, ModelError
from saligned.model.encoders import MAX_PLACES, WIDTH, TransformerEncoder
from saligned.model.published_weights import BERT, BERT_FORMS, familiar_words, load_bert, load_pretrained
from saligned.text.tokenizers import NUMBER
from saligned.text.vocabulary import UNKNOWN, Vocabulary

FORMS = ("[PAD]", "[UNK]", "[CLS]", "[MASK]", "the", "bag", "##els", "has", "'", "s", "café", "3", "40")
VOCABULARY = Vocabulary.build([["the", "bag", "bagels", "the's", "Ω"]])
CONFIG = Config(encoder="transformer", positions="absolute")
SIZES = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "attention.output.LayerNorm": (WIDTH,),
    "intermediate.dense": (1536, WIDTH),
    "output.dense": (WIDTH, 1536),
    "output.LayerNorm": (WIDTH,),
}


def invented_weights() -> dict[str, Tensor]:
    torch.manual_seed(3)
    weights = {
        "embeddings.word_embeddings.weight": torch.randn(len(FORMS), WIDTH),
        "embeddings.position_embeddings.weight": torch.randn(512, WIDTH),
        "embeddings.token_type_embeddings.weight": torch.randn(2, WIDTH),
        "embeddings.LayerNorm.weight": torch.rand(WIDTH) + 0.5,
        "embeddings.LayerNorm.bias": torch.randn(WIDTH),
    }
    for layer in range(6):
        for name, size in SIZES.items():
            scale = WIDTH**-0.5 if len(size) > 1 else 1.0
            weights[f"encoder.layer.{layer}.{name}.weight"] = torch.randn(size) * scale
            weights[f"encoder.layer.{layer}.{name}.bias"] = torch.randn(size[0]) * 0.1
    return weights


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    save_file(invented_weights(), path / BERT)
    (path / BERT_FORMS).write_text("\n".join(FORMS) + "\n", encoding="utf-8")
    return path


def make_encoder(directory: Path) -> TransformerEncoder:
    encoder = TransformerEncoder(len(VOCABULARY), CONFIG).eval()
    load_bert(encoder, VOCABULARY, directory)
    return encoder


def torch_bert(weights: dict[str, Tensor]) -> nn.TransformerEncoder:
    """The same layers as PyTorch has them."""
    layer = nn.TransformerEncoderLayer(WIDTH, 12, 1536, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True)
    bert = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
    state = {}
    for number in range(6):
        for kind in ("weight", "bias"):
            one = {name: weights[f"encoder.layer.{number}.{name}.{kind}"] for name in SIZES}
            rows = [one[f"attention.self.{name}"] for name in ("query", "key", "value")]
            state |= {
                f"layers.{number}.self_attn.in_proj_{kind}": torch.cat(rows),
                f"layers.{number}.self_attn.out_proj.{kind}": one["attention.output.dense"],
                f"layers.{number}.norm1.{kind}": one["attention.output.LayerNorm"],
                f"layers.{number}.linear1.{kind}": one["intermediate.dense"],
                f"layers.{number}.linear2.{kind}": one["output.dense"],
                f"layers.{number}.norm2.{kind}": one["output.LayerNorm"],
            }
    bert.load_state_dict(state)
    return bert


def test_the_states_are_those_of_pytorchs_own_transformer(directory: Path) -> None:
    weights, encoder = invented_weights(), make_encoder(directory)
    embedded = torch.randn(3, 5, WIDTH)
    lengths = torch.tensor([5, 2, 4])
    start = weights["embeddings.word_embeddings.weight"][FORMS.index("[CLS]")]
    x = torch.cat([start.expand(3, 1, WIDTH), embedded], 1)
    x = x + weights["embeddings.token_type_embeddings.weight"][0] + weights["embeddings.position_embeddings.weight"][:6]
    norm = nn.LayerNorm(WIDTH, eps=1e-12)
    norm.load_state_dict({kind: weights[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias")})
    hidden = torch.arange(6) > lengths.unsqueeze(1)
    with torch.no_grad():
        expected = torch_bert(weights)(norm(x), src_key_padding_mask=hidden)
        states, ends = encoder(embedded, lengths)
    for row, length in enumerate(lengths.tolist()):
        assert torch.allclose(ends[row], expected[row, 0], atol=1e-4)
        assert torch.allclose(states[row, :length], expected[row, 1 : length + 1], atol=1e-4)


def test_a_word_starts_as_the_mean_of_its_pieces(directory: Path) -> None:
    table = invented_weights()["embeddings.word_embeddings.weight"]
    encoder = TransformerEncoder(len(VOCABULARY), CONFIG)
    before = encoder.embedding.weight[VOCABULARY.index("Ω")].clone()
    assert load_bert(encoder, VOCABULARY, directory) == len(VOCABULARY) - 2  # all but the padding and Ω
    vectors = {form: encoder.embedding.weight[VOCABULARY.index(form)] for form in VOCABULARY.forms}
    assert torch.equal(vectors["the"], table[FORMS.index("the")])
    assert torch.allclose(vectors["bagels"], (table[FORMS.index("bag")] + table[FORMS.index("##els")]) / 2)
    assert torch.allclose(vectors["the's"], (table[4] + table[FORMS.index("'")] + table[FORMS.index("s")]) / 3)
    assert torch.allclose(vectors[NUMBER], (table[FORMS.index("3")] + table[FORMS.index("40")]) / 2)
    assert torch.equal(encoder.embedding.weight[UNKNOWN], table[FORMS.index("[UNK]")])
    assert torch.equal(vectors["Ω"], before)
    assert not vectors["<pad>"].any()


def test_a_text_longer_than_the_table_of_places_is_read(directory: Path) -> None:
    encoder = make_encoder(directory)
    length = MAX_PLACES + 40
    with torch.no_grad():
        states, _ = encoder(torch.randn(1, length, WIDTH), torch.tensor([length]))
    assert states.shape == (1, length, WIDTH)
    assert states.isfinite().all()


def test_the_positions_must_be_those_of_the_weights(directory: Path, tmp_path: Path) -> None:
    rotary = TransformerEncoder(len(VOCABULARY), Config(encoder="transformer"))
    assert rotary.places is None
    with pytest.raises(ConfigError, match='positions = "absolute"'):
        load_pretrained(rotary, VOCABULARY, directory)
    with pytest.raises(ConfigError, match='positions = "rotary"'):
        load_pretrained(TransformerEncoder(len(VOCABULARY), CONFIG), VOCABULARY, tmp_path)
    with pytest.raises(ModelError, match="no pre-trained RoFormer"):
        load_pretrained(rotary, VOCABULARY, tmp_path)


def test_damaged_weights_are_named(tmp_path: Path) -> None:
    (tmp_path / BERT).write_bytes(b"damaged")
    (tmp_path / BERT_FORMS).write_text("the\n", encoding="utf-8")
    with pytest.raises(ModelError, match="no pre-trained BERT"):
        load_bert(TransformerEncoder(len(VOCABULARY), CONFIG), VOCABULARY, tmp_path)


def test_familiar_words_come_after_those_of_the_texts(directory: Path, tmp_path: Path) -> None:
    assert familiar_words(directory) == ["the", "bag", "has"]
    assert familiar_words(tmp_path) == []
    assert Vocabulary.build([["bag", "wok"]], extra=familiar_words(directory)).forms[3:] == ("bag", "wok", "the", "has")
