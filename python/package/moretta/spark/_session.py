# pyright: reportMissingImports=false
"""Jobs of Spark that can be stopped, and who is told how far they are."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from .. import _call
from .. import _moretta as native
from .._call import Progress, Seed
from .._errors import Cancelled, WrongInput

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

_LOOK = 0.1  # seconds between two looks at whether the work is to stop


def session(spark: SparkSession | None) -> SparkSession:
    """The session that was passed, or the one that is active."""
    if spark is not None:
        return spark
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise WrongInput("pyspark is not installed: pip install moretta[spark]") from None
    active = SparkSession.getActiveSession()
    if active is None:
        raise WrongInput("there is no Spark session: make one, or pass it as spark=…")
    return active


class Work:
    """A call on a cluster: its stages, its jobs, and what stops them."""

    def __init__(self, spark: SparkSession, progress: Progress, cancel: native.CancelToken | None) -> None:
        self.spark = spark
        self.seconds: dict[str, float] = {}
        self._show = _call._shown(progress)
        self._progress = progress
        self._cancel = cancel
        self._stage: str | None = None

    def call(self, seed: Seed | None = None, threads: int = 0) -> native.Call:
        """A call of the native module under the same watch."""
        return _call.make(seed, threads, self._progress, self._cancel)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage of the work: shown, timed, logged."""
        self.check()
        begun = time.monotonic()
        if self._show is not None:
            self._show(name, None)
        try:
            yield
        finally:
            close = getattr(self._show, "close", None)
            if close is not None:
                close()
        self.seconds[name] = time.monotonic() - begun
        _call.logger.debug("%s: %.2f s", name, self.seconds[name])

    def check(self) -> None:
        """Stops where the work is to stop."""
        if self._cancel is not None and self._cancel.cancelled:
            raise Cancelled("the work was asked to stop, and has left nothing behind", code="cancelled")

    def run(self, action: Callable[[], T]) -> T:
        """Does something that Spark does. Whatever ends it early, Ctrl-C or a token, also stops the jobs on the cluster."""
        tag = f"moretta-{uuid.uuid4().hex}"
        self.spark.addTag(tag)
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(tag, ended), daemon=True)
        watch.start()
        try:
            return action()
        except BaseException:
            _quietly(lambda: self.spark.interruptTag(tag))
            self.check()
            raise
        finally:
            ended.set()
            watch.join()
            _quietly(lambda: self.spark.removeTag(tag))

    def _watch(self, tag: str, ended: threading.Event) -> None:
        while self._cancel is not None and not ended.wait(_LOOK):
            if self._cancel.cancelled:
                # A job may begin just after those of the tag were stopped.
                _quietly(lambda: self.spark.interruptTag(tag))


def _quietly(action: Callable[[], object]) -> None:
    try:
        action()
    except Exception as error:  # what is being reported already matters more
        _call.logger.log(logging.DEBUG, "Spark: %s", type(error).__name__)
