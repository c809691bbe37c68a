"""Percentages that equations write as plain numbers."""

from fractions import Fraction

from saligned.data.percents import with_percents
from saligned.data.programs import gold_program
from saligned.problem import Failure, Problem
from saligned.symbolic.actions import OperandLayout
from saligned.symbolic.machine import run
from saligned.symbolic.notation import parse_equation, to_infix
from saligned.symbolic.solving import solve
from saligned.text.quantities import find_quantities

DEPOSIT = "Ann puts part of $9000 into a bond at 4 % and the rest into a fund at 7 %. She gets $450. How much in each?"
MIXTURE = "How many liters of an 8 % brine and a 20 % brine make 60 liters of a 12 % brine?"
SHARE = "A shirt of 30 dollars got 15 % cheaper. By how many dollars?"


def rewritten(text: str, *equations: str) -> list[str]:
    found = with_percents([parse_equation(equation) for equation in equations], find_quantities(text))
    return [to_infix(equation) for equation in found]


def test_a_hundredth_of_a_number_is_its_percentage() -> None:
    assert rewritten(DEPOSIT, "0.01*4*m+0.01*7*n=450", "m+n=9000") == ["0.04*m+0.07*n=450", "m+n=9000"]
    assert rewritten(DEPOSIT, "m=4*0.01*9000") == ["m=0.04*9000"]


def test_numbers_become_percentages_where_the_solution_stays() -> None:
    assert rewritten(MIXTURE, "8*m+20*n=60*12", "m+n=60") == ["0.08*m+0.2*n=60*0.12", "m+n=60"]


def test_elsewhere_a_number_is_a_hundred_times_its_percentage() -> None:
    assert rewritten(SHARE, "x=30*15/100") == ["x=30*(0.15*100)/100"]


def test_a_number_that_the_text_also_has_without_a_sign_stays() -> None:
    text = "He paid 5 % of 300 dollars 5 times. How much?"
    assert rewritten(text, "x=5*0.05*300") == ["x=5*0.05*300"]


def test_equations_of_texts_without_percentages_stay() -> None:
    assert rewritten("There are 4 boxes of 6 eggs.", "x=0.01*4*6") == ["x=0.01*4*6"]


def test_the_program_gives_what_the_equations_give() -> None:
    layout = OperandLayout(tuple(map(Fraction, ("1", "100", "0.01"))), max_unknowns=2)
    for text, *equations in [
        (DEPOSIT, "0.01*4*m+0.01*7*n=450", "m+n=9000"),
        (MIXTURE, "8*m+20*n=60*12", "m+n=60"),
        (SHARE, "x=30*15*0.01"),
    ]:
        quantities = find_quantities(text)
        program = gold_program(Problem("", text, tuple(equations)), quantities, layout)
        assert not isinstance(program, Failure), program
        written = run(program, layout.expressions(quantities), layout)
        assert not isinstance(written, Failure)
        assert solve(written) == solve([parse_equation(equation) for equation in equations])
