"""The endpoints as a client sees them: answers, limits, and one error shape for all that goes wrong."""

import json

import httpx
import pytest

from saligned.examples import ENGLISH_EXAMPLES, EXAMPLES
from saligned.web.app import create_app
from tests.web.scripted import scripted_solver
from tests.web.servers import Served, serving

PROBLEM = "一根绳子长80米，用去它的1/4，又剪下15米，还剩多少米？"


def assert_error(response: httpx.Response, status: int, code: str) -> dict[str, str]:
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"}
    error: dict[str, str] = response.json()["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == code
    assert error["message"]
    assert error["hint"]
    assert "Traceback" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    return error


def test_solve_answers_with_the_solution_of_the_command_line(client: httpx.Client) -> None:
    response = client.post("/api/solve", json={"text": PROBLEM})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    solution = response.json()
    assert solution["status"] == "solved"
    assert solution["answer"] == "45"
    assert solution["equations"] == ["x=80*(1-(1/4))-15"]
    assert solution["model"] == "first"
    assert "trace" not in solution
    assert "explanation" not in solution


def test_trace_and_explanation_come_when_asked_for(client: httpx.Client) -> None:
    solution = client.post("/api/solve", json={"text": PROBLEM, "trace": True, "language": "zh"}).json()
    assert [step["action"] for step in solution["trace"]["steps"]][-1] == "equal"
    assert solution["answer_in_words"] == "45米"
    assert "45米" in solution["explanation"][-1]


def test_a_problem_without_numbers_is_a_failure_not_an_error(client: httpx.Client) -> None:
    response = client.post("/api/solve", json={"text": "今天天气怎么样？", "trace": True, "language": "en"})
    assert response.status_code == 200
    assert response.json()["status"] == "failed"
    assert response.json()["reason"]


def test_a_model_is_chosen_by_name(client: httpx.Client) -> None:
    assert client.post("/api/solve", json={"text": PROBLEM, "model": "second"}).json()["model"] == "second"


def test_the_model_is_chosen_by_the_text(client: httpx.Client) -> None:
    for model in (None, "auto"):
        assert client.post("/api/solve", json={"text": PROBLEM, "model": model}).json()["model"] == "first"


def test_a_batch_may_mix_languages_and_one_that_no_model_reads_fails_alone() -> None:
    chinese, english = scripted_solver("chinese"), scripted_solver("english")
    cards = [{"name": "chinese", "language": "zh"}, {"name": "english", "language": "en"}]
    problems = [{"text": PROBLEM}, {"text": "Tom had 9 pens and lost 4."}, {"text": PROBLEM}]
    with serving(create_app([chinese, english], cards=cards)) as server, server.client() as client:
        solutions = client.post("/api/solve/batch", json={"problems": problems}).json()["solutions"]
        assert [solution["model"] for solution in solutions] == ["chinese", "english", "chinese"]
        assert client.get("/api/examples").json()["examples"] == [*EXAMPLES, *ENGLISH_EXAMPLES]
    with serving(create_app([chinese], cards=cards)) as server, server.client() as client:
        solutions = client.post("/api/solve/batch", json={"problems": problems}).json()["solutions"]
        assert [solution["status"] for solution in solutions] == ["solved", "failed", "solved"]
        assert "chinese" in solutions[1]["reason"]
        alone = client.post("/api/solve", json=problems[1] | {"trace": True, "language": "en"})
        assert (alone.status_code, alone.json()["status"]) == (200, "failed")


def test_answers_less_sure_than_required_are_failures(client: httpx.Client) -> None:
    sure = client.post("/api/solve", json={"text": PROBLEM}).json()
    unsure = client.post("/api/solve", json={"text": PROBLEM, "min_confidence": 1, "trace": True}).json()
    assert (unsure["status"], unsure["answer"]) == ("failed", None)
    assert unsure["confidence"] == sure["confidence"] > 0
    assert unsure["trace"]["status"] == "failed"


def test_odd_answers_carry_warnings(client: httpx.Client) -> None:
    odd = client.post("/api/solve", json={"text": "有4个人，走了9个，还剩几个人？", "beam": 1}).json()
    assert (odd["answer"], odd["warnings"]) == ("-5", ["the answer is negative"])
    assert client.post("/api/solve", json={"text": PROBLEM}).json()["warnings"] == []


def test_batch_keeps_order_and_ids_and_fails_rows_alone(client: httpx.Client) -> None:
    problems = [{"id": f"p{index}", "text": f"有{index + 10}个，拿走{index}个，还剩几个？"} for index in range(200)]
    problems[7] = {"id": "bad", "text": "控\u0007制"}
    solutions = client.post("/api/solve/batch", json={"problems": problems, "beam": 2}).json()["solutions"]
    assert [solution["id"] for solution in solutions] == [problem["id"] for problem in problems]
    assert solutions[7]["status"] == "failed"
    assert {solution["answer"] for index, solution in enumerate(solutions) if index != 7} == {"10"}


def test_models_and_examples(client: httpx.Client) -> None:
    models = client.get("/api/models").json()
    assert models["default"] == "first"
    assert [card["name"] for card in models["models"]] == ["first", "second"]
    assert "files" not in models["models"][0]
    assert client.get("/api/examples").json()["examples"] == list(EXAMPLES)


def test_health_and_metrics(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    client.post("/api/solve", json={"text": PROBLEM})
    client.get("/an/address/that/is/made/up")
    text = client.get("/metrics").text
    assert 'saligned_requests_total{path="/api/solve",status="200"}' in text
    assert 'saligned_problems_total{model="first",status="solved"}' in text
    assert 'path="other",status="404"' in text
    assert "made/up" not in text


def test_openapi_knows_the_endpoints_and_the_error_shape(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    assert {"/api/solve", "/api/solve/batch", "/api/models", "/healthz"} <= set(document["paths"])
    responses = document["paths"]["/api/solve"]["post"]["responses"]
    assert set(responses) == {"200", "400", "401", "404", "413", "503", "504"}
    assert responses["400"]["content"]["application/json"]["schema"]["$ref"].endswith("ErrorBody")
    assert "HTTPValidationError" not in json.dumps(document)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"text": ' + b"9" * 5000 + b"}",
        b'{"text": NaN}',
    ],
)
def test_broken_json(client: httpx.Client, body: bytes) -> None:
    response = client.post("/api/solve", content=body, headers={"Content-Type": "application/json"})
    assert_error(response, 400, response.json()["error"]["code"])


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": None}, "text"),
        ({"text": ["有5个"]}, "text"),
        ({"text": "有5个", "beam": 0}, "beam"),
        ({"text": "有5个", "beam": 51}, "beam"),
        ({"text": "有5个", "beam": "5"}, "beam"),
        ({"text": "有5个", "trace": "yes"}, "trace"),
        ({"text": "有5个", "min_confidence": 2}, "min_confidence"),
        ({"text": "有5个", "min_confidence": "0.5"}, "min_confidence"),
        ({"text": "有5个", "language": "fr"}, "language"),
        ({"text": "有5个", "colour": 1}, "colour"),
        ({"text": "五" * 2001}, "text"),
    ],
)
def test_wrong_fields_are_named(client: httpx.Client, body: object, place: str) -> None:
    error = assert_error(client.post("/api/solve", json=body), 400, "invalid_request")
    assert error["message"].startswith(f"{place}: ")


