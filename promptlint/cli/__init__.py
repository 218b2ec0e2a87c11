"""The command line: parse, call the pipeline, report. The only place that prints and that decides an exit status."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

DONE = 0
FOUND = 1
FAILED = 2  # the run could not be done: a crash never looks like a finding or a clean run
INTERRUPTED = 130  # as shells have it


def run() -> NoReturn:
    """The whole process. It ends at once: to free all that a run has made takes up to a third of a second."""
    status = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:  # nobody reads on
            pass
        except (OSError, ValueError):  # a full disk, for one
            status = FAILED
    os._exit(status)


def main() -> int:
    """The entry point: 0 nothing at or above --fail-on, 1 findings, 2 the run could not be done."""
    try:
        return _run()
    except KeyboardInterrupt:  # also while the program is still loading
        return INTERRUPTED
    except ImportError as error:  # a broken installation, which is no finding
        print(f"promptlint: cannot be loaded: {error}; install it again", file=sys.stderr)
        return FAILED


def _run() -> int:
    gc.set_threshold(200_000, 50, 100)  # a short run makes much and drops little: collecting often only costs time
    import click

    from promptlint.cli.app import app
    from promptlint.model.errors import Problems, PromptlintError

    try:
        return int(app(prog_name="promptlint", standalone_mode=False) or DONE)
    except Problems as problems:
        return _fail(*(str(error) for error in problems.errors))
    except PromptlintError as error:
        return _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return FAILED
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "promptlint"
        # Of a mistyped command typer writes a suggestion into the message, and click 8.4 adds its own.
        said = error.message if "Did you mean" in error.message else error.format_message()
        return _fail(f"{said.rstrip('.')} (see {command} --help)")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):  # click turns the second into the first, but not at its very ends
        return INTERRUPTED
    except SystemExit as end:  # how shell completion ends, and a help page whose reader has gone
        return FAILED if end.code else DONE
    except BaseException as error:  # tokenizers written in Rust raise panics beside Exception
        if os.environ.get("PROMPTLINT_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        name = type(error).__name__
        return _fail(f"internal error: {name}: {error}; please report it (PROMPTLINT_DEBUG=1 shows where it arose)")


def _fail(*messages: str) -> int:
    """One line for each error on standard error."""
    from promptlint.reporters.visible import visible

    for message in messages:
        print(f"promptlint: {visible(message)}", file=sys.stderr)
    return FAILED
