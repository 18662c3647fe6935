"""Tables that are learned, beside differences of the loss."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import lazyframe as lf
from lazyframe import col
from lazyframe.errors import InvalidArgumentError, TypeMismatchError
from tests.differences import slope

_rng = np.random.default_rng(8)
ROWS = 30
RATED = lf.from_dict(
    {
        "user": [["a", "b", "c", None, "x"][i % 5] for i in range(ROWS)],
        "thing": _rng.integers(0, 4, ROWS).tolist(),
        "stars": _rng.normal(size=ROWS).tolist(),
        "weight": [None if i % 7 == 0 else float(i % 3) for i in range(ROWS)],
    }
)


def tables():
    users = lf.param_table(
        "users", {"user": ["a", "b", "c", "d"], "u": [0.5, -0.3, 1.2, 2.0], "v": [0.1, 0.2, -0.7, 3.0]}, key="user"
    )
    things = lf.param_table(
        "things", {"thing": [0, 1, 2, 3], "label": ["p", "q", "r", "s"], "t": [1.0, -1.0, 0.5, 0.3]}, key="thing"
    )
    return users, things


LOSSES = {
    "joins": lambda u, t: RATED.join(u, on="user")
    .join(t, on="thing")
    .select(((col("stars") - col("u") * col("t") - col("v")) ** 2).mean()),
    "left join": lambda u, t: RATED.join(u, on="user", how="left")
    .join(t, on="thing")
    .select(((col("stars") - col("u").fill_null(0.5) * col("t")) ** 2 * col("weight")).sum()),
    "full join": lambda u, t: RATED.join(u, on="user", how="full").select((col("u") ** 2 * col("v")).sum())
    .join(t.select(col("t").var()), how="cross").select(col("u") * col("t")),
    "groups": lambda u, t: RATED.join(u, on="user")
    .group_by("thing")
    .agg(m=(col("u") * col("stars")).mean(), most=col("v").max())
    .join(t, on="thing")
    .select((col("m") * col("t") ** 2 + col("most")).sum()),
    "twice": lambda u, t: RATED.join(u, on="user")
    .join(u.select("user", w=col("u") * 2), on="user")
    .select((col("w") * col("u") * col("stars")).sum())
    .join(t.select(col("t").sum()), how="cross")
    .select(col("w") + col("t")),
    "union": lambda u, t: lf.concat([u.select(x="u"), t.select(x="t"), u.select(x="v")]).select((col("x") ** 3).sum()),
    "windows": lambda u, t: u.join(t, left_on=lf.lit(1), right_on="thing")
    .with_columns(s=col("u").cum_sum(), share=col("v") / col("v").sum())
    .select((col("s") * col("share") * col("t")).sum()),
    "filter and sort": lambda u, t: u.filter(col("user") != "b").sort("user").limit(2).join(t, how="cross")
    .select((col("u") * col("t")).exp().sum()),
    "regularised": lambda u, t: RATED.join(u, on="user").select(((col("stars") - col("u")) ** 2).mean())
    .join(t.select(r=(col("t") ** 2).mean()), how="cross")
    .join(u.select(q=(col("u") ** 2 + col("v") ** 2).sum()), how="cross")
    .select(col("stars") + 0.1 * col("r") + 0.01 * col("q")),
}  # fmt: skip


def expected(loss, table):
    values = table._cell.value
    found = np.zeros(values.shape)
    for place in np.ndindex(*values.shape):

        def run(value, place=place):
            changed = values.copy()
            changed[place] = value
            table.value = changed
            return loss.item()

        found[place] = slope(run, values[place], 1e-2)
    table.value = values
    return found


def floats(frame, names):
    return np.column_stack([frame[name].to_pylist() for name in names])


@pytest.mark.parametrize("name", LOSSES)
def test_gradient(name):
    users, things = tables()
    loss = LOSSES[name](users, things).select(l=lf.selectors.first())
    value, (by_user, by_thing) = lf.value_and_grad(loss, [users, things])
    assert value == pytest.approx(loss.item(), rel=1e-12)
    assert by_user["user"].to_pylist() == ["a", "b", "c", "d"]
    assert by_thing.select("thing", "label").to_dict() == {"thing": [0, 1, 2, 3], "label": ["p", "q", "r", "s"]}
    np.testing.assert_allclose(floats(by_user, ["u", "v"]), expected(loss, users), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(floats(by_thing, ["t"]), expected(loss, things), rtol=1e-7, atol=1e-7)
    lazily = lf.grad(loss, users)
    assert lazily.columns == ["user", "u", "v"]
    np.testing.assert_allclose(
        floats(lazily.sort("user").collect(), ["u", "v"]), floats(by_user, ["u", "v"]), rtol=1e-9, atol=1e-12
    )


def test_second_derivative():
    users, things = tables()
    first = lf.grad(LOSSES["joins"](users, things), users)
    size = first.select((col("u") ** 2 + col("v") ** 2).sum())
    _, (found,) = lf.value_and_grad(size, [users])
    np.testing.assert_allclose(floats(found, ["u", "v"]), expected(size, users), rtol=1e-6, atol=1e-7)


def test_with_other_parameters():
    users, _ = tables()
    w, a = lf.param("w", 0.3), lf.param("a", np.array([0.2, -0.1]))
    loss = RATED.join(users, on="user").select(((col("stars") - col("u") * w - col("v") * a[0] - a[1]) ** 2).mean())
    value, (by_w, by_users, by_a) = lf.value_and_grad(loss, [w, users, a])
    _, (alone, also) = lf.value_and_grad(loss, [w, a])
    assert by_w == pytest.approx(alone, rel=1e-12)
    np.testing.assert_allclose(by_a, also, rtol=1e-12)
    np.testing.assert_allclose(floats(by_users, ["u", "v"]), expected(loss, users), rtol=1e-7, atol=1e-8)
    assert value == pytest.approx(loss.item())


def test_backward_adds_up():
    users, things = tables()
    loss = LOSSES["joins"](users, things)
    _, (once, _) = lf.value_and_grad(loss, [users, things])
    loss.backward()
    loss.backward()
    np.testing.assert_allclose(floats(users.grad, ["u", "v"]), 2 * floats(once, ["u", "v"]), rtol=1e-12)
    assert things.grad["label"].to_pylist() == ["p", "q", "r", "s"]
    lf.optim.SGD([users]).zero_grad()
    assert users.grad is None


def test_graph():
    users, _ = tables()
    assert users.requires_grad
    assert users.select(col("u") * 2).requires_grad
    assert "users" in repr(users)
    assert users.is_leaf
    loss = users.filter(col("u") > 0).select(col("u").sum())
    assert not loss.is_leaf
    assert "AccumulateGrad of users" in _names(loss.grad_fn)


def _names(function):
    found = [function.name]
    for each, _ in function.next_functions:
        if each is not None:
            found += _names(each)
    return found


def test_rows_of_a_table_that_is_learned_are_not_kept():
    users, things = tables()
    with pytest.raises(InvalidArgumentError, match=r"depend on parameters \('users'\)"):
        RATED.join(users, on="user").cache()
    loss = RATED.join(users, on="user").join(things, on="thing")
    with pytest.raises(InvalidArgumentError, match="has parameters"):
        lf.fit(loss.select(col("u").sum()), [users], lf.optim.SGD([users]), steps=1, batch_size=2, over=loss)


def test_values_are_those_of_the_moment():
    users, _ = tables()
    doubled = lf.prepare(users.filter(col("user") <= "b").select(col("u") * 2))
    assert doubled.to_dict() == {"u": [1.0, -0.6]}
    users.value = np.arange(8.0).reshape(4, 2)
    assert doubled.to_dict() == {"u": [0.0, 4.0]}
    assert users.value.to_dict()["v"] == [1.0, 3.0, 5.0, 7.0]
    assert users.select(col("u").max(), n=lf.len()).to_dicts() == [{"u": 6.0, "n": 4}]
    # What travels to another process is a table of the same values.
    assert pickle.loads(pickle.dumps(users.select("u"))).to_dict() == {"u": [0.0, 2.0, 4.0, 6.0]}


def test_fit_beside_gradient_descent_by_hand():
    users, _ = tables()
    loss = RATED.join(users, on="user").select(((col("stars") - col("u")) ** 2).sum())
    lf.fit(loss, [users], lf.optim.SGD([users], lr=0.02), steps=9)
    mine = dict(zip("abcd", [0.5, -0.3, 1.2, 2.0], strict=True))
    rows = [(r["user"], r["stars"]) for r in RATED.to_dicts() if r["user"] in mine]
    for _ in range(9):
        mine = {k: v - 0.02 * sum(2 * (v - stars) for user, stars in rows if user == k) for k, v in mine.items()}
    assert users.value["u"].to_pylist() == pytest.approx(list(mine.values()), rel=1e-12)
    assert users.value["v"].to_pylist() == [0.1, 0.2, -0.7, 3.0]


def test_batches_of_ratings():
    users, things = tables()
    rated = RATED.filter(col("user").is_in(["a", "b", "c"]))
    error = col("stars") - col("u") * col("t") - col("v")
    loss = rated.join(users, on="user").join(things, on="thing").select((error**2).mean())
    before = loss.item()
    both = [users, things]
    lf.fit(loss, both, lf.optim.Adam(both, lr=0.05), epochs=20, batch_size=7, over=rated, seed=1)
    assert loss.item() < before
    # The last batch of all ratings has two, of which no user is known.
    loss = LOSSES["joins"](users, things)
    with pytest.raises(
        lf.errors.EvaluationError, match=r"(?s)became null in step \d+, with .*take the batches behind them"
    ):
        lf.fit(loss, both, lf.optim.SGD(both, lr=0.0), epochs=20, batch_size=1, over=RATED, seed=1)


def test_a_loss_of_no_rows():
    users, _ = tables()
    loss = RATED.filter(col("stars") > 100).join(users, on="user").select(col("u").mean())
    assert lf.value_and_grad(loss, [users]) == (None, [None])


def test_nan_is_not_hidden():
    users, _ = tables()
    loss = RATED.join(users, on="user").select((col("u").log() * 1.0).sum())
    _, (found,) = lf.value_and_grad(loss, [users])
    assert np.isfinite(found["u"].to_pylist()).all()
    with pytest.raises(lf.errors.EvaluationError, match="nan in step 1"):
        lf.fit(loss, [users], lf.optim.SGD([users]), steps=1)


@pytest.mark.parametrize(
    ("rows", "key", "message"),
    [
        ({"k": [1, 1], "x": [0.0, 0.0]}, "k", "several times"),
        ({"k": [1, None], "x": [0.0, 0.0]}, "k", "is null"),
        ({"k": [1, 2], "x": [0.0, None]}, "k", "'x' of the table 'p' is null"),
        ({"k": [1, 2], "x": [0.0, 1.0]}, "id", "no column 'id'"),
        ({"k": [1, 2], "x": [0.0, 1.0]}, [], "needs a key"),
        ({"k": [], "x": []}, "k", "no column of floats|no rows"),
    ],
)
def test_refused_tables(rows, key, message):
    with pytest.raises((InvalidArgumentError, TypeMismatchError), match=message):
        lf.param_table("p", rows, key)


def test_refusals():
    users, things = tables()
    with pytest.raises(TypeMismatchError, match=r"'x' is int64"):
        lf.param_table("p", {"k": [1], "x": [1]}, "k")
    with pytest.raises(InvalidArgumentError, match=r"no differentiable path .* the table 'users'"):
        lf.grad(RATED.join(users, on="user").select((col("u") > 0).mean()), users)
    with pytest.raises(InvalidArgumentError, match="does not depend on the table 'things'"):
        lf.value_and_grad(users.select(col("u").sum()), [users, things])
    with pytest.raises(InvalidArgumentError, match="a frame of its own"):
        lf.grad(LOSSES["joins"](users, things), [users, things])
    with pytest.raises(InvalidArgumentError, match="not of an expression"):
        lf.grad(col("u") * 2, users)
    with pytest.raises(InvalidArgumentError, match="shape"):
        users.value = np.zeros((2, 2))


def test_lineage_and_rows_are_told_under_its_name_and_without_what_is_internal():
    users, _ = tables()
    loss = RATED.join(users, on="user").select(p=col("u") * 2)
    found = loss.lineage()
    assert found["p"].value == ["users.u"]
    assert found.unused()["users"] == ["v"]
    reason = loss.why(0)
    assert reason["users"].columns == users.columns
    assert len(reason["users"]) == 1
    named = loss.why(0, people=users, rated=RATED)
    assert named["people"].equals(reason["users"])
    assert named["rated"].to_dicts()[0]["user"] == "a"
    assert loss.lineage(people=users)["p"].value == ["people.u"]
