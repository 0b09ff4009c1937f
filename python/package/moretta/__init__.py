"""moretta publishes tables about people so that others can analyse them and nobody in them is exposed.

>>> import moretta as mo
>>> import polars as pl
>>> people = pl.DataFrame({
...     "age": [34, 36, 38, 51, 57, 58],
...     "sex": ["F", "F", "F", "M", "M", "M"],
...     "disease": ["flu", "gout", "flu", "gout", "flu", "flu"],
... })
>>> release = mo.publish(people, quasi=["age", "sex"], sensitive="disease", require=mo.KAnonymity(3), seed=7)
>>> release.check().holds, release.audit(people).holds
(True, True)
>>> print(release.query("SELECT COUNT(*) WHERE sex = 'F' AND disease = 'flu'"))
 2 [2, 2]
"""

from . import hierarchy, methods, models
from ._calls import (
    Entry,
    Page,
    audit,
    catalogue,
    check,
    compare,
    compare_plan,
    explain,
    inspect,
    open,
    publish,
    query,
    rules,
)
from ._errors import Bug, Cancelled, Error, MachineFailed, PromiseBroken, Refused, WrongInput
from ._moretta import ArrowTable, CancelToken
from ._statistics import read_statistics
from .answers import Answer, Estimate, QueryErrors
from .attacks import Audit, Finding, Knowledge, Victim
from .comparison import Comparison, Point
from .hierarchy import Hierarchy
from .inspection import Inspection
from .methods import Method
from .models import (
    AlphaBetaPrivacy,
    AlphaKAnonymity,
    BTPrivacy,
    BucketSize,
    CondensedK,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    LDiverseSlicing,
    MatchingLDiversity,
    Model,
    NTCloseness,
    PAlphaSensitive,
    PPlusSensitive,
    PPrivate,
    ProbabilisticLDiversity,
    PSensitive,
    RecursiveLDiversity,
    TCloseness,
    UncertainKAnonymity,
)
from .policy import Attribute, Policy
from .release import Release, Table
from .results import AttributeLevels, Levels, Report, Verdict, Verification

__all__ = [
    "AlphaBetaPrivacy",
    "AlphaKAnonymity",
    "Answer",
    "ArrowTable",
    "Attribute",
    "AttributeLevels",
    "Audit",
    "BTPrivacy",
    "BucketSize",
    "Bug",
    "CancelToken",
    "Cancelled",
    "Comparison",
    "CondensedK",
    "DeltaDisclosure",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Entry",
    "Error",
    "Estimate",
    "Finding",
    "Hierarchy",
    "Inspection",
    "KAnonymity",
    "Knowledge",
    "LDiverseSlicing",
    "Levels",
    "MachineFailed",
    "MatchingLDiversity",
    "Method",
    "Model",
    "NTCloseness",
    "PAlphaSensitive",
    "PPlusSensitive",
    "PPrivate",
    "PSensitive",
    "Page",
    "Point",
    "Policy",
    "ProbabilisticLDiversity",
    "PromiseBroken",
    "QueryErrors",
    "RecursiveLDiversity",
    "Refused",
    "Release",
    "Report",
    "TCloseness",
    "Table",
    "UncertainKAnonymity",
    "Verdict",
    "Verification",
    "Victim",
    "WrongInput",
    "audit",
    "catalogue",
    "check",
    "compare",
    "compare_plan",
    "explain",
    "hierarchy",
    "inspect",
    "methods",
    "models",
    "open",
    "publish",
    "query",
    "read_statistics",
    "rules",
]
