"""The examples of training: a few steps of each, beside what numpy, DuckDB and PyTorch make of the same."""

import importlib.util
from pathlib import Path

import duckdb
import numpy as np
import pytest

import lazyframe as lf

ROOT = Path(__file__).resolve().parents[2]

# Of PyTorch 2.13.0 (CPU, float64): Linear(2, 4), ReLU, Linear(4, 1) from the weights of the example, MSELoss, SGD(lr=0.1).
PYTORCH = [
    0.098925, 0.07840283492817796, 0.06968383177383605, 0.06329588640612524, 0.057686682337544946,
    0.05256209236418889, 0.04784414349227402, 0.04349580267295875, 0.039489958442494824, 0.035803296964601806,
    0.032414707757336673, 0.029304644078544738, 0.026454767653621623, 0.02431329616114422, 0.022377382633614527,
    0.020639701405562785, 0.019214988615152917, 0.01772150158897206, 0.016354891055661153, 0.015107787956324979,
    0.014052641363056536, 0.013155735896868768, 0.012308561153319865, 0.011652038643397455, 0.010887350579049476,
    0.010337438349673033, 0.009794292091333739, 0.009164901788785176, 0.008621830870644793, 0.008206681669526796,
    0.007679403163698446, 0.007215854296956055, 0.006869740156986354, 0.00651341570379752, 0.006097656276785836,
    0.0057217069142242805, 0.005430300710238498, 0.005136144676273982, 0.004857047709146121, 0.0045464981748026545,
    0.004319492455245183, 0.004080599675659877, 0.003822107134769762, 0.0036227381946431648, 0.0034284194725502557,
    0.003246363889200881, 0.0030354974845069028, 0.0028544892955928995, 0.002712770968562013, 0.002585559749689427,
    0.0024141935850087145, 0.002263819894168988, 0.0021345412837435445, 0.002046936840676085, 0.0019282056012640662,
    0.001802082270520321, 0.0016897440582845401, 0.001600888780820771, 0.0015432260186678045, 0.0014332892512534578,
    0.0013424593795007534, 0.0012590455837447685, 0.0012062934237816354, 0.0011505449011024794, 0.0010677374920960092,
    0.0009998074537446576, 0.000941824410490062, 0.0009137666529080472, 0.0008476933879468266, 0.0007936086670682034,
    0.0007439937575652975, 0.0007085566863334107, 0.0006801867495927837, 0.0006306799906969653, 0.000590315031999118,
    0.0005560342076305366, 0.0005325149909416554, 0.0005059690097433138, 0.0004731067615660438, 0.00044458795147635325,
    0.0004237162988589885, 0.0004042459215743568, 0.00037959712530826297, 0.00035800338505856237, 0.00033899451592210545,
    0.0003188273867224038, 0.0003041482254010068, 0.0002886342960355994, 0.00027207202849710804, 0.00025517699045786386,
    0.00024124731165288822, 0.00023434555684167342, 0.00021767312324520055, 0.00020372361648544782, 0.00019457207176498643,
    0.0001842056051930732, 0.00017525279496219068, 0.00016445567718135847, 0.000156572373770508, 0.00014644492659128362,
]  # fmt: skip


def example(name):
    spec = importlib.util.spec_from_file_location(f"{name}_example", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def duck():
    with duckdb.connect() as connection:
        for table in ("flights", "airlines", "planes", "weather"):
            connection.execute(f"create view {table} as from '{ROOT}/datasets/{table}.parquet'")
        yield connection


def test_every_example_is_short():
    for path in (ROOT / "examples").glob("*.py"):
        assert path.name == "flights.py" or len(path.read_text().splitlines()) < 80


def test_network_follows_pytorch(capsys):
    history = example("network").main()
    np.testing.assert_allclose(history.losses, PYTORCH, rtol=1e-9)
    assert "step   80" in capsys.readouterr().out


def test_linear_regression(duck, capsys):
    module = example("linear_regression")
    history = module.main(steps=3)
    assert "minutes for all flights" in capsys.readouterr().out
    table = duck.execute("""
        select dep_delay / 60.0, distance / 1000.0, wind_speed / 10, precip * 10, (f.year - p.year) / 10.0, 1.0, arr_delay / 60.0
        from flights f join weather w on f.origin = w.origin and f.time_hour = w.time_hour join planes p using (tailnum)
        where arr_delay is not null and dep_delay is not null and wind_speed is not null and p.year is not null""").fetchnumpy()
    *columns, y = table.values()
    x = np.column_stack([np.asarray(each, dtype=float) for each in columns])
    w, speed, expected = np.zeros(6), np.zeros(6), []
    for _ in range(3):
        off = x @ w - np.asarray(y, dtype=float)
        expected.append(np.mean(off**2))
        speed = 0.9 * speed + 2 * x.T @ off / len(off)
        w = w - 0.08 * speed
    np.testing.assert_allclose(history.losses, expected, rtol=1e-9)


def test_logistic_regression(duck, capsys):
    history = example("logistic_regression").main(epochs=1)
    rows = duck.execute("select count(*) from flights where arr_delay is not null").fetchone()[0]
    assert len(history.losses) == -(-rows // 4096)
    # All weights are 0 at first, and each flight is as likely to be late as not.
    assert history.losses[0] == pytest.approx(np.log(2), rel=1e-12)
    late = duck.execute("select avg((arr_delay >= 30)::int) from flights").fetchone()[0]
    guess = -(late * np.log(late) + (1 - late) * np.log(1 - late))
    text = capsys.readouterr().out
    assert "mean surprise of all flights: 0.6931 -> " in text
    assert guess * 0.9 < float(text.splitlines()[0].split()[-1]) < guess


def test_poisson_regression(duck, capsys):
    module = example("poisson_regression")
    weights, loss = module.model()
    _, (gradient,) = lf.value_and_grad(loss, [weights])
    table = duck.execute("""
        select w.wind_speed / 10, w.precip * 10, 1 - w.visib / 10, planned, cancelled
        from (select origin, time_hour, count(*) as planned, count(*) filter (dep_time is null) as cancelled from flights group by all)
        join weather w using (origin, time_hour) where w.wind_speed < 100""").fetchnumpy()
    *columns, planned, cancelled = [np.asarray(each, dtype=float) for each in table.values()]
    x = np.column_stack([*columns, np.ones(len(planned))])
    expected = planned * np.exp(x @ weights.value)
    np.testing.assert_allclose(gradient, x.T @ (expected - cancelled) / len(planned), rtol=1e-9)
    history = module.main(steps=3)
    assert history.losses[-1] < history.losses[0]
    assert "for all hours" in capsys.readouterr().out


def test_matrix_factorisation(capsys):
    history = example("matrix_factorisation").main(steps=40, users=40, things=20, count=600)
    assert history.losses[-1] < history.losses[0] / 5
    assert "user_3" in capsys.readouterr().out
