"""The daemon's log is one line an event that a program can split."""

import json
import logging

import pytest

from vaultd.cli.logs import log_to_stderr


@pytest.fixture(autouse=True)
def _quiet_again():
    yield
    logging.getLogger("vaultd").handlers = []


def test_a_text_line_is_keys_and_values_without_a_space_in_the_time(capsys):
    log_to_stderr("text")
    logging.getLogger("vaultd").info("event=reconciled ms=%d", 12)
    fields = dict(word.split("=") for word in capsys.readouterr().err.split())
    assert fields["event"] == "reconciled"
    assert fields["level"] == "info"
    assert fields["at"].endswith("Z")


def test_a_name_in_a_text_line_breaks_no_line(capsys):
    log_to_stderr("text")
    logging.getLogger("vaultd").info("event=created path=%s", "e\x1b[31m\nvil.md")
    assert capsys.readouterr().err.endswith("path=e\\x1b[31m\\nvil.md\n")


def test_a_json_line_is_one_document(capsys):
    log_to_stderr("json")
    logging.getLogger("vaultd").warning("event=suspended")
    said = json.loads(capsys.readouterr().err)
    assert said["level"] == "warning"
    assert said["message"] == "event=suspended"
