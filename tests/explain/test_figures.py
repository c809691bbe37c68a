"""Pictures and pages are drawn from a trace alone; where a font is missing, the error says what to do."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from saligned.cli import explain as command
from saligned.cli.main import main
from saligned.errors import SalignedError
from saligned.explain import fonts, sheet
from saligned.explain.document import to_html
from saligned.explain.figures import FIGURES, action_labels, draw
from saligned.explain.sheet import Sheet
from saligned.explain.trace import make_trace
from saligned.problem import Reason
from saligned.runtime.solution import failed
from tests.explain.scripted import BANANAS, ENGLISH, NOTEBOOKS, NUMBER, make_solver, solve_as

SCRIPT = "<script>alert(1)</script>有5个，又买&amp;7个，现在有多少个？"


@pytest.fixture(scope="module")
def english() -> dict[str, Any]:
    """Needs no Chinese font; has $, which must not be read as mathematics."""
    text = "Tom has $58 & each basket holds 6 pens. How many pens fill 9 baskets? ($1)"
    return make_trace(solve_as(text, "x=58-6*9", tokenizer="english", operand_vectors="self-attention"))


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_can_be_drawn_twice_alike(english: dict[str, Any], name: str, tmp_path: Path) -> None:
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    draw(english, name, one)
    draw(english, name, two)
    assert one.read_bytes() == two.read_bytes()
    assert ElementTree.parse(one).getroot().tag.endswith("svg")
    picture = tmp_path / "one.png"
    draw(english, name, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_everything_drawn_is_on_the_sheet(english: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sheet] = []
    monkeypatch.setattr(Sheet, "save", lambda self, path: seen.append(self))
    for name in FIGURES:
        draw(english, name, Path("never.png"))
    assert len(seen) == len(FIGURES)
    for drawn in seen:
        texts = [(place, style) for shape, place, style in drawn._shapes if shape == "text"]
        assert texts
        for (x, y), style in texts:
            width = drawn.measure(style["s"], style["fontsize"], math=style.get("parse_math", False))
            left = x - {"left": 0, "center": width / 2, "right": width}[style["ha"]]
            assert left >= 0
            assert left + width <= drawn.width + sheet.MARGIN
            assert 0 <= y <= drawn.height


def test_blocks_of_the_solving_process_do_not_overlap(english: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sheet] = []
    monkeypatch.setattr(Sheet, "save", lambda self, path: seen.append(self))
    text = "A 1 B 2 C 3 D 4"
    equation = "x=((1+2)*(3+4)+(4+3)*(2+1))/((1+2)*(3+4))"
    draw(make_trace(solve_as(text, equation, tokenizer="english")), "solving", Path("never.png"))
    boxes = [place for shape, place, _ in seen[0]._shapes if shape == "box"]
    assert len(boxes) == 26  # 12 numbers and x, 11 operations, the equation, the answer
    for number, (x, y, width, height) in enumerate(boxes):
        for u, v, wide, high in boxes[number + 1 :]:
            assert x + width <= u or u + wide <= x or y + height <= v or v + high <= y


def test_a_model_without_self_attention_says_so(tmp_path: Path) -> None:
    trace = make_trace(solve_as(ENGLISH, "x=6*9", tokenizer="english"))
    with pytest.raises(SalignedError, match="scripted has no self-attention"):
        draw(trace, "self-attention", tmp_path / "x.png")
    with pytest.raises(SalignedError, match="nothing to draw: no quantity in the text"):
        draw(make_trace(failed("Hello", "scripted", Reason.NO_QUANTITY)), "solving", tmp_path / "x.png")


def test_without_a_chinese_font_the_error_names_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_installed", lambda: {"DejaVu Sans"})
    monkeypatch.setattr(fonts, "_notice_new_fonts", lambda: None)
    assert fonts.find_fonts("3 apples − ×") == ["DejaVu Sans"]
    with pytest.raises(SalignedError, match="apt-get install fonts-noto-cjk"):
        draw(make_trace(solve_as(NUMBER, "6.75-5*x=2.75")), "solving", tmp_path / "x.png")


def test_a_font_installed_since_the_last_run_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"DejaVu Sans"}
    monkeypatch.setattr(fonts, "_installed", lambda: names)
    monkeypatch.setattr(fonts, "_notice_new_fonts", lambda: names.add("WenQuanYi Zen Hei"))
    assert fonts.find_fonts("苹果") == ["WenQuanYi Zen Hei", "DejaVu Sans"]


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "find_spec", lambda name: None)
    with pytest.raises(SalignedError, match=re.escape('pip install "saligned[figures]"')):
        Sheet("3 apples")


def test_chinese_figures_can_be_drawn_with_the_font_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the Latin one where there is no Chinese one: characters are boxes then, nothing else changes."""
    if fonts._chinese_font() is None:
        monkeypatch.setattr(sheet, "find_fonts", lambda text: ["DejaVu Sans"])
    for name in ("solving", "inference", "attention"):
        draw(make_trace(solve_as(NOTEBOOKS, "x=(10-1*5)/0.5")), name, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_actions_are_named_with_their_operands() -> None:
    labels = action_labels(make_trace(solve_as("有20只和4只", "x+y=20", "x-y=4", max_unknowns=2)))
    assert labels == [
        *["new x", "new y", "push x", "push y", "+", "push 20", "="],
        *["push x", "push y", "−", "push 4", "="],
    ]


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_script_in_the_problem_is_text() -> None:
    page = Reader(to_html(make_trace(solve_as(SCRIPT, "x=5+7"))))
    assert "script" not in page.tags
    assert SCRIPT in page.words


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_page_stands_alone(language: Any) -> None:
    source = to_html(make_trace(solve_as(BANANAS, "x=58-6*9", operand_vectors="self-attention")), language)
    page = Reader(source)
    assert not {"script", "link", "img", "iframe"}.intersection(page.tags)
    assert not [name for name, _ in page.attributes if name in {"src", "href"} or name.startswith("on")]
    assert {"math", "mark", "table"} <= set(page.tags)
    assert page.tags.count("table") == 3  # word attention, self-attention, alternatives
    assert f'lang="{language}"' in source
    assert len(source) < 100_000


def test_a_failure_has_a_page_too() -> None:
    page = Reader(to_html(make_trace(failed("<b>没有数", "scripted", Reason.NO_QUANTITY))))
    assert "b" not in page.tags
    assert "题目里没有数量" in page.words


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load", lambda model: make_solver(ENGLISH, "x=58-6*9", tokenizer="english"))


def run(*arguments: object) -> Any:
    return main([str(argument) for argument in ("explain", ENGLISH, *arguments)], standalone_mode=False)


@pytest.mark.usefixtures("scripted")
def test_the_command_writes_what_the_suffix_says(tmp_path: Path) -> None:
    assert run("--out", tmp_path / "x.html") == 0
    assert "58" in (tmp_path / "x.html").read_text(encoding="utf-8")
    assert run("--out", tmp_path / "x.svg", "--figure", "inference") == 0
    assert b"<svg" in (tmp_path / "x.svg").read_bytes()


@pytest.mark.usefixtures("scripted")
def test_the_command_refuses_what_it_cannot_or_should_not_write(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("mine", encoding="utf-8")
    for arguments, message in (
        (("--out", tmp_path / "x.html"), "exists"),
        (("--out", tmp_path / "x.gif"), "must end in .html, .svg, .png"),
        (("--out", tmp_path / "y.html", "--figure", "solving"), "--figure goes with"),
        (("--out", tmp_path / "y.png", "--language", "en"), "--language goes with"),
        (("--out", tmp_path / "none" / "y.png"), "no directory"),
    ):
        with pytest.raises(command.click.UsageError, match=message):
            run(*arguments)
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == "mine"
    assert run("--out", tmp_path / "x.html", "--force") == 0
    assert (tmp_path / "x.html").read_text(encoding="utf-8") != "mine"