def test_an_array_is_no_request(client: httpx.Client) -> None:
    assert_error(client.post("/api/solve", json=["有5个"]), 400, "invalid_request")


@pytest.mark.parametrize("body", [rb'{"text": "\ud800 5"}', rb'{"\ud800": 1, "text": "5"}'])
def test_lone_surrogates(client: httpx.Client, body: bytes) -> None:
    response = client.post("/api/solve", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["error"]["hint"]


def test_a_form_of_another_site_is_not_read(client: httpx.Client) -> None:
    body = json.dumps({"text": PROBLEM})
    response = client.post("/api/solve", content=body, headers={"Content-Type": "text/plain"})
    assert_error(response, 400, "invalid_request")


@pytest.mark.parametrize("text", ["", "   ", "有5\u0000个", "有5\u001b[31m个", "有5\u0085个"])
def test_unreadable_texts(client: httpx.Client, text: str) -> None:
    assert_error(client.post("/api/solve", json={"text": text}), 400, "unreadable_text")


@pytest.mark.parametrize("model", ["nobody", "../first", "/etc", ""])
def test_unknown_models(client: httpx.Client, model: str) -> None:
    response = client.post("/api/solve", json={"text": PROBLEM, "model": model})
    if model:
        assert "first" in assert_error(response, 404, "unknown_model")["hint"]
    else:
        assert response.json()["model"] == "first"


@pytest.mark.parametrize("count", [0, 257])
def test_batches_of_1_to_256(client: httpx.Client, count: int) -> None:
    response = client.post("/api/solve/batch", json={"problems": [{"text": "有5个"}] * count})
    assert assert_error(response, 400, "invalid_request")["message"].startswith("problems: ")


def test_a_wrong_row_of_a_batch_is_named(client: httpx.Client) -> None:
    response = client.post("/api/solve/batch", json={"problems": [{"text": "有5个"}, {"id": "2"}]})
    assert assert_error(response, 400, "invalid_request")["message"].startswith("problems[1].text: ")


def test_not_found_and_wrong_method(client: httpx.Client) -> None:
    assert_error(client.get("/nowhere"), 404, "not_found")
    assert_error(client.get("/static/../app.py"), 404, "not_found")
    assert_error(client.get("/static/%2e%2e/app.py"), 404, "not_found")
    response = client.get("/api/solve")
    assert_error(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


def test_large_bodies_declared_and_streamed(served: Served) -> None:
    body = json.dumps({"text": "五" * 1_000_000}).encode()
    headers = {"Content-Type": "application/json"}
    with served.client() as client:
        assert_error(client.post("/api/solve", content=body, headers=headers), 413, "too_large")
    with served.client() as client:
        stream = (b"[" * 100_000 for _ in range(11))
        assert_error(client.post("/api/solve", content=stream, headers=headers), 413, "too_large")


@pytest.mark.parametrize("path", ["/", "/docs", "/static/main.js", "/api/models", "/nowhere"])
def test_security_headers(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers
