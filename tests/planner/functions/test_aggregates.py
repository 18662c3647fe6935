import pyarrow as pa
import pytest

from lazyframe.planner.errors import InvalidArgumentError, TypeMismatchError
from lazyframe.planner.functions.aggregates import AGGREGATES, SQL_FORMS

DEC = pa.decimal128


def resolve(name, *types, **options):
    return AGGREGATES[name].resolve(types, options)


@pytest.mark.parametrize(
    ("name", "argument", "result"),
    [
        ("sum", pa.int8(), pa.int64()),
        ("sum", pa.int64(), pa.int64()),
        ("sum", pa.uint16(), pa.uint64()),
        ("sum", pa.bool_(), pa.int64()),
        ("sum", pa.float32(), pa.float64()),
        ("sum", DEC(10, 2), DEC(38, 2)),
        ("sum", pa.duration("ms"), pa.duration("ms")),
        ("mean", pa.int32(), pa.float64()),
        ("mean", DEC(10, 2), DEC(38, 12)),
        ("mean", DEC(38, 2), DEC(38, 6)),
        ("mean", DEC(30, 2), DEC(38, 10)),
        ("mean", DEC(38, 36), DEC(38, 38)),
        ("mean", pa.timestamp("s", "UTC"), pa.timestamp("s", "UTC")),
        ("product", pa.uint8(), pa.uint64()),
        ("min", pa.string(), pa.string()),
        ("count", pa.string(), pa.int64()),
        ("first", pa.list_(pa.int8()), pa.list_(pa.int8())),
        ("list", DEC(5, 1), pa.list_(DEC(5, 1))),
        ("median", pa.int64(), pa.float64()),
        ("bit_xor", pa.uint8(), pa.uint8()),
    ],
)
def test_result_types(name, argument, result):
    signature = resolve(name, argument)
    assert signature.arguments == (argument,)
    assert signature.result == result


def test_arguments_that_are_converted():
    assert resolve("var", pa.int32()).arguments == (pa.float64(),)
    assert resolve("corr", DEC(10, 2), pa.float32()).arguments == (pa.float64(), pa.float64())
    assert resolve("mean", pa.date32()) == ((pa.timestamp("us"),), pa.timestamp("us"))
    assert resolve("sum", pa.null()) == ((pa.int64(),), pa.int64())


@pytest.mark.parametrize("name", sorted(AGGREGATES))
def test_what_a_resolver_asks_for_resolves_to_itself(name):
    definition = AGGREGATES[name]
    kinds = [pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float32(), DEC(10, 2), pa.string(), pa.date32()]
    resolved = 0
    for kind in kinds:
        try:
            signature = definition.resolve((kind,) * definition.arity[0], {})
        except TypeMismatchError:
            continue
        resolved += 1
        assert definition.resolve(signature.arguments, {}) == signature
    assert resolved


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("sum", pa.string()),
        ("mean", pa.string()),
        ("any", pa.int64()),
        ("bit_and", pa.float64()),
        ("string_agg", pa.int64()),
    ],
)
def test_types_that_do_not_fit(name, argument):
    with pytest.raises(TypeMismatchError, match=rf"{name}\(\) is not defined for"):
        resolve(name, argument)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("quantile", {"q": -0.1}),
        ("quantile", {"interpolation": "spline"}),
        ("var", {"ddof": -1}),
        ("histogram", {"bins": 0}),
        ("histogram", {"bins": (1, 1)}),
        ("entropy", {"base": 1}),
    ],
)
def test_options_that_make_no_sense(name, options):
    with pytest.raises(InvalidArgumentError):
        resolve(name, pa.float64(), **options)


def test_only_counts_have_a_value_for_no_rows():
    assert {n for n, f in AGGREGATES.items() if not f.empty_is_null} == {"len", "count", "n_unique", "approx_n_unique"}


def test_sql_names_stand_for_functions_and_options_there_are():
    for function, options in SQL_FORMS.values():
        definition = AGGREGATES[function]
        kind = {"string_agg": pa.string(), "any": pa.bool_(), "all": pa.bool_()}.get(function, pa.int64())
        assert definition.resolve((kind,) * definition.arity[0], options)
