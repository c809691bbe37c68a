"""Programs that mix units, and what they become."""

import pytest

from saligned.config import Config
from saligned.data.programs import gold_program
from saligned.problem import Failure, Problem, Reading
from saligned.runtime.measures import convert_units, mixes_units
from saligned.runtime.signals import Signal
from saligned.symbolic.actions import OperandLayout, Program
from saligned.symbolic.machine import run
from saligned.symbolic.notation import to_infix
from saligned.text.tokenizers import read
from tests.explain.scripted import solve_as

LAYOUT = Config(constants=("1", "3.14", "10", "60", "100", "1000", "100000")).layout
PAPER = Config().layout


def program_of(text: str, equation: str, layout: OperandLayout = LAYOUT) -> tuple[Program, Reading]:
    reading = read(text, "char")
    program = gold_program(Problem("1", text, (equation,)), reading.quantities, layout)
    assert not isinstance(program, Failure)
    return program, reading


ROPE = "一根绳子长2米，剪去35厘米，还剩多少厘米？"


@pytest.mark.parametrize(
    ("text", "equation", "converted"),
    [
        (ROPE, "x=2-35", "x=2*100-35"),
        ("一根绳子长2米，剪去35厘米，还剩多少米？", "x=2-35", "x=2-35/100"),
        ("小林高150厘米，爸爸比他高30厘米，爸爸高多少米？", "x=150+30", "x=(150+30)/100"),
        ("买3千克苹果用去15元，买1500克要多少元？", "x=15/3*1500", "x=15/3*((1500)/1000)"),
        ("一袋大米5千克，每天吃200克，可以吃多少天？", "x=5/200", "x=5/((200)/1000)"),
        ("每支笔8角，买5支要多少元？", "x=8*5", "x=8*5/10"),
        ("甲地到乙地3千米，地图上长多少厘米？", "x=3", "x=3*100000"),
    ],
)
def test_units_are_converted(text: str, equation: str, converted: str) -> None:
    program, reading = program_of(text, equation)
    assert mixes_units(program, reading, LAYOUT)
    mended = convert_units(program, reading, LAYOUT)
    assert mended
    assert not mixes_units(mended, reading, LAYOUT)
    equations = run(mended, LAYOUT.expressions(reading.quantities), LAYOUT)
    assert not isinstance(equations, Failure)
    assert to_infix(equations[0]) == converted


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        ("一根绳子长2米，剪去35厘米，还剩多少厘米？", "x=2*100-35"),
        ("每小时行60千米，3小时行多少千米？", "x=60*3"),
        ("比例尺是1:500000，图上距离4厘米，实际距离是多少千米？", "x=4*500000/100000"),
        ("10升水加16毫升洗衣液，100升水加多少毫升？", "x=16/10*100"),
        ("每升水加16毫升药，5升水加多少毫升？", "x=16*5"),
        ("长5米，宽30厘米，有多大？", "x=5*30"),
        ("一个数比3多2米，这个数是多少？", "x=3+2"),
        ("小明有3个苹果，小红有2只梨，一共有多少？", "x=3+2"),
    ],
)
def test_what_mixes_nothing(text: str, equation: str) -> None:
    program, reading = program_of(text, equation)
    assert not mixes_units(program, reading, LAYOUT)


def test_without_the_constants_units_stay_mixed() -> None:
    program, reading = program_of(ROPE, "x=2-35", PAPER)
    assert mixes_units(program, reading, PAPER)
    assert convert_units(program, reading, PAPER) is None


def test_a_program_that_would_be_too_long_is_not_converted() -> None:
    long = "x=" + "+".join(["2"] * 12) + "-35"
    program, reading = program_of(ROPE, long)
    assert mixes_units(program, reading, LAYOUT)
    assert convert_units(program, reading, LAYOUT) is None


@pytest.mark.parametrize("beam", [1, 3])
def test_the_solver_converts_what_the_network_mixes(beam: int) -> None:
    """The answer is as likely as the program was; the network has seen every step of the new one."""
    mixed, converted = (solve_as(ROPE, "x=2-35", beam=beam, constants=c) for c in (("1",), ("1", "100")))
    assert (mixed.answer, mixed.warnings) == ("-33", (Signal.NEGATIVE, Signal.MIXED_UNITS))
    assert (converted.answer, converted.warnings) == ("165", ())
    assert converted.best is not None
    assert len(converted.best.hypothesis.decisions) == len(converted.best.hypothesis.program)
    assert converted.confidence > 0.5 > mixed.confidence
