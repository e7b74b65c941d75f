"""A null that is one is written at full speed; a NaN that would become one is not."""

import math

import pytest

from ledger import canonical


def test_nulls_are_kept_and_report_nothing() -> None:
    assert canonical.dumps({"b": None, "a": [None, 1]}) == ('{"a":[null,1],"b":null}', [])


@pytest.mark.parametrize(
    ("value", "text"), [(math.nan, '"NaN"'), (math.inf, '"Infinity"'), (-math.inf, '"-Infinity"')]
)
def test_numbers_without_a_json_form_beside_nulls_are_told(value: float, text: str) -> None:
    written, findings = canonical.dumps({"a": None, "b": [value]})
    assert written == f'{{"a":null,"b":[{text}]}}'
    assert len(findings) == 1
    assert "b" in findings[0].where


def test_keys_that_json_has_no_form_for_are_still_refused_or_replaced_alike() -> None:
    with pytest.raises(canonical.NotJson):
        canonical.dumps({"a": None, "b": {1: 2}})
