"""Percentages that an equation writes as plain numbers: `0.01*6` or `6` where the text has 6 %.

The quantity of the text is 3/50, so the equation is rewritten over 3/50. ALG514 and DRAW write half of theirs so.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from saligned.problem import Quantity
from saligned.symbolic.expression import Equation, Expression, Number, Operation, Operator, leaves
from saligned.symbolic.solving import solve

HUNDREDTH = Number(Fraction(1, 100))
HUNDRED = Number(Fraction(100))

_Rewrite = Callable[[Expression], Expression | None]


def with_percents(equations: Sequence[Equation], quantities: Sequence[Quantity]) -> list[Equation]:
    """The equations over the percentages of the text.

    1. `0.01*6` is 6 %.
    2. `8*x+13*y = 320*11` is 8 %·x + 13 %·y = 320·11 %: the same solution.
    3. Where that would change the solution, 6 is 6 %·100.
    """
    shares = {100 * quantity.value for quantity in quantities if quantity.kind == "percent"}
    if not shares:
        return list(equations)
    joined = [_rewrite_equation(equation, lambda tree: _hundredth(tree, shares)) for equation in equations]
    plain = {quantity.value for quantity in quantities}
    loose = {leaf.value for equation in joined for leaf in leaves(equation) if isinstance(leaf, Number)} & shares
    loose -= plain
    if not loose:
        return joined
    scaled = [_rewrite_equation(equation, lambda tree: _percent(tree, loose)) for equation in joined]
    if solve(scaled) == solve(joined):
        return scaled
    return [
        _rewrite_equation(equation, lambda tree: _hundredfold(tree, loose - {HUNDRED.value})) for equation in joined
    ]


def _hundredth(tree: Expression, shares: set[Fraction]) -> Expression | None:
    if isinstance(tree, Operation) and tree.operator is Operator.MULTIPLY:
        for factor, other in ((tree.left, tree.right), (tree.right, tree.left)):
            if factor == HUNDREDTH:
                return _percent(other, shares)
    return None


def _percent(tree: Expression, shares: set[Fraction]) -> Expression | None:
    return Number(tree.value / 100) if isinstance(tree, Number) and tree.value in shares else None


def _hundredfold(tree: Expression, shares: set[Fraction]) -> Expression | None:
    share = _percent(tree, shares)
    return share and Operation(Operator.MULTIPLY, share, HUNDRED)


def _rewrite_equation(equation: Equation, rewrite: _Rewrite) -> Equation:
    return Equation(_rewrite(equation.left, rewrite), _rewrite(equation.right, rewrite))


def _rewrite(tree: Expression, rewrite: _Rewrite) -> Expression:
    """The tree with each part replaced for which `rewrite` has something else, from the top."""
    found = rewrite(tree)
    if found is not None:
        return found
    if not isinstance(tree, Operation):
        return tree
    return Operation(tree.operator, _rewrite(tree.left, rewrite), _rewrite(tree.right, rewrite))
