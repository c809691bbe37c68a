"""A sheet of paper measured in points, on which text is measured before it is placed: nothing overlaps.

The only module that draws with matplotlib; it knows nothing of problems.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from saligned.errors import SalignedError
from saligned.explain.fonts import find_fonts

__all__ = ["Sheet"]

DPI = 160
MARGIN = 16.0
LARGEST = 10_000.0  # points: 22,000 pixels, a heat map of 700 words


class Sheet:
    """Shapes in points, y downwards; the picture is as large as what was put on it."""

    def __init__(self, text: str) -> None:
        """`text` is everything that will be written, so that a font can be found for it."""
        _require_matplotlib()
        self.fonts = find_fonts(text)
        self._shapes: list[tuple[str, tuple[float, ...], dict[str, Any]]] = []
        self.width = self.height = 0.0

    def measure(self, text: str, size: float, *, math: bool = False) -> float:
        """The width of a line of text; `math` when what stands between $ is mathematics."""
        return _measure(text, size, tuple(self.fonts), math)

    def text(self, x: float, y: float, text: str, size: float, **style: Any) -> None:
        """Text on one line, centred on y; `ha` is left unless told."""
        style.setdefault("ha", "left")
        width = self.measure(text, size, math=style.get("parse_math", False))
        left = x - {"left": 0.0, "center": width / 2, "right": width}[style["ha"]]
        self._shapes.append(("text", (x, y), {"s": text, "fontsize": size, "va": "center_baseline", **style}))
        self._grow(left + width, y + size)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """A rectangle; `round` is the radius of its corners."""
        self._shapes.append(("box", (x, y, width, height), style))
        self._grow(x + width, y + height)

    def line(self, x1: float, y1: float, x2: float, y2: float, **style: Any) -> None:
        """A straight line."""
        self._shapes.append(("line", (x1, y1, x2, y2), style))

    def image(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """A matrix `values` as colours of the map `cmap`, from `vmin` to `vmax`."""
        self._shapes.append(("image", (x, y, width, height), style))
        self._grow(x + width, y + height)

    def save(self, path: Path) -> None:
        """Write a .png or .svg file; the same sheet gives the same bytes."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        width, height = self.width + MARGIN, self.height + MARGIN
        if max(width, height) > LARGEST:
            raise SalignedError("the text is too long for a picture; write an .html file")
        with _settings(self.fonts), warnings.catch_warnings():
            # A character that no font has is drawn as a box, which is what the reader should see.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            figure = Figure(figsize=(width / 72, height / 72), dpi=DPI, facecolor="white")
            FigureCanvasAgg(figure)
            axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
            axes.axis("off")
            for shape, place, style in self._shapes:
                _DRAW[shape](axes, place, dict(style))
            axes.set(xlim=(0, width), ylim=(height, 0))
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})

    def _grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)


def _draw_text(axes: Any, place: Sequence[float], style: dict[str, Any]) -> None:
    # $ is money here, unless the caller says that it is mathematics.
    axes.text(*place, style.pop("s"), **{"parse_math": False, **style})


def _draw_box(axes: Any, place: Sequence[float], style: dict[str, Any]) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y, width, height = place
    radius = style.pop("round", 0.0)
    shape = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=shape, **style))


def _draw_line(axes: Any, place: Sequence[float], style: dict[str, Any]) -> None:
    x1, y1, x2, y2 = place
    axes.plot([x1, x2], [y1, y2], **style)


def _draw_image(axes: Any, place: Sequence[float], style: dict[str, Any]) -> None:
    x, y, width, height = place
    extent = (x, x + width, y + height, y)
    axes.imshow(style.pop("values"), extent=extent, aspect="auto", interpolation="nearest", **style)


_DRAW = {"text": _draw_text, "box": _draw_box, "line": _draw_line, "image": _draw_image}


@contextmanager
def _settings(fonts: Sequence[str]) -> Iterator[None]:
    """Our own settings, whatever the user's matplotlibrc says; letters in SVG as outlines, without fonts."""
    import matplotlib

    settings: dict[Any, Any] = {
        "font.family": list(fonts),
        "svg.fonttype": "path",
        "svg.hashsalt": "saligned",
        "text.usetex": False,
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


@lru_cache(maxsize=8192)
def _measure(text: str, size: float, fonts: tuple[str, ...], math: bool) -> float:
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        properties = FontProperties(family=list(fonts), size=size)
        renderer: Any = RendererAgg(10, 10, 72)  # type: ignore[no-untyped-call]
        width, _, _ = renderer.get_text_width_height_descent(text, properties, ismath=math)
    return float(width)


def _require_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise SalignedError(
            'a picture needs matplotlib: pip install "saligned[figures]"; or write an .html file instead'
        )
