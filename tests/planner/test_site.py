"""Sites: which frame is the user's, and how a place is shown."""

from __future__ import annotations

import sys
import threading

import pytest

from lazyframe.planner.site import Site, TextSite, ambient, capture


def here():
    return capture()


def test_the_innermost_frame_outside_the_package_is_captured():
    site = here()
    assert isinstance(site, Site)
    assert site.function == "here"
    assert site.file == __file__
    assert site.line == here.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [("lazyframe", True), ("lazyframe.planner.x", True), ("lazyframes", False), ("__main__", False)],
)
def test_frames_of_the_package_are_passed_over(name, is_ours):
    scope = {"__name__": name, "capture": capture}
    exec("def inner(): return capture()", scope)
    found = scope["inner"]()
    assert (found.function != "inner") == is_ours


def site_at(frame_offset: str, source: str) -> Site:
    """The site of an instruction in a piece of code: the first whose columns are those of a text in it."""
    code = compile(source, "<piece>", "exec")
    start = source.index(frame_offset)
    line = source.count("\n", 0, start) + 1
    column = len(source[source.rfind("\n", 0, start) + 1 : start].encode())
    for index, position in enumerate(code.co_positions()):
        if position[0] == line and position[2] == column:
            return Site(code, index * 2)
    raise AssertionError


def test_a_site_without_source_shows_its_line():
    assert site_at("b", "a = 1\nb = 2").describe() == '  File "<piece>", line 2'


def test_an_expression_is_underlined(tmp_path):
    path = tmp_path / "user.py"
    path.write_text(
        "def f(g):\n    return g(\n        1,\n    )\n\n\ndef h(g): return 1 + g('é', 2)\n", encoding="utf-8"
    )
    found = []

    def note(*args):
        frame = sys._getframe(1)
        found.append(Site(frame.f_code, frame.f_lasti).describe())

    scope: dict = {"__name__": "__main__"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
    scope["f"](note)
    with pytest.raises(TypeError):
        scope["h"](note)
    assert found[0] == f'  File "{path}", line 2, in f\n    return g(\n           ^^'
    assert (
        found[1]
        == f"  File \"{path}\", line 7, in h\n    def h(g): return 1 + g('é', 2)\n                         ^^^^^^^^^"
    )


def test_places_in_text():
    assert TextSite("flights.csv", 3).describe() == "  flights.csv line 3"
    sql = TextSite("SQL", 1, 8, "select nme from t", 3)
    assert sql.describe() == "  SQL line 1, column 8\n    select nme from t\n           ^^^"


def test_the_ambient_site_belongs_to_its_thread():
    ambient.site = TextSite("here", 1)
    try:
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ambient.site))
        thread.start()
        thread.join()
        assert seen == [None]
    finally:
        ambient.site = None
