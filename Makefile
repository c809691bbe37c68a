# One command each: make solve, make test. Everything is installed into .venv (solving) and .venv-dev (all the rest).
PROBLEM ?= 一本书240页，小明第一天看了全书的1/4，第二天看了30页，还剩多少页？
PYTHON ?= python3.11
PIP = -m pip install --quiet --disable-pip-version-check

.PHONY: solve serve load page screenshots browser test check format bench figures clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) -e .
	touch $@

.venv-dev/installed: pyproject.toml
	$(PYTHON) -m venv .venv-dev
	# torch first and pinned: that version is the CPU build; a range would pull gigabytes of CUDA
	.venv-dev/bin/python $(PIP) torch==2.13.0
	.venv-dev/bin/python $(PIP) -e ".[train,web,figures,cluster,dev]"
	touch $@

solve: .venv/installed
	@.venv/bin/saligned solve "$(PROBLEM)"

# The page and the API at http://127.0.0.1:8000; make serve OPTIONS="--port 9000"
.venv/installed-web: .venv/installed
	.venv/bin/python $(PIP) -e ".[web]"
	touch $@

serve: .venv/installed-web
	@.venv/bin/saligned serve $(OPTIONS)

# The tests of the page need a browser and a Chinese font; without them they fail and say so.
BROWSER = /usr/bin/chromium
browser: | $(BROWSER)
$(BROWSER):
	@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-wqy-zenhei >/dev/null; \
	else echo "The tests of the web page need a browser: apt-get install chromium fonts-wqy-zenhei"; fi

test: .venv-dev/installed browser
	.venv-dev/bin/python -m pytest

load: .venv-dev/installed
	.venv-dev/bin/python benchmarks/load.py

page: .venv-dev/installed browser
	.venv-dev/bin/python -m benchmarks.page

screenshots: .venv-dev/installed browser
	.venv-dev/bin/python benchmarks/screenshots.py

check: .venv-dev/installed browser
	.venv-dev/bin/ruff format --check .
	.venv-dev/bin/ruff check .
	.venv-dev/bin/mypy
	.venv-dev/bin/python -m pytest

format: .venv-dev/installed
	.venv-dev/bin/ruff format .
	.venv-dev/bin/ruff check --fix .

bench: .venv/installed
	.venv/bin/saligned bench

# The paper's example figures.
FIGURES = docs/figures
EXPLAIN = .venv-dev/bin/saligned explain --force --out $(FIGURES)
figures: .venv-dev/installed
	mkdir -p $(FIGURES)
	$(EXPLAIN)/solving.svg --figure solving "$(NOTEBOOKS)"
	$(EXPLAIN)/inference.svg --figure inference "$(NOTEBOOKS)"
	$(EXPLAIN)/attention.svg --figure attention "$(NUMBER)"
	$(EXPLAIN)/self-attention.svg --figure self-attention --model zh-word-self-attention "$(BANANAS)"
NOTEBOOKS = 小明有10元，买了5支钢笔，每支1元，剩下的钱买笔记本，每本0.5元，可以买多少本？
NUMBER = 6.75减去一个数的5倍等于2.75，这个数是多少？
BANANAS = 有58根香蕉，每个篮子装6根，要正好装满9个篮子，需要拿走多少根香蕉？

clean:
	rm -rf .venv .venv-dev build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
