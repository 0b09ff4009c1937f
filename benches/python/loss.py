"""One measure for what every tool publishes: the share of each value's precision that is gone, from 0 to 1.

A number becomes an interval: its width over that of the table. Any other value becomes a label: (values under it - 1) / (values - 1).
A person who is left out loses everything. The mean over people and quasi-identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

INTERVAL = re.compile(r"[\[\(]?\s*(-?\d+(?:\.\d+)?)\s*(?:,|-)\s*(-?\d+(?:\.\d+)?)\s*[\]\)]?$")


def of_table(
    original: pd.DataFrame, published: pd.DataFrame, columns: list[str], leaves: Mapping[str, Mapping[str, int]]
) -> float:
    """The loss of a table that has a row for each person; people who are missing in it were left out."""
    lost = sum(of_column(original[name], published[name].astype(str), leaves.get(name, {})) for name in columns)
    left_out = len(original) - len(published)
    return (lost / len(columns) + left_out) / len(original)


def of_column(original: pd.Series, published: pd.Series, leaves: Mapping[str, int]) -> float:
    """The sum over people, computed once for each label."""
    return float(sum(of_label(label, original, leaves) * people for label, people in published.value_counts().items()))


def of_label(label: str, original: pd.Series, leaves: Mapping[str, int]) -> float:
    """What a label loses."""
    values = original.unique()
    if label in leaves:
        return (leaves[label] - 1) / (max(leaves.values()) - 1)
    if pd.api.types.is_numeric_dtype(original):
        if label == "*":
            return 1.0
        found = INTERVAL.match(label)
        lowest, highest = (found[1], found[2]) if found else (label, label)
        return min(1.0, (float(highest) - float(lowest)) / float(original.max() - original.min()))
    if label == "*":
        return 1.0
    # Sets: {a, b} or a,b. No value of Adult holds a comma.
    return (len(label.strip("{}").split(",")) - 1) / (len(values) - 1)


def leaves_of(hierarchy: pd.DataFrame) -> dict[str, int]:
    """How many values stand under each label of a hierarchy."""
    texts = hierarchy.astype(str)
    return {label: texts[texts[level] == label][0].nunique() for level in texts for label in texts[level].unique()}
