"""Training: it learns, it can be stopped and resumed to the same result, and it says what is wrong."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from saligned.config import Config
from saligned.data.batches import Example, collate, make_example, shuffled_batches
from saligned.errors import ConfigError, DataError, ModelError
from saligned.model.checkpoint import CONFIG, VOCABULARY, WEIGHTS, load_network
from saligned.model.embeddings import word_vectors
from saligned.model.engine import TorchEngine
from saligned.model.training import LOG, RESULT, STATE, Trainer, gold_programs, make_examples, prepare, to_tensors
from saligned.problem import Problem
from saligned.runtime.evaluation import evaluate
from saligned.runtime.solver import Solver
from saligned.symbolic.actions import Action, Kind
from saligned.text.vocabulary import Vocabulary
from tests.model.variants import TINY, variant
from tests.problems import PROBLEMS, SYSTEMS

SHORT = {"epochs": 3, "batch_size": 8, "learning_rate": 1e-2}

LEARNING: dict[str, Any] = {
    "hidden": 64,
    "embedding": 32,
    "epochs": 80,
    "dropout": 0.0,
    "learning_rate": 5e-3,
    "schedule": "constant",
}


def make_trainer(out: Path, config: Config, problems: list[Problem] = PROBLEMS) -> Trainer:
    data = prepare(problems, config)
    return Trainer(config, data, data, out)


def timeless(history: list[dict[str, float]]) -> list[dict[str, float]]:
    return [{k: v for k, v in row.items() if k not in {"seconds", "problems_per_second"}} for row in history]


class KillError(Exception):
    """Stands for a kill."""


def kill_after(phase: str, count: int) -> Any:
    seen = 0

    def report(name: str, *_: object) -> None:
        nonlocal seen
        seen += name == phase
        if seen == count:
            raise KillError

    return report


def learn(trainer: Trainer) -> None:
    """Train until all validation problems are solved; that must happen before the last epoch."""

    def report(phase: str, done: int, total: int, figures: dict[str, float]) -> None:
        if phase == "epoch" and figures["valid_accuracy"] == 1:
            raise KillError

    with pytest.raises(KillError):
        trainer.run(report)


def test_a_network_overfits_its_training_problems(tmp_path: Path) -> None:
    config = variant("base", **LEARNING, batch_size=4)
    trainer = make_trainer(tmp_path, config)
    learn(trainer)
    losses = [row["loss"] for row in trainer.progress.history]
    assert losses[0] > losses[1] > losses[2]
    assert losses[-1] < 0.1 * losses[0]
    assert trainer.progress.best_accuracy == 1.0

    network, vocabulary = load_network(tmp_path)
    assert network.config == config
    solver = Solver("tiny", config, vocabulary, TorchEngine(network))
    for beam in (1, 5):
        outcomes = evaluate(solver, PROBLEMS, beam=beam)
        assert all(outcome.correct for outcome in outcomes)
    solution = outcomes[0].solution
    assert (solution.answer, solution.equations) == ("17", ["x=12+5"])
    assert 0.5 < solution.confidence <= 1


def test_systems_of_equations_are_learned_too(tmp_path: Path) -> None:
    config = variant("two unknowns", **LEARNING, batch_size=1)
    learn(make_trainer(tmp_path, config, SYSTEMS))


def test_a_directory_describes_itself_and_predicts_what_was_trained(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, variant("base", **SHORT))
    trainer.run()
    assert {CONFIG, VOCABULARY, WEIGHTS, STATE, LOG, RESULT} == {path.name for path in tmp_path.iterdir()}
    assert [json.loads(line)["epoch"] for line in (tmp_path / LOG).read_text().splitlines()] == [1, 2, 3]
    assert json.loads((tmp_path / RESULT).read_text())["epoch"] == 3
    network, vocabulary = load_network(tmp_path)
    assert vocabulary == trainer.vocabulary
    saved = load_file(tmp_path / WEIGHTS)
    assert saved.keys() == network.state_dict().keys()
    assert all(torch.equal(saved[name], tensor) for name, tensor in network.state_dict().items())


@pytest.mark.parametrize("kill", [("epoch", 2), ("batch", 3)], ids=["between two epochs", "in the second epoch"])
def test_a_killed_run_resumes_to_the_same_result(tmp_path: Path, kill: tuple[str, int]) -> None:
    config = variant("base", **SHORT)
    whole = make_trainer(tmp_path / "whole", config, PROBLEMS[:16])
    whole.run()

    with pytest.raises(KillError):
        make_trainer(tmp_path / "killed", config, PROBLEMS[:16]).run(kill_after(*kill))
    (tmp_path / "killed" / LOG).write_text("")  # as if killed before the last line was written
    resumed = make_trainer(tmp_path / "killed", config, PROBLEMS[:16])
    resumed.resume()
    assert resumed.progress.epoch == (2 if kill[0] == "epoch" else 1)
    resumed.run()

    for file in (STATE, WEIGHTS):
        one, other = load_file(tmp_path / "whole" / file), load_file(tmp_path / "killed" / file)
        assert one.keys() == other.keys()
        assert [name for name in one if not torch.equal(one[name], other[name])] == []
    assert timeless(whole.progress.history) == timeless(resumed.progress.history)
    logged = [json.loads(line) for line in (tmp_path / "killed" / LOG).read_text().splitlines()]
    assert logged == resumed.progress.history
    summaries = [asdict(trainer.progress) for trainer in (whole, resumed)]
    for key in ("epoch", "best_epoch", "best_accuracy"):
        assert summaries[0][key] == summaries[1][key]


def test_order_and_dropout_change_with_the_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders, masks = [], []

    def record(examples: list[Example], batch_size: int, seed: list[int]) -> Iterator[list[Example]]:
        orders.append(tuple(seed))
        masks.append(torch.initial_seed())
        return shuffled_batches(examples, batch_size, seed)

    monkeypatch.setattr("saligned.model.training.shuffled_batches", record)
    make_trainer(tmp_path, variant("base", **SHORT), PROBLEMS[:4]).run()
    assert len(set(orders)) == len(set(masks)) == 3


def test_another_seed_gives_another_network(tmp_path: Path) -> None:
    one = make_trainer(tmp_path / "1", variant("base", **SHORT | {"epochs": 1}))
    other = make_trainer(tmp_path / "2", variant("base", **SHORT | {"epochs": 1, "seed": 2}))
    assert one.run().history[0]["loss"] != other.run().history[0]["loss"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a training of one epoch; tests copy what they damage."""
    out = tmp_path_factory.mktemp("trained")
    make_trainer(out, variant("base", **SHORT | {"epochs": 1})).run()
    return out


