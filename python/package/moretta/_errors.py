"""What can go wrong: one exception class for each whose fault it is."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, where, and what would be right.

    The text of the exception is the library's whole message. Programs tell errors apart by ``code``, which never changes; the text may.

    >>> import moretta as mo
    >>> try:
    ...     mo.KAnonymity(0)
    ... except mo.Error as error:
    ...     print(error.code, "-", error.message)
    wrong-parameter - k-anonymity: `k` is 0
    """

    def __init__(
        self,
        text: str,
        *,
        code: str = "wrong-input",
        message: str | None = None,
        hint: str | None = None,
        place: tuple[str | None, int | None, int | None] = (None, None, None),
    ) -> None:
        super().__init__(text)
        self.code = code
        """What kind of error it is, for programs: ``unknown-key``."""
        self.message = text if message is None else message
        """What is wrong, in one sentence."""
        self.hint = hint
        """What would be right, where that is known."""
        self.file, self.line, self.column = place


class WrongInput(Error, ValueError):
    """The input or the policy is wrong, whatever the data."""


class Refused(Error):
    """The policy is fine, but this data can't meet it: nothing was published."""


class PromiseBroken(Error):
    """A release or a table does not keep a promise that was required of it."""


class MachineFailed(Error, RuntimeError):
    """The machine failed: a file can't be read or written, the disk is full."""


class Bug(Error, RuntimeError):
    """A bug in moretta; please report it."""


class Cancelled(Error):
    """The work was asked to stop, and has left nothing behind."""


_CLASSES: dict[str, type[Error]] = {
    "data": Refused,
    "input": WrongInput,
    "machine": MachineFailed,
    "bug": Bug,
    "cancelled": Cancelled,
}


def of(
    fault: str,
    code: str,
    message: str,
    text: str,
    hint: str | None,
    place: tuple[str | None, int | None, int | None],
) -> Error:
    """The exception for an error of the library; called by the native module."""
    return _CLASSES[fault](text, code=code, message=message, hint=hint, place=place)
