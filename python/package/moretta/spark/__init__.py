"""Tables on a Spark cluster: counted there, planned by the same library as on one machine, written and proved there.

``pip install moretta[spark]``, on the driver and on every executor. Nothing is copied to one machine but counts: who has which combination of
quasi-identifiers and sensitive values. For the same people and the same seed the release has the same rows as that of one machine.
"""

from ._audit import audit
from ._check import check
from ._publish import publish

__all__ = ["audit", "check", "publish"]
