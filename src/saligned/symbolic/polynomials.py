"""Equations that are not linear, by SymPy and exactly; imported only when needed, for SymPy loads slowly.

Each equation is brought to one polynomial over the rationals, `numerator(left - right)`; a Gröbner basis
separates the unknowns; real roots are found one unknown after the other. What an equation divides by must not
be zero at a solution. Nothing here runs for long, because degrees, unknowns and coefficients are bounded:
beyond that, `TOO_HARD`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy
from sympy import QQ, Poly, Rational

from saligned.problem import Failure, Reason
from saligned.symbolic.expression import (
    Equation,
    Expression,
    Operation,
    Operator,
    Unknown,
    bits,
    evaluate,
    unknowns,
)
from saligned.symbolic.solving import Answer, Irrational, isolated_side

MAX_DEGREE = 6  # of one polynomial
MAX_SOLUTIONS = 8  # the product of the degrees of a system (Bézout's bound)
MAX_POLYNOMIAL_UNKNOWNS = 3
MAX_COEFFICIENT_BITS = 200
MAX_ROOT_INDEX = 12  # in 2 ^ (1/12)

_TOO_HARD = Failure(Reason.TOO_HARD)
_Point = tuple[Any, ...]  # SymPy's numbers, in the order of the unknowns
_Ratio = tuple[Any, Any]  # numerator and denominator, two Poly


def solve_polynomials(equations: Sequence[Equation], names: Sequence[str]) -> tuple[tuple[Answer, ...], ...] | Failure:
    """The real solutions of equations between rational functions, best first; `solving.solve` says which is best."""
    alone = isolated_side(equations)
    if alone is not None:
        value = _evaluate_radicals(alone)
        return value if isinstance(value, Failure) else (value,)
    if len(names) > MAX_POLYNOMIAL_UNKNOWNS:
        return Failure(Reason.TOO_HARD, f"{len(names)} unknowns")
    ring = _Ring(tuple(sympy.Symbol(name) for name in names))
    polynomials = []
    for equation in equations:
        ratio = ring.ratio(Operation(Operator.SUBTRACT, equation.left, equation.right))
        if isinstance(ratio, Failure):
            return ratio
        polynomials.append(ratio[0])
    points = _real_points([polynomial for polynomial in polynomials if not polynomial.is_zero], ring.symbols)
    if isinstance(points, Failure):
        return points
    allowed = [point for point in points if ring.divides_at(point)]
    if not allowed:
        return Failure(Reason.DIVISION_BY_ZERO if points else Reason.NO_REAL_ROOT)
    return tuple(tuple(_answer(value) for value in point) for point in sorted(allowed, key=_preference))


@dataclass
class _Ring:
    """The polynomials in some unknowns, and every divisor met on the way."""

    symbols: tuple[Any, ...]
    divisors: list[Any] = field(default_factory=list)

    def ratio(self, tree: Expression) -> _Ratio | Failure:
        """An expression as a reduced fraction of two polynomials."""
        if isinstance(tree, Unknown):
            return self.poly(sympy.Symbol(tree.name)), self.poly(1)
        if not unknowns(tree):
            value = evaluate(tree)
            return value if isinstance(value, Failure) else self.constant(value)
        assert isinstance(tree, Operation)  # a Number has no unknown
        left = self.ratio(tree.left)
        if isinstance(left, Failure):
            return left
        if tree.operator is Operator.POWER:
            return self.power(left, tree.right)
        right = self.ratio(tree.right)
        if isinstance(right, Failure):
            return right
        return self.combine(tree.operator, left, right)

    def combine(self, operator: Operator, left: _Ratio, right: _Ratio) -> _Ratio | Failure:
        (a, b), (c, d) = left, right
        if operator is Operator.DIVIDE:
            if c.is_zero:
                return Failure(Reason.DIVISION_BY_ZERO)
            self.divisors.append(c)
            c, d = d, c
        if max(_degree(a) + _degree(d), _degree(c) + _degree(b), _degree(a) + _degree(c)) > 2 * MAX_DEGREE:
            return _TOO_HARD
        if operator in {Operator.MULTIPLY, Operator.DIVIDE}:
            return _reduced(a * c, b * d)
        return _reduced(a * d + c * b if operator is Operator.ADD else a * d - c * b, b * d)

    def power(self, base: _Ratio, exponent: Expression) -> _Ratio | Failure:
        value = evaluate(exponent)
        if isinstance(value, Failure):
            return _TOO_HARD if value.reason is Reason.UNDERDETERMINED else value
        numerator, denominator = base
        count = abs(value.numerator)
        if value.denominator > 1 or count * max(_degree(numerator), _degree(denominator), 1) > MAX_DEGREE:
            return _TOO_HARD
        if value <= 0:  # 0^0 is no number either
            if numerator.is_zero:
                return Failure(Reason.DIVISION_BY_ZERO)
            self.divisors.append(numerator)
            numerator, denominator = denominator, numerator
        return _reduced(numerator**count, denominator**count)

    def constant(self, value: Fraction) -> _Ratio | Failure:
        if bits(value) > MAX_COEFFICIENT_BITS:
            return _TOO_HARD
        return self.poly(Rational(value.numerator, value.denominator)), self.poly(1)

    def poly(self, expression: Any) -> Any:
        return Poly(expression, *self.symbols, domain=QQ)

    def divides_at(self, point: _Point) -> bool:
        """Whether no divisor is zero at a solution."""
        at = dict(zip(self.symbols, point, strict=True))
        return all(not _is_zero(divisor.as_expr().subs(at)) for divisor in self.divisors)


def _reduced(numerator: Any, denominator: Any) -> _Ratio | Failure:
    numerator, denominator = numerator.cancel(denominator, include=True)
    size = max(bits(Fraction(int(c.p), int(c.q))) for c in (*numerator.coeffs(), *denominator.coeffs()))
    if max(_degree(numerator), _degree(denominator)) > MAX_DEGREE or size > MAX_COEFFICIENT_BITS:
        return _TOO_HARD
    return numerator, denominator


def _degree(polynomial: Any) -> int:
    return 0 if polynomial.is_zero else int(polynomial.total_degree())


def _real_points(polynomials: Sequence[Any], symbols: Sequence[Any]) -> list[_Point] | Failure:
    """The real common zeros."""
    if any(polynomial.is_ground for polynomial in polynomials):
        return Failure(Reason.INCONSISTENT)
    if len(polynomials) < len(symbols):
        return Failure(Reason.UNDERDETERMINED)
    if len(symbols) > 1 and math.prod(map(_degree, polynomials)) > MAX_SOLUTIONS:
        return _TOO_HARD
    basis = sympy.groebner(polynomials, *symbols, order="lex", domain=QQ)
    if basis.exprs == [1]:
        return Failure(Reason.INCONSISTENT)
    if not basis.is_zero_dimensional:
        return Failure(Reason.UNDERDETERMINED)
    return _extend((), list(basis.exprs), list(symbols))


def _extend(known: _Point, expressions: Sequence[Any], open_symbols: Sequence[Any]) -> list[_Point] | Failure:
    """All real values of the open unknowns, the last first: a lexicographic basis isolates it."""
    if not open_symbols:
        return [known]
    *others, symbol = open_symbols
    own = [expression for expression in expressions if expression.free_symbols == {symbol}]
    roots = _common_real_roots(own, symbol)
    if isinstance(roots, Failure):
        return roots
    points: list[_Point] = []
    for root in roots:
        coupled = any(len(expression.free_symbols & {symbol, *others}) > 1 for expression in expressions)
        if coupled and not _is_at_most_quadratic(root):
            return _TOO_HARD
        substituted = [sympy.expand(expression.subs(symbol, root)) for expression in expressions]
        extended = _extend((root, *known), [e for e in substituted if e.free_symbols], others)
        if isinstance(extended, Failure):
            return extended
        points.extend(extended)
    return points


def _is_at_most_quadratic(root: Any) -> bool:
    """Whether SymPy computes with a root quickly: no CRootOf, no nested radicals."""
    if root.is_Rational:
        return True
    return not root.has(sympy.CRootOf) and bool(sympy.degree(sympy.minimal_polynomial(root)) == 2)


def _common_real_roots(expressions: Sequence[Any], symbol: Any) -> list[Any] | Failure:
    """The real zeros that polynomials in one unknown share; irrational coefficients only in degree 1."""
    polynomials = [Poly(expression, symbol, extension=True) for expression in expressions]
    common = polynomials[0]
    for polynomial in polynomials[1:]:
        common = sympy.gcd(common, polynomial)
    if common.get_domain().is_QQ or common.get_domain().is_ZZ:
        return list(dict.fromkeys(common.real_roots()))
    if common.degree() == 1:
        slope, constant = common.all_coeffs()
        return [sympy.radsimp(-constant / slope)]
    return _TOO_HARD


def _evaluate_radicals(tree: Expression) -> tuple[Answer, ...] | Failure:
    """The value of an expression without unknowns that has roots, such as `2 ^ 0.5`."""
    value = _radical(tree)
    if isinstance(value, Failure):
        return value
    if value.is_real is False:
        return Failure(Reason.NO_REAL_ROOT)
    answer = _answer(value)
    return (answer,) if math.isfinite(float(value)) else _TOO_HARD


def _radical(tree: Expression) -> Any:
    """SymPy's form of an expression without unknowns, or a Failure."""
    value = evaluate(tree)
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    if value.reason is not Reason.TOO_HARD or not isinstance(tree, Operation):
        return value
    left, right = _radical(tree.left), _radical(tree.right)
    if isinstance(left, Failure) or isinstance(right, Failure):
        return left if isinstance(left, Failure) else right
    if tree.operator is Operator.POWER:
        return _root(left, right)
    if tree.operator is Operator.DIVIDE:
        return Failure(Reason.DIVISION_BY_ZERO) if _is_zero(right) else left / right
    return {Operator.ADD: left + right, Operator.SUBTRACT: left - right, Operator.MULTIPLY: left * right}[tree.operator]


def _root(base: Any, exponent: Any) -> Any:
    if not exponent.is_Rational or exponent.q > MAX_ROOT_INDEX or abs(exponent.p) > MAX_ROOT_INDEX:
        return _TOO_HARD
    if exponent < 0 and _is_zero(base):
        return Failure(Reason.DIVISION_BY_ZERO)
    return base**exponent


def _is_zero(value: Any) -> bool:
    """Exact for fractions; radicals may hide a zero, which shows in 15 digits."""
    return bool(value == 0) or (not value.is_Rational and bool(abs(value.evalf()) < 1e-12))


def _preference(point: _Point) -> tuple[bool, bool, tuple[float, ...]]:
    values = tuple(float(value) for value in point)
    return any(value <= 0 for value in values), any(value < 0 for value in values), tuple(map(abs, values))


def _answer(value: Any) -> Answer:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return Irrational(str(value), float(value))
