"""docs/api.md names what the API has."""

import re
from pathlib import Path

import httpx

from saligned.web import app

DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
SOURCE = "".join(path.read_text(encoding="utf-8") for path in Path(app.__file__).parent.glob("*.py"))


def test_every_endpoint_and_field_is_described(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"`{method.upper()} {path}`" in DOCUMENT
    for name in ("SolveRequest", "BatchRequest", "SolutionBody"):
        for field in document["components"]["schemas"][name]["properties"]:
            assert field in DOCUMENT, field


def test_every_error_code_is_described() -> None:
    codes = set(re.findall(r"(?:ApiError|error_response)\(\s*(\d{3}),\s*\"(\w+)\"", SOURCE))
    assert len(codes) >= 7
    for status, code in codes:
        assert re.search(rf"\| {status} \|.*`{code}`", DOCUMENT), code
