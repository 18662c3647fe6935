"""Reading statements with prompt_toolkit: several lines, history, completion, colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_completions
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from lazyframe.prompt.completion import suggestions
from lazyframe.prompt.history import history_file
from lazyframe.prompt.shell import Shell

_PROMPT, _CONTINUED = "lf> ", "... "


class SqlCompleter(Completer):
    """Completes what is typed at the prompt of a shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What could stand at the cursor."""
        for text, length, kind in suggestions(document.text_before_cursor, document.text, self._shell):
            yield Completion(text, start_position=-length, display_meta=kind)


def statements(shell: Shell, **options: Any) -> Iterator[str]:
    """What is typed, as often as it is complete, until Ctrl-D.

    Args:
        shell: whose names are completed.
        options: for `PromptSession`: other inputs and outputs.
    """
    reader: PromptSession[str] = PromptSession(
        message=_PROMPT,
        multiline=True,
        prompt_continuation=_CONTINUED,
        lexer=PygmentsLexer(SqlLexer),
        completer=SqlCompleter(shell),
        # Asked for with Tab: what is offered may list a folder.
        complete_while_typing=False,
        history=_history(),
        key_bindings=_bindings(shell),
        **options,
    )
    while True:
        try:
            yield reader.prompt()
        except KeyboardInterrupt:  # what was typed is forgotten
            continue
        except EOFError:
            return


def _history() -> History:
    file = history_file()
    return InMemoryHistory() if file is None else FileHistory(str(file))


def _bindings(shell: Shell) -> KeyBindings:
    """Enter runs what is complete, and begins a line where it is not."""
    bindings = KeyBindings()

    @Condition
    def chosen() -> bool:
        state = get_app().current_buffer.complete_state
        return state is not None and state.current_completion is not None

    @bindings.add("enter", filter=has_completions & chosen)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @bindings.add("enter", filter=~(has_completions & chosen))
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if shell.is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