def resume(out: Path, problems: list[Problem] = PROBLEMS, **fields: object) -> None:
    make_trainer(out, variant("base", **SHORT | {"epochs": 1} | fields), problems).resume()


def test_resume_wants_the_same_configuration(trained: Path) -> None:
    with pytest.raises(ModelError, match="another configuration"):
        resume(trained, learning_rate=0.5)


def test_resume_wants_the_same_data(trained: Path) -> None:
    with pytest.raises(ModelError, match="other training data"):
        resume(trained, PROBLEMS[:5])


def test_resume_of_a_missing_or_damaged_state(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing or damaged"):
        resume(tmp_path)
    (tmp_path / STATE).write_bytes((trained / STATE).read_bytes()[:-100])
    with pytest.raises(ModelError, match="missing or damaged"):
        resume(tmp_path)
    save_file({"a": torch.zeros(1)}, tmp_path / STATE)
    with pytest.raises(ModelError, match="no training state"):
        resume(tmp_path)


def test_loading_a_damaged_or_unfitting_model(trained: Path, tmp_path: Path) -> None:
    for file in (CONFIG, VOCABULARY, WEIGHTS):
        (tmp_path / file).write_bytes((trained / file).read_bytes())
    (tmp_path / CONFIG).write_text(json.dumps(TINY | {"hidden": 8}))
    with pytest.raises(ModelError, match="do not fit"):
        load_network(tmp_path)
    (tmp_path / CONFIG).write_text(json.dumps({"hiden": 8}))
    with pytest.raises(ConfigError, match="hiden"):
        load_network(tmp_path)
    (tmp_path / CONFIG).write_bytes((trained / CONFIG).read_bytes())
    (tmp_path / WEIGHTS).write_bytes(b"no tensors")
    with pytest.raises(ModelError, match="missing or damaged"):
        load_network(tmp_path)


def test_problems_that_cannot_be_written_are_left_out() -> None:
    config = variant("base")
    unwritable = Problem("odd", "小明有3个苹果，一共多少？", ("x=3+77",))
    data = prepare([PROBLEMS[0], unwritable], config)
    assert [reading for reading, _ in gold_programs(data, config)] == data.readings[:1]
    with pytest.raises(DataError, match="none of the training problems"):
        gold_programs(prepare([unwritable], config), config)


def test_each_epoch_has_its_own_equivalent_programs_and_the_same_when_resumed(tmp_path: Path) -> None:
    config = variant("base", swap=0.5)
    programs = gold_programs(prepare(PROBLEMS, config), config)
    vocabulary = Vocabulary.build([])

    def operands(epoch: int) -> list[list[int]]:
        return [example.operands.tolist() for example in make_examples(programs, config, vocabulary, epoch)]

    assert operands(1) == operands(1)
    assert len({str(operands(epoch)) for epoch in range(6)}) > 1
    first, second = (make_trainer(tmp_path / name, variant("base", **SHORT, swap=0.5)) for name in "ab")
    assert first.run().history[-1]["loss"] == second.run().history[-1]["loss"]


def test_the_cosine_ends_at_zero_and_the_constant_stays(tmp_path: Path) -> None:
    cosine, constant = (
        make_trainer(tmp_path, variant("base", **SHORT | {"schedule": schedule})) for schedule in ("cosine", "constant")
    )
    assert [cosine._schedule(epoch) for epoch in (0, 1.5, 3)] == pytest.approx([1, 0.5, 0])
    assert constant._schedule(2.9) == 1


def test_the_warm_up_rises_from_zero(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, variant("base", **SHORT | {"warmup": 1.0, "schedule": "constant"}))
    assert [trainer._schedule(epoch) for epoch in (0, 0.25, 1, 2)] == [0, 0.25, 1, 1]


def test_the_encoder_has_its_own_learning_rate(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, variant("base", **SHORT | {"encoder_learning_rate": 1e-4}))
    assert [group["peak"] for group in trainer.optimizer.param_groups] == [1e-4, 1e-2]
    grouped = sum(len(group["params"]) for group in trainer.optimizer.param_groups)
    assert grouped == len(list(trainer.network.parameters()))


def test_a_batch_of_programs_without_operators_trains(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, variant("base"))
    layout = trainer.config.layout
    program = (
        Action(Kind.GENERATE),
        Action(Kind.PUSH, layout.unknown(0)),
        Action(Kind.PUSH, layout.quantity(0)),
        Action(Kind.EQUAL),
    )
    reading = prepare(PROBLEMS[:1], trainer.config).readings[0]
    arrays, levels = to_tensors(collate([make_example(reading, program, layout, trainer.vocabulary)], layout))
    assert levels == []
    assert trainer.network(arrays, levels) > 0


# fastText vectors


def embedding(out: Path, **fields: object) -> torch.Tensor:
    return make_trainer(out, variant("base", **fields)).network.encoder.embedding.weight.detach().clone()


def test_fasttext_is_trained_on_the_training_texts(tmp_path: Path) -> None:
    plain, one, other = (embedding(tmp_path, vectors=vectors) for vectors in ("", "train", "train"))
    assert torch.equal(one, other), "the same texts give the same vectors"
    assert not torch.allclose(plain, one)
    assert not one[0].any(), "padding stays at zero"


def test_vectors_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.vec"
    path.write_text(f"2 8\n多 {' '.join(['0.5'] * 8)}\n不 {' '.join(['9'] * 8)}\n", encoding="utf-8")
    config = variant("base", vectors=str(path))
    trainer = make_trainer(tmp_path, config)
    weights = trainer.network.encoder.embedding.weight.detach()
    assert torch.equal(weights[trainer.vocabulary.index("多")], torch.full((8,), 0.5))
    assert not (weights == 9).any(), "不 is in no problem"
    matrix = word_vectors(config, trainer.vocabulary, [])
    assert np.array_equal(matrix, weights.numpy())


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("1 3\n多 1 2 3\n", ConfigError, "3 dimensions, `embedding` is 8"),
        ("1 8\n多 a b c\n", ModelError, r"no fastText \.vec file"),
        ("", ModelError, r"no fastText \.vec file"),
    ],
)
def test_a_file_of_vectors_that_does_not_fit(
    tmp_path: Path, content: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "some.vec"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        embedding(tmp_path, vectors=str(path))


@pytest.mark.parametrize("name", ["missing.vec", "missing.bin"])
def test_a_missing_file_of_vectors(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=name):
        embedding(tmp_path, vectors=str(tmp_path / name))


def test_the_smallest_numbers_exist_again_after_a_training(tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, Config.from_dict(TINY | SHORT | {"epochs": 1}))
    inside: list[float] = []
    trainer.run(lambda *_: inside.append(float(torch.tensor(1e-38) * torch.tensor(1e-3))))
    assert inside[0] == 0.0
    assert float(torch.tensor(1e-38) * torch.tensor(1e-3)) > 0.0


def test_a_training_begins_with_the_weights_of_an_earlier_one(trained: Path, tmp_path: Path) -> None:
    """Also when it knows other words and constants: what both know is the same, the rest is its own."""
    earlier, known = load_network(trained)
    more = Problem("new", "甲乙丙丁共有7人，每人3本书，共几本书？", ("x=7*3",), PROBLEMS[0].answers)
    fields = earlier.config.to_dict() | {"constants": ("100", "1"), "start": str(trained), "min_count": 1}
    trainer = make_trainer(tmp_path, Config.from_dict(fields), [*PROBLEMS[:3], more])
    assert set(known.forms) | set("丙丁") <= set(trainer.vocabulary.forms)
    for name, tensor in trainer.network.state_dict().items():
        if name == "external":
            assert torch.equal(tensor[1], earlier.external[earlier.config.constants.index("1")])
        elif name == "encoder.embedding.weight":
            rows = [trainer.vocabulary.index(form) for form in known.forms]
            assert torch.equal(tensor[rows], earlier.encoder.embedding.weight)
        else:
            assert torch.equal(tensor, earlier.state_dict()[name])


def test_a_training_begins_with_one_of_its_own_size(trained: Path, tmp_path: Path) -> None:
    hidden = load_network(trained)[0].config.hidden * 2
    with pytest.raises(ConfigError, match="of the same configuration"):
        make_trainer(tmp_path, Config.from_dict(TINY | {"hidden": hidden, "start": str(trained)}))
