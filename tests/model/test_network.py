"""The vectorised network against the step-by-step oracle, alone against in a batch, what ablations drop."""

import pytest
import torch
from torch import Tensor

from saligned.config import Config
from saligned.data.batches import collate, make_example
from saligned.model.encoders import Layer
from saligned.model.network import INPUTS, MAX_PLACEHOLDERS, Encoding, Network, WeighedSigmoids, drop, weigh_sigmoids
from saligned.model.training import to_tensors
from saligned.problem import Reading
from saligned.symbolic.actions import Kind, Program
from saligned.text.vocabulary import Vocabulary
from tests.model.oracle import oracle_loss, problem_loss
from tests.model.variants import VARIANTS, gold, make_network, variant, vocabulary_of

Pairs = list[tuple[Reading, Program]]


def setup(name: str, **fields: object) -> tuple[Network, Pairs, Vocabulary]:
    config = variant(name, **fields)
    pairs = gold(config)
    vocabulary = vocabulary_of(pairs)
    return make_network(config, vocabulary), pairs, vocabulary


def vectorised_loss(network: Network, pairs: Pairs, vocabulary: Vocabulary) -> Tensor:
    layout = network.config.layout
    examples = [make_example(reading, program, layout, vocabulary) for reading, program in pairs]
    return network(*to_tensors(collate(examples, layout)))


def encode(network: Network, pairs: Pairs, vocabulary: Vocabulary) -> Encoding:
    layout = network.config.layout
    examples = [make_example(reading, program, layout, vocabulary) for reading, program in pairs]
    arrays, _ = to_tensors(collate(examples, layout))
    return network.encode(**{name: arrays[name] for name in INPUTS})


@pytest.mark.parametrize("name", VARIANTS)
def test_the_vectorised_loss_is_the_loss_of_the_step_by_step_loop(name: str) -> None:
    network, pairs, vocabulary = setup(name)
    with torch.no_grad():
        expected = oracle_loss(network, pairs, vocabulary)
        assert vectorised_loss(network, pairs, vocabulary) == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("name", ["base", "two unknowns", "- semantic transformer"])
def test_the_gradients_are_those_of_the_loop(name: str) -> None:
    network, pairs, vocabulary = setup(name)
    parameters = dict(network.named_parameters())
    pairs = pairs[-8:]
    loops = torch.autograd.grad(oracle_loss(network, pairs, vocabulary), list(parameters.values()), allow_unused=True)
    ours = torch.autograd.grad(
        vectorised_loss(network, pairs, vocabulary), list(parameters.values()), allow_unused=True
    )
    for parameter, expected, found in zip(parameters, loops, ours, strict=True):
        if expected is None:
            assert found is None or not found.any(), parameter
        else:
            assert found is not None, parameter
            torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-3, msg=parameter)


def test_products_in_bfloat16_train_alike_and_solve_the_same() -> None:
    short, pairs, vocabulary = setup("bfloat16", dropout=0.0)
    full, _, _ = setup("bfloat16", dropout=0.0, precision="float32")
    full.load_state_dict(short.state_dict())
    with torch.no_grad():
        assert vectorised_loss(short, pairs, vocabulary) == vectorised_loss(full, pairs, vocabulary)
    losses = [vectorised_loss(network.train(), pairs, vocabulary) for network in (short, full)]
    assert losses[0] != losses[1]
    torch.testing.assert_close(losses[0], losses[1], atol=0, rtol=1e-2)
    for loss in losses:
        loss.backward()
    gradients = [
        torch.cat([p.grad.flatten() for p in network.encoder.layers.parameters()]) for network in (short, full)
    ]
    assert torch.cosine_similarity(*gradients, dim=0) > 0.99


@pytest.mark.parametrize("name", VARIANTS)
def test_every_parameter_gets_a_gradient(name: str) -> None:
    network, pairs, vocabulary = setup(name)
    vectorised_loss(network.train(), pairs, vocabulary).backward()
    without = [
        parameter for parameter, tensor in network.named_parameters() if tensor.grad is None or not tensor.grad.any()
    ]
    assert without == []


