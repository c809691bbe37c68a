"""One function a file format: the fields of a row → `Problem`, or `UnreadableRowError` with the reason."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from saligned.data.readers import equations as quirks
from saligned.data.readers.answers import read_answers
from saligned.data.readers.rows import Row
from saligned.errors import NotationError, SalignedError
from saligned.problem import Problem

_PLACEHOLDER = re.compile(r"\bnumber(\d+)\b")
_HAN = re.compile(r"[一-鿿]")
_BREAKABLE_SPACE = re.compile(r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])")


class UnreadableRowError(SalignedError):
    """A row that gives no problem; the message is the reason."""


def math23k(row: Row) -> Problem:
    """Math23K and Ape210K: `original_text`, `segmented_text`, `equation`, `ans`."""
    fields = row.fields
    return _problem(
        row,
        _text(fields, "original_text"),
        quirks.clean(quirks.split_system(_string(fields, "equation"))),
        fields.get("ans"),
        words=_string(fields, "segmented_text").split(),
    )


def pairs(row: Row) -> Problem:
    """JSON lines of `text`, `equation`, `ans`, of which either of the last two may be missing."""
    fields = row.fields
    return _problem(
        row,
        _text(fields, "text"),
        quirks.clean(quirks.split_system(_string(fields, "equation"))),
        fields.get("ans"),
        words=_string(fields, "segmented_text").split(),
    )


def mwptoolkit(row: Row) -> Problem:
    """MWPToolkit's files. Some Chinese ones (HMWP) give only the segmented text, as `original_text`."""
    fields = row.fields
    text, segmented = _text(fields, "original_text"), _string(fields, "segmented_text")
    if _HAN.search(text) and " " in text:
        text, segmented = join_words(text), segmented or text
    gold = quirks.clean(quirks.split_system(_string(fields, "equation")))
    return _problem(row, text, gold, fields.get("ans"), words=segmented.split())


def kushman(row: Row) -> Problem:
    """Kushman et al., DRAW, Dolphin T2, MAWPS, AllArith: `sQuestion`, `lEquations`, `lSolutions`."""
    fields = row.fields
    gold = quirks.clean(_strings(fields, "lEquations"))
    return _problem(row, _text(fields, "sQuestion"), gold, fields.get("lSolutions"))


def svamp(row: Row) -> Problem:
    """SVAMP: `Body`, `Question`, `Equation` without an unknown, `Answer`."""
    fields = row.fields
    text = _text(fields, "Body", "Question")
    return _problem(row, text, quirks.clean([_string(fields, "Equation")]), fields.get("Answer"))


def svamp_training(row: Row) -> Problem:
    """The SVAMP challenge's MAWPS + ASDiv-A files: placeholders `number0 …`, prefix `Equation`."""
    fields = row.fields
    numbers = _string(fields, "Numbers").split()
    text = fill_placeholders(_text(fields, "Question"), numbers)
    equation = quirks.prefix_to_infix(fill_placeholders(_string(fields, "Equation"), numbers))
    return _problem(row, text, quirks.clean([equation]), fields.get("Answer"))


def asdiv(row: Row) -> Problem:
    """ASDiv, as XML or JSON: `Body`, `Question`, `Formula` (`84/7=12`), `Answer` (`12 (kites)`)."""
    fields = row.fields
    gold = quirks.clean(quirks.formula_equations(_string(fields, "Formula")), implied_products=True)
    return _problem(row, _text(fields, "Body", "Question"), gold, fields.get("Answer"))


def dolphin(row: Row) -> Problem:
    """Dolphin1878 and Dolphin18K: `text`, `equations` as `unkn:` and `equ:` lines, `ans`."""
    fields = row.fields
    lines = [line for text in _strings(fields, "equations") for line in text.splitlines()]
    gold = quirks.clean(quirks.dolphin_equations(lines), implied_products=True)
    return _problem(row, _text(fields, "text"), gold, fields.get("ans"))


def join_words(text: str) -> str:
    """A Chinese text without the blanks of its segmentation; blanks between Latin words stay.

    >>> join_words("小 明 买 了 3 kg 苹果")
    '小明买了3 kg苹果'
    """
    return _BREAKABLE_SPACE.sub("", text)


def fill_placeholders(text: str, numbers: Sequence[str]) -> str:
    """The text with `number0`, `number1` … replaced.

    >>> fill_placeholders("number0 birds and number1 more", ["3", "4.5"])
    '3 birds and 4.5 more'
    """
    try:
        return _PLACEHOLDER.sub(lambda match: numbers[int(match[1])], text)
    except IndexError:
        raise UnreadableRowError("missing number: a placeholder names a number that is not listed") from None


def row_id(row: Row) -> str:
    """The id the data set gives, else the line."""
    for key in ("id", "ID", "@ID", "iIndex"):
        value = row.fields.get(key)
        if isinstance(value, str | int) and str(value).strip():
            return str(value).strip()
    return str(row.line)


def _problem(row: Row, text: str, equations: tuple[str, ...], answer: object, *, words: Sequence[str] = ()) -> Problem:
    """The problem, if it has anything to learn or score by.

    An answer that cannot be read costs a row with an equation only its answer: the equation can give it.
    """
    try:
        answers: tuple[Fraction, ...] = read_answers(answer)
    except NotationError as error:
        if not equations:
            raise UnreadableRowError(f"answer unreadable and no equation: {error}") from error
        answers = ()
    if not equations and not answers:
        raise UnreadableRowError("neither equation nor answer")
    return Problem(row_id(row), text, equations, answers, tuple(words))


def _text(fields: Mapping[str, object], *keys: str) -> str:
    """The problem's text, which may be spread over several fields."""
    text = " ".join(part for key in keys if (part := _string(fields, key)))
    if not text:
        raise UnreadableRowError("no text")
    return text


def _string(fields: Mapping[str, object], key: str) -> str:
    """A string field; missing and null are empty, anything else is an error."""
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableRowError(f"wrong type: {key} is a {type(value).__name__}, not a string")
    return value.strip()


def _strings(fields: Mapping[str, object], key: str) -> list[str]:
    """A field that is a string or a list of strings."""
    value = fields.get(key)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    if isinstance(value, list):
        raise UnreadableRowError(f"wrong type: {key} holds something that is not a string")
    written = _string(fields, key)
    return [written] if written else []
