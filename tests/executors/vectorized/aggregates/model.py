"""Aggregates in plain Python: lists, fractions and the statistics of the textbook."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction


def key_of(value):
    """What two values share that are one value to a group: NaN with NaN, -0.0 with 0.0."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return tuple(value) if isinstance(value, list) else value


def rank_of(value):
    """Something that sorts as the values do: NaN last."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return (0, value.encode() if isinstance(value, str) else value)


def first_rows_of_each(rows, key):
    seen, kept = set(), []
    for row in rows:
        if key(row) not in seen:
            seen.add(key(row))
            kept.append(row)
    return kept


def half_away(fraction):
    magnitude = (2 * abs(fraction.numerator) + fraction.denominator) // (2 * fraction.denominator)
    return -magnitude if fraction < 0 else magnitude


def _present(rows):
    return [row[0] for row in rows if row[0] is not None]


def count(rows, **options):
    return len(_present(rows))


def length(rows, **options):
    return len(rows)


def n_unique(rows, **options):
    return len({key_of(row[0]) for row in rows})


def total(rows, **options):
    values = _present(rows)
    if not values:
        return None
    if isinstance(values[0], float):
        return _float_sum(values)
    if isinstance(values[0], Decimal):
        return sum((Fraction(v) for v in values), Fraction(0))
    return sum(values[1:], values[0]) if not isinstance(values[0], bool) else sum(values)


def _float_sum(values):
    special = [v for v in values if not math.isfinite(v)]
    return sum(special) if special else float(sum(map(Fraction, values)))


def mean(rows, **options):
    values = _present(rows)
    if not values:
        return None
    if isinstance(values[0], float):
        return _float_sum(values) / len(values)
    if isinstance(values[0], Decimal):
        places = options["scale"]
        return Fraction(half_away(sum(map(Fraction, values)) / len(values) * 10**places), 10**places)
    return float(Fraction(sum(values), len(values)))


def product(rows, **options):
    values = _present(rows)
    return math.prod(values) if values else None


def least(rows, **options):
    values = _present(rows)
    return min(values, key=rank_of) if values else None


def greatest(rows, **options):
    values = _present(rows)
    return max(values, key=rank_of) if values else None


def least_by(rows, *, ignore_nulls=False, **options):
    kept = [r for r in rows if r[1] is not None and not (ignore_nulls and r[0] is None)]
    return min(kept, key=lambda row: rank_of(row[1]))[0] if kept else None


def greatest_by(rows, *, ignore_nulls=False, **options):
    kept = [r for r in rows if r[1] is not None and not (ignore_nulls and r[0] is None)]
    return max(kept, key=lambda row: rank_of(row[1]))[0] if kept else None


def first(rows, *, ignore_nulls=False, **options):
    values = _present(rows) if ignore_nulls else [row[0] for row in rows]
    return values[0] if values else None


def last(rows, *, ignore_nulls=False, **options):
    return first(rows[::-1], ignore_nulls=ignore_nulls)


def any_(rows, **options):
    values = _present(rows)
    return any(values) if values else None


def all_(rows, **options):
    values = _present(rows)
    return all(values) if values else None


def _central(values, power):
    middle = Fraction(sum(values), 1) / len(values)
    return sum((v - middle) ** power for v in values)


def var(rows, *, ddof=1, **options):
    values = [Fraction(v) for v in _present(rows)]
    return float(_central(values, 2) / (len(values) - ddof)) if len(values) > ddof else None


def std(rows, *, ddof=1, **options):
    found = var(rows, ddof=ddof)
    return None if found is None else math.sqrt(found)


def skew(rows, *, bias=True, **options):
    values = [Fraction(v) for v in _present(rows)]
    n = len(values)
    if n < (1 if bias else 3):
        return None
    second, third = _central(values, 2) / n, _central(values, 3) / n
    if second == 0:
        return math.nan
    found = float(third) / float(second) ** 1.5
    return found if bias else found * math.sqrt(n * (n - 1)) / (n - 2)


def kurtosis(rows, *, bias=True, **options):
    values = [Fraction(v) for v in _present(rows)]
    n = len(values)
    if n < (1 if bias else 4):
        return None
    second, fourth = _central(values, 2) / n, _central(values, 4) / n
    if second == 0:
        return math.nan
    found = fourth / second**2 - 3
    return float(found if bias else Fraction(n - 1, (n - 2) * (n - 3)) * ((n + 1) * found + 6))


def cov(rows, *, ddof=1, **options):
    pairs = [(Fraction(x), Fraction(y)) for x, y in rows if x is not None and y is not None]
    n = len(pairs)
    if n <= ddof:
        return None
    mx, my = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    return float(sum((x - mx) * (y - my) for x, y in pairs) / (n - ddof))


def corr(rows, **options):
    pairs = [row for row in rows if None not in row]
    if not pairs:
        return None
    vx, vy = var([(x,) for x, _ in pairs], ddof=0), var([(y,) for _, y in pairs], ddof=0)
    return cov(pairs, ddof=0) / math.sqrt(vx * vy) if vx * vy else math.nan


def quantile(rows, *, q=0.5, interpolation="linear", **options):
    values = sorted(_present(rows), key=rank_of)
    if not values:
        return None
    q = Fraction(str(q))
    place = q * (len(values) - 1)
    below, above = values[math.floor(place)], values[math.ceil(place)]
    match interpolation:
        case "lower":
            return below
        case "higher":
            return above
        case "nearest":
            return values[math.floor(place + Fraction(1, 2))]
        case "discrete":
            return values[max(math.ceil(q * len(values)) - 1, 0)]
        case "midpoint":
            share = Fraction(1, 2) if place.denominator > 1 else Fraction(0)
        case "linear":
            share = place - math.floor(place)
    if any(isinstance(v, float) and not math.isfinite(v) for v in (below, above)):
        return float(below) if share == 0 or below == above else float(below) * (1 - share) + float(above) * share
    return float(Fraction(below) + (Fraction(above) - Fraction(below)) * share)


def mode(rows, **options):
    values = _present(rows)
    if not values:
        return None
    times = Counter(map(key_of, values))
    return max(values, key=lambda value: times[key_of(value)])


def entropy(rows, *, base=2.0, **options):
    values = _present(rows)
    times = Counter(map(key_of, values)).values()
    return -sum(t / len(values) * math.log(t / len(values), base) for t in times) if values else None


def listed(rows, **options):
    return [row[0] for row in rows] or None


def joined(rows, *, separator=",", **options):
    values = _present(rows)
    return separator.join(values) if values else None


def _bits(join):
    def function(rows, **options):
        values = _present(rows)
        found = values[0] if values else None
        for value in values[1:]:
            found = join(found, value)
        return found

    return function


FUNCTIONS = {
    "count": count, "len": length, "n_unique": n_unique, "sum": total, "mean": mean, "product": product,
    "min": least, "max": greatest, "min_by": least_by, "max_by": greatest_by, "first": first, "last": last,
    "any": any_, "all": all_, "var": var, "std": std, "skew": skew, "kurtosis": kurtosis, "cov": cov, "corr": corr,
    "median": quantile, "quantile": quantile, "mode": mode, "entropy": entropy, "list": listed, "string_agg": joined,
    "bit_and": _bits(lambda a, b: a & b), "bit_or": _bits(lambda a, b: a | b), "bit_xor": _bits(lambda a, b: a ^ b),
}  # fmt: skip