@pytest.mark.parametrize("name", VARIANTS)
def test_a_problem_alone_is_the_problem_in_a_batch(name: str) -> None:
    network, pairs, vocabulary = setup(name)
    with torch.no_grad():
        together = encode(network, pairs, vocabulary)
        for row in (0, 7, len(pairs) - 1):
            alone = encode(network, [pairs[row]], vocabulary)
            for field in Encoding._fields:
                one, padded = getattr(alone, field)[0], getattr(together, field)[row]
                window = padded[tuple(slice(size) for size in one.shape)]
                torch.testing.assert_close(window, one, atol=1e-5, rtol=1e-4, msg=field)
                if field.endswith("mask"):
                    assert padded.sum() == one.sum()
                if field == "unknown_attention":
                    assert not padded[:, one.shape[1] :].any()


def test_the_loss_of_a_batch_is_the_mean_of_its_problems() -> None:
    network, pairs, vocabulary = setup("two unknowns")
    with torch.no_grad():
        losses = [vectorised_loss(network, [pair], vocabulary) for pair in pairs]
        together = vectorised_loss(network, pairs, vocabulary)
    assert float(together) == pytest.approx(float(torch.stack(losses).mean()), abs=1e-4)


def test_a_program_without_operators_has_a_loss() -> None:
    """No levels at all: `x = 12`."""
    network, pairs, vocabulary = setup("base")
    reading, program = pairs[0]
    short = tuple(action for action in program if action.kind is not Kind.ADD)[:3] + program[-1:]
    with torch.no_grad():
        found = vectorised_loss(network, [(reading, short)], vocabulary)
        assert float(found) == pytest.approx(float(problem_loss(network, reading, short, vocabulary)), abs=1e-4)


def select(network: Network, top: Tensor, second: Tensor, pairs: Pairs, vocabulary: Vocabulary) -> list[Tensor]:
    encoding = encode(network, pairs, vocabulary)
    h = torch.linspace(-1, 1, network.config.hidden).expand(len(pairs), 1, -1)
    with torch.no_grad():
        q, attention = network.attend(h, encoding)
        chosen = network.select(h, top, second, q, keys=encoding.operand_keys, mask=encoding.operand_mask)
    return [chosen.actions, chosen.operands, attention, chosen.gates]


def stacks(config: Config, count: int) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(3)
    return tuple(torch.randn(count, 1, 2 * config.hidden) for _ in range(3))  # type: ignore[return-value]


def test_the_base_network_looks_at_the_stack_and_the_order_of_its_top_two() -> None:
    network, pairs, vocabulary = setup("base")
    a, b, _ = stacks(network.config, len(pairs))
    actions, operands, attention, gates = select(network, a, b, pairs, vocabulary)
    swapped = select(network, b, a, pairs, vocabulary)
    assert not torch.allclose(actions, swapped[0])
    assert not torch.allclose(operands, swapped[1])
    torch.testing.assert_close(attention.sum(-1), torch.ones(len(pairs), 1))
    assert ((gates > 0) & (gates < 1)).all()
    assert gates.std() > 0


def test_an_affine_gate_has_no_bounds() -> None:
    network, pairs, vocabulary = setup("affine gate")
    a, b, _ = stacks(network.config, len(pairs))
    gates = select(network, a, b, pairs, vocabulary)[3]
    assert (gates < 0).any()


def test_without_gates_all_features_pass() -> None:
    network, pairs, vocabulary = setup("- gate")
    a, b, _ = stacks(network.config, len(pairs))
    assert (select(network, a, b, pairs, vocabulary)[3] == 1).all()
    assert not [name for name, _ in network.named_parameters() if "gate" in name]


def test_without_attention_the_words_do_not_reach_the_selectors() -> None:
    network, pairs, vocabulary = setup("- gate - attention")
    a, b, _ = stacks(network.config, len(pairs))
    assert not select(network, a, b, pairs, vocabulary)[2].any()
    assert not [name for name, _ in network.named_parameters() if name.startswith("attention")]
    actions = select(network, a[:1].expand_as(a), b[:1].expand_as(b), pairs, vocabulary)[0]
    torch.testing.assert_close(actions, actions[:1].expand_as(actions), msg="the same for all problems")


def test_without_the_stack_the_top_two_do_not_matter() -> None:
    network, pairs, vocabulary = setup("- gate - attention - stack")
    a, b, c = stacks(network.config, len(pairs))
    for one, other in zip(
        select(network, a, b, pairs, vocabulary), select(network, b, c, pairs, vocabulary), strict=True
    ):
        assert torch.equal(one, other)


