# `make` alone lists what there is. Everything runs in .venv, which is made when it is missing or out of date.

SHELL = /bin/sh
VENV = .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
TOOLS = $(VENV)/.tools
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e
# The first of these that is Python 3.11 or newer; `make setup PYTHON=…` picks another.
PYTHON ?= $(shell for p in python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
TESTS = tests
# Three for two processors: a quarter of the time of a test is waiting for a daemon, a clock or a disk.
AT_ONCE = 3
# Where a change is judged, a test that fails is tried once more and named with what went wrong, three at most; not one
# about kills and random histories: where such a one fails once, something is lost.
ONCE_MORE = --reruns 1 --reruns-delay 2 --max-suite-reruns 3 --rerun-show-tracebacks \
	--rerun-exclude-path tests/crash --rerun-exclude-path tests/property
# Where tests make and throw away thousands of repositories: in memory, if programs may run there and 600 MB are free.
ROOM = $(shell { awk '$$2 == "/dev/shm" && $$4 !~ /noexec/ { print $$2 }' /proc/mounts | head -n 1 | xargs -r df -Pk | \
	awk 'NR == 2 && $$4 > 600000 { print $$6 }'; } 2>/dev/null || true)
# ruff would format the code in Markdown too, and notes are not ours to format.
NOT_NOTES = --exclude '*.md'

.DEFAULT_GOAL = help
.PHONY: help setup run test check fmt docs bench soak clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):[^#]*## /\1	/p' $(MAKEFILE_LIST) | while IFS='	' read -r name what; do \
		printf '  make %-7s %s\n' "$$name" "$$what"; done

setup: $(TOOLS) ## make .venv and install vaultd with its tools into it

$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "vaultd needs Python 3.11 or newer: install it, or name it with PYTHON=…" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo 'installing into $(VENV)'
	@$(PIP) .
	@touch $@

$(TOOLS): $(INSTALLED)
	@echo 'installing the tools into $(VENV)'
	@$(PIP) '.[dev]'
	@touch $@

run: $(INSTALLED) ## a throw-away copy of the sample vault, shown and watched; VAULT=~/notes: that one, after asking
	@if [ -n "$${VAULT-}" ]; then $(TAKE_REAL_ONE); else $(BIN)/vaultd demo; fi

# A shell that is not bash hands `VAULT=~/notes` over as it is written, so the tilde is opened here.
define TAKE_REAL_ONE
	case "$$VAULT" in "~"/*) vault="$$HOME/$${VAULT#??}" ;; *) vault="$$VAULT" ;; esac; \
	vault=$$(cd "$$vault" && pwd) || exit 2; \
	$(BIN)/vaultd init "$$vault" --dry-run || exit $$?; \
	printf 'Go on? [y/N] '; read -r answer || answer=n; \
	case "$$answer" in [yY]*) ;; *) echo 'Nothing was changed.'; exit 0 ;; esac; \
	$(BIN)/vaultd init "$$vault" --yes || exit $$?; \
	printf '%s\n' '' \
		'  Type this in a second terminal:' '' \
		"    cd '$$vault'" \
		"    PATH='$$(cd $(BIN) && pwd)':\$$PATH" '' \
		'    vaultd status                 how many notes, what is rejected, what waits' \
		'    vaultd check                  every problem, with the command that mends it' '' \
		'  Ctrl-C stops watching.' ''; \
	$(BIN)/vaultd up "$$vault" || { rc=$$?; [ "$$rc" -eq 130 ] || exit "$$rc"; }
endef

test: check ## check, then every test but the long ones; TESTS=path for fewer
	$(if $(ROOM),TMPDIR=$(ROOM)) $(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal -m 'not soak' \
		$(if $(CI),$(ONCE_MORE)) $(TESTS)

check: $(TOOLS) ## lint, format, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(NOT_NOTES) .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(TOOLS) ## format, and mend what ruff can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format $(NOT_NOTES) .

docs: $(TOOLS) ## write the reference pages that are made from code
	$(BIN)/python -m tests.docs.pages

bench: $(TOOLS) ## measure, each figure beside its limit
	$(BIN)/python -m tests.bench

soak: $(TOOLS) ## the long randomised tests
	$(BIN)/python -m pytest -m soak $(TESTS)

clean: ## remove what make and the tools made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
