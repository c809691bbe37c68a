"""Forms and their indices, and files that are damaged."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saligned.errors import ModelError
from saligned.text.tokenizers import NUMBER, read
from saligned.text.vocabulary import PAD, SPECIALS, UNKNOWN, Vocabulary


def test_specials_come_first() -> None:
    vocabulary = Vocabulary.build([["有", NUMBER, "<pad>"]])
    assert [vocabulary.index(form) for form in (*SPECIALS, "有", "无")] == [PAD, UNKNOWN, 2, 3, UNKNOWN]
    assert len(vocabulary) == 4


def test_frequent_forms_come_first_and_rare_ones_stay_out() -> None:
    vocabulary = Vocabulary.build([["丙", "乙", "甲"], ["乙", "甲"], ["乙"]], min_count=2)
    assert vocabulary.forms == (*SPECIALS, "乙", "甲")


def test_encode() -> None:
    vocabulary = Vocabulary.build([["有", "个"]])
    assert vocabulary.encode(read("有12个人", "char")) == [
        vocabulary.index("有"),
        2,
        vocabulary.index("个"),
        UNKNOWN,
    ]


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), min_size=1)))
def test_saved_and_loaded(tmp_path_factory: pytest.TempPathFactory, forms: list[str]) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.txt"
    vocabulary = Vocabulary.build([forms])
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<pad>\n<unk>\n<num>\n\xff\n",
        b"<pad>\n<num>\n<unk>\n",
        b"<pad>\n<unk>\n<num>\na\na\n",
        b"<pad>\n<unk>\n<num>\n\nb\n",
        b"<pad>\n<unk>\n<num>\nab",
    ],
)
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="damaged"):
        Vocabulary.load(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Vocabulary.load(tmp_path / "nowhere.txt")
