"""Every format reads its own rows; a broken row is reported and costs nothing but itself."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from saligned.data.readers import READERS, detect, read_problems
from saligned.data.readers.answers import read_answers
from saligned.data.readers.equations import clean, dolphin_equations, formula_equations, prefix_to_infix
from saligned.errors import DataError, NotationError
from saligned.problem import Problem
from saligned.symbolic.notation import parse_equation

ZH = {
    "id": "1",
    "original_text": "一箱梨重(3/4)千克，8箱重多少千克？",
    "segmented_text": "一箱 梨 重 (3/4) 千克 ， 8 箱 重 多少 千克 ？",
    "equation": "x=(3/4)*8",
    "ans": "6",
}
ASDIV = {"@ID": "a-1", "Body": "Ida has 24 pears.", "Question": "How many bags of 6?", "Formula": "24/6=4"}
XML = """<?xml version="1.0" encoding="UTF-8" ?>
<Set>
  <Problem ID="p-1" Grade="1">
    <Body>Ida has 24 pears.</Body><Question>How many bags of 6?</Question>
    <Answer>4 (bags)</Answer><Formula>24/6=4</Formula>
  </Problem>
"""

# format → (one row, text, equations, answers)
SAMPLES: dict[str, tuple[dict[str, object], str, tuple[str, ...], tuple[int, ...]]] = {
    "math23k": (ZH, "一箱梨重(3/4)千克，8箱重多少千克？", ("x=(3/4)*8",), (6,)),
    "ape210k": (ZH, "一箱梨重(3/4)千克，8箱重多少千克？", ("x=(3/4)*8",), (6,)),
    "mwptoolkit": (
        {
            "id": 7,
            "original_text": "甲 比 乙 多 4 ， 和 是 10 。",
            "equation": "x - y = 4.0 ; x + y = 10.0",
            "ans": [7, 3.0],
        },
        "甲比乙多4，和是10。",
        ("x - y = 4.0", "x + y = 10.0"),
        (7, 3),
    ),
    "kushman": (
        {
            "iIndex": 7,
            "sQuestion": " 3 cups and 2 jugs . ",
            "lEquations": ["3*cup+2*big_jug=12", "cup=2"],
            "lSolutions": ["2", 3.0],
        },
        "3 cups and 2 jugs .",
        ("3*x+2*y=12", "x=2"),
        (2, 3),
    ),
    "svamp": (
        {
            "ID": "s-1",
            "Body": "Ida had 9 pears.",
            "Question": "She ate 2. How many now?",
            "Equation": "( 9.0 - 2.0 )",
            "Answer": 7.0,
        },
        "Ida had 9 pears. She ate 2. How many now?",
        ("x=( 9.0 - 2.0 )",),
        (7,),
    ),
    "svamp-mawps": (
        {
            "id": "3",
            "Question": "number0 pears , number1 eaten",
            "Numbers": "9 2.0",
            "Equation": "- number0 number1",
            "Answer": 7.0,
        },
        "9 pears , 2.0 eaten",
        ("x=(9-2.0)",),
        (7,),
    ),
    "asdiv-json": (
        ASDIV | {"Answer": "4 (bags)"},
        "Ida has 24 pears. How many bags of 6?",
        ("x=24/6",),
        (4,),
    ),
    "dolphin": (
        {
            "id": "d",
            "text": "Two consecutive numbers add up to 7.",
            "equations": "unkn: n,n+1\r\nequ: n+(n+1)=7",
            "ans": "{3; 4}",
        },
        "Two consecutive numbers add up to 7.",
        ("n+(n+1)=7", "x=n+1"),
        (3, 4),
    ),
    "jsonl": ({"text": "3个5是多少？", "equation": "x=3*5", "ans": "15"}, "3个5是多少？", ("x=3*5",), (15,)),
}
LINES = {"ape210k", "jsonl"}


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "data"
    path.write_text(content, encoding="utf-8")
    return path


def dump(format_: str, rows: list[object]) -> str:
    if format_ in LINES:
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return json.dumps(rows, ensure_ascii=False, indent=1)


@pytest.mark.parametrize("format_", SAMPLES)
def test_a_row_becomes_a_problem(tmp_path: Path, format_: str) -> None:
    row, text, equations, answers = SAMPLES[format_]
    problems, rejections = read_problems(write(tmp_path, dump(format_, [row])), format_)
    assert rejections == []
    assert [(p.text, p.equations, p.answers) for p in problems] == [(text, equations, answers)]
    assert all(parse_equation(equation) for equation in problems[0].equations)


@pytest.mark.parametrize("format_", SAMPLES)
def test_its_own_format_is_detected(format_: str) -> None:
    assert format_ in detect(dump(format_, [SAMPLES[format_][0]]))


@pytest.mark.parametrize("format_", SAMPLES)
def test_broken_rows_cost_only_themselves(tmp_path: Path, format_: str) -> None:
    row = SAMPLES[format_][0]
    text_key = next(key for key in ("original_text", "sQuestion", "Question", "text") if key in row)
    without_text = {key: value for key, value in row.items() if key not in {text_key, "Body"}}
    wrong_type = row | {text_key: ["a", "list"]}
    gold = {"equation", "equations", "lEquations", "Equation", "Formula", "ans", "Answer", "lSolutions"}
    without_gold = {key: value for key, value in row.items() if key not in gold}
    rows = [row, without_text, wrong_type, without_gold, 5, row]
    problems, rejections = read_problems(write(tmp_path, dump(format_, rows)), format_)
    assert len(problems) == 2
    assert [r.reason.partition(":")[0] for r in rejections] == [
        "no text",
        "wrong type",
        "neither equation nor answer",
        "not a JSON object",
    ]


def test_math23k_keeps_the_segmentation_and_bears_its_absence(tmp_path: Path) -> None:
    (first, second), _ = read_problems(write(tmp_path, dump("math23k", [ZH, ZH | {"segmented_text": None}])), "math23k")
    assert first.words[:4] == ("一箱", "梨", "重", "(3/4)")
    assert second.words == ()


def test_math23k_in_its_concatenated_form_with_a_damaged_object(tmp_path: Path) -> None:
    whole = json.dumps(ZH, ensure_ascii=False, indent=2)
    damaged = whole.replace('"ans": "6"', '"ans": ')
    problems, rejections = read_problems(write(tmp_path, f"{whole}\n{damaged}\n{whole}\n"), "math23k")
    assert len(problems) == 2
    assert [(r.line, r.reason) for r in rejections] == [(8, "invalid JSON: Expecting value")]


def test_an_array_on_one_line_resumes_after_a_damaged_object(tmp_path: Path) -> None:
    content = f'[{json.dumps(ZH)}, {{"id": 2, "original_text": oops}}, {json.dumps(ZH)}]'
    problems, rejections = read_problems(write(tmp_path, content), "math23k")
    assert (len(problems), len(rejections)) == (2, 1)


def test_a_truncated_array_keeps_what_came_before(tmp_path: Path) -> None:
    content = dump("math23k", [ZH, ZH])[:-40]
    problems, rejections = read_problems(write(tmp_path, content), "math23k")
    assert len(problems) == 1
    assert rejections[0].reason.startswith("invalid JSON")


def test_lines_are_numbered_exactly(tmp_path: Path) -> None:
    good = json.dumps({"text": "3个5？", "ans": 15})
    content = f'{good}\n\n{{"text": \n{good} {good}\n{json.dumps({"id": "k", "ans": 1})}\n{good}\n'
    problems, rejections = read_problems(write(tmp_path, content), "jsonl")
    assert [p.id for p in problems] == ["1", "6"]  # no id of their own: the line
    assert [(r.id, r.line) for r in rejections] == [("", 3), ("", 4), ("k", 5)]


def test_xml_with_a_damaged_problem(tmp_path: Path) -> None:
    damaged = '  <Problem ID="p-2"><Body>Nora & Ida</Body></Problem>\n  <Problem ID="p-3"><Body>Open'
    content = XML + damaged + "\n" + XML.split("<Set>")[1] + "</Set>"
    problems, rejections = read_problems(write(tmp_path, content), "asdiv")
    assert [(p.id, p.equations, p.answers) for p in problems] == [("p-1", ("x=24/6",), (4,))] * 2
    assert [r.line for r in rejections] == [7, 8]


def test_csv(tmp_path: Path) -> None:
    rows = ['1,"3 pears,\n4 figs",x=3+4,7', "2,too,many,fields,here", "3,4 figs,x=4,4"]
    content = "\n".join(["id,original_text,equation,ans", *rows])
    problems, rejections = read_problems(write(tmp_path, content), "mwptoolkit-csv")
    assert [p.id for p in problems] == ["1", "3"]
    assert [(r.line, r.reason) for r in rejections] == [(4, "invalid CSV: more fields than the header names")]


def test_an_unreadable_answer_costs_the_row_only_without_an_equation(tmp_path: Path) -> None:
    rows = [{"text": "够吗？3", "equation": "x=3", "ans": "够"}, {"text": "够吗？3", "ans": "够"}]
    problems, rejections = read_problems(write(tmp_path, dump("jsonl", rows)), "jsonl")
    assert problems == [Problem("1", "够吗？3", ("x=3",))]
    assert rejections[0].reason.startswith("answer unreadable and no equation")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, {"a": 1}, "9" * 5000, "1e999999999", "(D)"])
def test_impossible_answers_are_refused(value: object) -> None:
    with pytest.raises(NotationError):
        read_answers(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("((9)/(13))", ["9/13"]),
        ("5((3)/(8))", ["43/8"]),
        ("22.5%", ["9/40"]),
        ("62.5﹪", ["5/8"]),
        ("4_2/9", ["38/9"]),
        (2.7142857142857144, ["2.7142857142857144"]),
        (0.1, ["1/10"]),
        ("-873.0", ["-873"]),
        ("931-577", ["354"]),
        ("231/(1-30%)", ["330"]),
        ("13 (paper kites)", ["13"]),
        ("58 ( tin cans)", ["58"]),
        ("61; 94", ["61", "94"]),
        ("-39;-37", ["-39", "-37"]),
        ("31 or 57", ["31"]),
        ("29/8 | 3.625", ["29/8"]),
        ("{23 km/hour; 7 km/hour}", ["23", "7"]),
        ("k = 71 | 71", ["71"]),
        ("$2,460", ["2460"]),
        ("6.5e-05", ["13/200000"]),
        ("12 ;", ["12"]),
        ("-(4/11)", ["-4/11"]),
        ([], []),
        (None, []),
        ("", []),
    ],
)
def test_answers(value: object, expected: list[str]) -> None:
    assert list(read_answers(value)) == [Fraction(text) for text in expected]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["X=(41.5*3.0)"], ("x=(41.5*3.0)",)),
        (["46*7=x"], ("x=46*7",)),
        (["hats=41.0*0.3"], ("x=41.0*0.3",)),
        (["(71*23)/50"], ("x=(71*23)/50",)),
        (["x＝3"], ("x=3",)),
        (["x=35吨/天"], ("x=35",)),
        (["x=6/(3:4)"], ("x=6/(3/4)",)),
        (["x=6*(3+4)%"], ("x=6*(3+4)/100",)),
        (["red_hats+cap_B=9", "cap_B=4"], ("x+y=9", "y=4")),
        (["m+n=9", "n=4"], ("m+n=9", "n=4")),
        (["x=sqrt(529)"], ()),
        (["x=LCM[14,33]"], ()),
        ([" "], ()),
    ],
)
def test_quirks_of_equations(written: list[str], expected: tuple[str, ...]) -> None:
    assert clean(written) == expected


def test_a_word_is_a_product_only_where_its_letters_are_unknowns() -> None:
    assert clean(["x+y=7", "xy=12"], implied_products=True) == ("x+y=7", "x*y=12")
    assert clean(["cost+tax=7", "tax=2"], implied_products=True) == ("x+y=7", "y=2")


def test_formulas() -> None:
    assert formula_equations("95/8=11 r7") == ["x=95/8"]
    assert formula_equations("x:The age; y:The other; x-y=3; x=2y") == ["x-y=3", "x=2y"]
    assert formula_equations("9+5=14; 14-7=7; 20-7=13") == ["x=20-((9+5)-7)"]
    assert formula_equations("2 (hour)*60 (min/hour) = 120 (min)") == ["x=2*60"]
    assert formula_equations("71-8=63; 63:19") == ["x=(71-8):19"]
    assert formula_equations("3*4=12 cm > 5*2=10 cm") == []
    assert formula_equations("Ida is the 3rd.; 3-1=2 (nd)") == ["x=3-1"]


def test_dolphin_lines() -> None:
    lines = ["unkn: x;y", "equ: x+y=9", "equ: x > y", "equ: is_int(x)", "equ: x-y=1"]
    assert dolphin_equations(lines) == ["x+y=9", "x-y=1"]
    assert dolphin_equations(["unkn: x,x+2", "equ: x < 5"]) == []


def test_prefix_notation_that_is_none_stays() -> None:
    assert prefix_to_infix("/ - 9 1 2") == "((9-1)/2)"
    assert prefix_to_infix("+ 9") == "+ 9"


def test_a_placeholder_without_its_number(tmp_path: Path) -> None:
    row = SAMPLES["svamp-mawps"][0]
    path = write(tmp_path, dump("svamp-mawps", [row, row | {"Numbers": "9"}]))
    problems, rejections = read_problems(path, "svamp-mawps")
    assert len(problems) == 1
    assert rejections[0].reason.startswith("missing number")


@pytest.mark.parametrize("format_", READERS)
@pytest.mark.parametrize(
    "content", ["", " \n", "hello", "[]", "{}", "[" * 5000, "1 2 3", "<html></html>", "a,b\n1,2\n"]
)
def test_a_file_of_no_format(tmp_path: Path, format_: str, content: str) -> None:
    with pytest.raises(DataError):
        read_problems(write(tmp_path, content), format_)


def test_the_wrong_format_names_the_right_one(tmp_path: Path) -> None:
    path = write(tmp_path, dump("kushman", [SAMPLES["kushman"][0]]))
    with pytest.raises(DataError, match="looks like kushman"):
        read_problems(path, "math23k")


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b'{"text": "caf\xe9"}')
    for path, message in (
        (tmp_path / "none", "no file"),
        (tmp_path, "directory"),
        (tmp_path / "latin", "UTF-8"),
    ):
        with pytest.raises(DataError, match=message):
            read_problems(path, "jsonl")
    with pytest.raises(DataError, match="math23k"):
        read_problems(tmp_path / "latin", "unheard-of")


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "bom"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"text": "3个5？", "ans": 15}).encode())
    assert len(read_problems(path, "jsonl")[0]) == 1
