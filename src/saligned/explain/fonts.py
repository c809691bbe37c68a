"""A font that has Chinese characters: found on the machine, not bundled (the smallest is 4 MB)."""

import logging
from pathlib import Path

from saligned.errors import SalignedError

__all__ = ["CHINESE_FONTS", "find_fonts"]

# Family names, the best looking first; then what Windows and macOS bring along.
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",  # the first face of the collection, with all Chinese characters
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Microsoft YaHei",
    "SimHei",
    "SimSun",
    "PingFang SC",
    "Hiragino Sans GB",
    "STHeiti",
    "Heiti SC",
    "Arial Unicode MS",
)
_LATIN = "DejaVu Sans"  # comes with matplotlib
_FILES = (
    "cjk",
    "wqy",
    "notosanssc",
    "sourcehan",
    "droidsansfallback",
    "msyh",
    "simhei",
    "simsun",
    "pingfang",
)
_FIRST_CJK = "\u2e80"


def find_fonts(text: str) -> list[str]:
    """The font families for a text; a SalignedError says what to install when Chinese has none."""
    # WenQuanYi has one weight, "medium"; matplotlib would say at every word that there is no "normal".
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    if all(character < _FIRST_CJK for character in text):
        return [_LATIN]
    found = _chinese_font()
    if found is None:
        raise SalignedError(
            "no font with Chinese characters was found; install one (Debian, Ubuntu: "
            "apt-get install fonts-noto-cjk, or the smaller fonts-wqy-zenhei), or write an .html file, "
            "which needs none"
        )
    return [found, _LATIN]


def _chinese_font() -> str | None:
    installed = _installed()
    if not installed.intersection(CHINESE_FONTS):
        _notice_new_fonts()
        installed = _installed()
    return next((name for name in CHINESE_FONTS if name in installed), None)


def _installed() -> set[str]:
    from matplotlib.font_manager import fontManager

    return {font.name for font in fontManager.ttflist}


def _notice_new_fonts() -> None:
    """matplotlib lists the fonts once, at its first use; one installed since then is not on its list."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    for path in findSystemFonts():
        if any(part in Path(path).name.lower().replace("-", "") for part in _FILES):
            try:
                fontManager.addfont(path)
            except (OSError, RuntimeError):  # a damaged file is no font
                continue
