"""Names and types of columns that a query gives to CSV files."""

import pytest

import lazyframe as lf


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("k,v\n007,1\n008,2\n")
    (tmp_path / "b.csv").write_text("009;3\n")


def rows(text):
    return lf.sql(text).to_dicts()


def test_all_as_text():
    assert rows("from read_csv('a.csv', all_varchar = true)") == [{"k": "007", "v": "1"}, {"k": "008", "v": "2"}]
    assert rows("from read_csv('a.csv', all_varchar = false) limit 1") == [{"k": "007", "v": 1}]


def test_names_and_types():
    found = rows("from read_csv('a.csv', columns = {'code': 'VARCHAR', 'n': 'DOUBLE'}) limit 1")
    assert found == [{"code": "007", "n": 1.0}]
    found = rows("from read_csv('b.csv', delim = ';', header = false, columns = {'code': 'VARCHAR', 'n': 'INTEGER'})")
    assert found == [{"code": "009", "n": 3}]


def test_names_alone():
    assert rows("from read_csv('b.csv', delim = ';', header = false, names = ['k', 'n'])") == [{"k": "009", "n": 3}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("names = ['k']", "1 column is named, and the file has 2: k, v"),
        ("columns = {'a': 'INTEGER', 'b': 'INTEGER', 'c': 'INTEGER'}", "3 columns are named"),
        ("all_varchar = true, types = {'k': 'VARCHAR'}", "give one"),
        ("filename = true", "'a.csv' AS filename"), ("dateformat = '%d'", "strptime"), ("union_by_name = true", "BY NAME"),
        ("ignore_errors = true", "TRY_CAST"),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_to_write(options, message):
    with pytest.raises(lf.errors.LazyFrameError) as caught:
        rows(f"from read_csv('a.csv', {options})")
    assert message in str(caught.value)
