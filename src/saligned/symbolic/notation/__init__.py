"""Equations as text: the only parser (`parser`) and the only printers (`printers`).

>>> equation = parse_equation("x=240×（1－25%）")
>>> to_infix(equation), to_infix(equation, pretty=True), to_postfix(equation)
('x=240*(1-25%)', 'x = 240 × (1 − 25%)', 'x 240 1 25% - * =')
"""

from saligned.symbolic.notation.parser import parse_equation, parse_expression
from saligned.symbolic.notation.printers import to_infix, to_latex, to_mathml, to_postfix

__all__ = ["parse_equation", "parse_expression", "to_infix", "to_latex", "to_mathml", "to_postfix"]
