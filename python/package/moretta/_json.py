"""Objects as the native module takes them."""

from __future__ import annotations

import json
from typing import Any

from ._errors import WrongInput


def dumps(value: object) -> str:
    """A value as JSON. Numbers of NumPy are numbers; what is infinite or no number is refused."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain, ensure_ascii=False)
    except ValueError as error:
        raise WrongInput("a parameter is infinite or not a number", code="wrong-parameter") from error


def _plain(value: Any) -> object:
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    if isinstance(value, (set, frozenset)):
        raise WrongInput("a set has no order: pass a list", code="wrong-parameter")
    try:
        return list(value)
    except TypeError:
        raise WrongInput(f"a parameter can't be a {type(value).__name__}", code="wrong-parameter") from None


def stated(**parameters: object) -> dict[str, object]:
    """The parameters that were stated."""
    return {name: value for name, value in parameters.items() if value is not None}