def test_a_semantic_transformer_depends_on_its_operands_only_when_there_is_one() -> None:
    base, *_ = setup("base")
    without, *_ = setup("- semantic transformer")
    a, b, c = stacks(base.config, 2)
    for f in base.transformers:
        assert not torch.allclose(f(a, b), f(a, c))
        assert not torch.allclose(f(a, b), f(b, a))
    for f in without.transformers:
        assert torch.equal(f(a, b), f(b, c))
    operators = [f(a, b)[0, 0] for f in without.transformers]
    assert len({tuple(vector.tolist()) for vector in operators}) == 4, "a vector for each operator"


def test_without_semantic_representations_the_ith_number_is_the_same_in_all_problems() -> None:
    network, pairs, vocabulary = setup("- semantic representation")
    base, *_ = setup("base")
    first = network.config.layout.quantity(0)
    operands = encode(network, pairs, vocabulary).operands[:, first]
    assert torch.equal(operands, operands[:1].expand_as(operands))
    operands = encode(base, pairs, vocabulary).operands[:, first]
    assert not torch.allclose(operands[0], operands[1])


def test_more_numbers_than_placeholders_share_the_last_one() -> None:
    network, *_ = setup("- semantic representation")
    count = MAX_PLACEHOLDERS + 5
    tokens = torch.full((1, count), 2)
    traits = torch.zeros(1, count, 4, dtype=torch.int64)
    size = torch.tensor([count])
    encoding = network.encode(tokens, size, torch.arange(count)[None], size, traits)
    assert torch.equal(encoding.operands[0, -1], encoding.operands[0, -6])


def test_self_attention_looks_at_all_words() -> None:
    network, pairs, vocabulary = setup("self-attention")
    attention = encode(network, pairs, vocabulary).operand_attention
    torch.testing.assert_close(attention.sum(-1), torch.ones(attention.shape[:2]))
    base, *_ = setup("base")
    assert not encode(base, pairs, vocabulary).operand_attention.any()


def test_a_number_is_represented_by_the_state_of_its_token() -> None:
    network, pairs, vocabulary = setup("base")
    encoding = encode(network, pairs, vocabulary)
    for row, (reading, _) in enumerate(pairs):
        for index, position in enumerate(reading.positions):
            operand = encoding.operands[row, network.config.layout.quantity(index)]
            assert torch.equal(operand, encoding.states[row, position])


def test_dropout_draws_one_mask_a_sequence_and_keeps_the_mean() -> None:
    torch.manual_seed(0)
    dropped = drop(torch.ones(200, 3, 50), 0.1, training=True)
    assert torch.equal(dropped[:, 0], dropped[:, 2])
    assert not torch.equal(dropped[0], dropped[1])
    assert float(dropped.mean()) == pytest.approx(1, abs=0.02)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.1, abs=0.02)
    assert torch.equal(drop(torch.ones(2, 3), 0.1, training=False), torch.ones(2, 3))


def test_dropout_of_single_entries_keeps_the_mean_and_follows_the_seed() -> None:
    layer = Layer(heads=6, dropout=0.1, precision="float32")
    ones = torch.ones(7, 331, 43)  # not a multiple of the eight entries that one random number decides
    masks = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        masks.append(layer.drop(ones))
    assert torch.equal(masks[0], masks[1])
    assert not torch.equal(masks[0], masks[2])
    assert float(masks[0].mean()) == pytest.approx(1, abs=0.005)
    shares = (masks[0] == 0).float().flatten()[: 8 * (ones.numel() // 8)].view(-1, 8).mean(0)
    assert shares.tolist() == pytest.approx([0.1] * 8, abs=0.02)
    assert layer.eval().drop(ones) is ones


def test_the_gradient_of_additive_attention() -> None:
    """Written by hand, it is that of the formula."""
    torch.manual_seed(1)
    u, keys, w = (torch.randn(2, *shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 5), (4, 5), (5,)))
    assert torch.equal(WeighedSigmoids.apply(u, keys, w), weigh_sigmoids(u, keys, w)[0])
    assert torch.autograd.gradcheck(WeighedSigmoids.apply, (u, keys, w))
