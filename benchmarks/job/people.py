"""People and companies, and what they did in films.

The few who are in everything are so in films of their own country; actresses are women; notes depend on what somebody did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.job import vocabulary as words
from benchmarks.job.constants import Constants
from benchmarks.job.draws import Draws, case, joined, take
from benchmarks.job.films import Columns, Films

_POPULARITY = 200.0
_ROLES, _COUNTRIES = list(words.ROLES), list(words.COUNTRIES)


@dataclass(frozen=True)
class Groups:
    """Things in groups, of each the most popular ones first.

    Args:
        members: group by group.
        starts: where each group starts.
        sizes: how many each has.
    """

    members: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, group: np.ndarray, count: int) -> Groups:
        """Of the group of each thing; those that come first are the most popular."""
        sizes = np.bincount(group, minlength=count)
        return cls(np.argsort(group, kind="stable"), np.cumsum(sizes) - sizes, sizes)

    def drawn(self, draws: Draws, group: np.ndarray, shift: float) -> np.ndarray:
        """A member of each of some groups; of any group where it has none."""
        sizes = self.sizes[group]
        within = self.starts[group] + draws.zipf(len(group), np.maximum(sizes, 1), shift)
        anywhere = draws.below(len(group), len(self.members))
        return self.members[np.where(sizes > 0, within, anywhere)]


@dataclass(frozen=True)
class People:
    """Numbered from 0, the most popular first; `gender` is 0 of men, 1 of women, 2 where it is not known."""

    gender: np.ndarray
    name: pa.Array
    by_gender_and_country: Groups


def people(draws: Draws, count: int, constants: Constants) -> tuple[People, Columns]:
    gender = draws.weighted(count, (50, 32, 18))
    country = draws.weighted(count, [share for _, _, share in words.COUNTRIES.values()])
    known = [text.replace(" ", ", ", 1) for text in constants[("name", "name")] if " " in text]
    gender[: len(known)], country[: len(known)] = 0, 0
    first = case(
        (gender == 1, draws.of(count, words.FIRST_NAMES["f"].split())),
        default=draws.of(count, words.FIRST_NAMES["m"].split()),
    )
    name = joined(_surnames(draws, count), ", ", first)
    name = pa.concat_arrays([pa.array(known, pa.string()), name.slice(len(known))])
    code = joined(
        pc.utf8_slice_codeunits(name, 0, 1), draws.below(count, 6), draws.below(count, 6), draws.below(count, 6)
    )
    columns: Columns = {
        "name": name,
        "imdb_index": case((draws.chance(count, 0.2), "I")),
        "gender": case((gender == 0, "m"), (gender == 1, "f")),
        "name_pcode_cf": code,
    }
    group = np.minimum(gender, 1) * len(_COUNTRIES) + country
    return People(gender, name, Groups.of(group, 2 * len(_COUNTRIES))), columns


def aka_names(draws: Draws, someone: People, count: int) -> Columns:
    person = np.sort(draws.zipf(count, len(someone.gender), _POPULARITY))
    return {"person_id": person + 1, "name": joined(take(someone.name, person), " ", _surnames(draws, count))}


def facts(draws: Draws, someone: People, count: int, constants: Constants) -> Columns:
    """`person_info`: those who write biographies sign them."""
    person = np.sort(draws.zipf(count, len(someone.gender), _POPULARITY))
    about = draws.weighted(count, words.OF_PEOPLE)
    kinds = list(words.OF_PEOPLE)
    authors = [*constants[("person_info", "note")], *[f"Author {number}" for number in range(300)]]
    is_signed = (about == kinds.index("mini biography")) | draws.chance(count, 0.1)
    return {
        "person_id": person + 1,
        "info_type_id": np.array([words.INFO_TYPES.index(kind) + 1 for kind in kinds])[about],
        "info": joined(take(kinds, about), " ", draws.below(count, 10_000)),
        "note": case((is_signed, take(authors, draws.zipf(count, len(authors), 2)))),
    }


def characters(draws: Draws, count: int, constants: Constants) -> Columns:
    known = [text for text in constants[("char_name", "name")] if len(text) > 3]
    name = case(
        (draws.chance(count, 0.15), joined(draws.of(count, words.PEOPLE_IN_FILMS), " ", draws.below(count, 500))),
        (draws.chance(count, 0.5), draws.of(count, words.FIRST_NAMES["f"].split())),
        default=joined(draws.of(count, words.FIRST_NAMES["m"].split()), " ", _surnames(draws, count)),
    )
    return {"name": pa.concat_arrays([pa.array(known, pa.string()), name.slice(len(known))])}


def casts(draws: Draws, films: Films, someone: People, count: int, characters: int, constants: Constants) -> Columns:
    """`cast_info`, in the order of the people."""
    film = films.drawn(draws, count)
    role = draws.weighted(count, words.ROLES)
    country = np.where(draws.chance(count, 0.7), films.country[film], draws.weighted(count, _shares()))
    gender = np.where(role == _ROLES.index("actress"), 1, np.where(_is(role, "actor"), 0, draws.chance(count, 0.3)))
    person = someone.by_gender_and_country.drawn(draws, gender * len(_COUNTRIES) + country, _POPULARITY)
    on_screen = _is(role, "actor", "actress")
    is_drawn = films.is_genre("Animation")[film]
    notes = constants[("cast_info", "note")]
    voices = sorted([note for note in notes if "voice" in note], key=len)
    producing = [note for note in notes if "producer" in note]
    writing = [note for note in notes if note not in voices and note not in producing and note != "(uncredited)"]
    note = case(
        (
            on_screen & draws.chance(count, np.where(is_drawn, 0.7, 0.08)),
            take(voices, draws.zipf(count, len(voices), 1.5)),
        ),
        (on_screen & draws.chance(count, 0.12), "(uncredited)"),
        (_is(role, "writer") & draws.chance(count, 0.7), draws.of(count, writing)),
        (draws.chance(count, np.where(_is(role, "producer"), 0.8, 0.03)), draws.of(count, producing)),
        (draws.chance(count, 0.1), "(as a pseudonym)"),
    )
    character = np.where(draws.chance(count, 0.3), films.rank[film] % characters, draws.zipf(count, characters, 40))
    order = np.argsort(person, kind="stable")
    columns: Columns = {
        "person_id": person + 1,
        "movie_id": film + 1,
        "person_role_id": pa.array(character + 1, mask=~draws.chance(count, np.where(on_screen, 0.75, 0.04))),
        "note": note,
        "nr_order": pa.array(1 + draws.zipf(count, 200, 10), mask=~on_screen),
        "role_id": role + 1,
    }
    return {
        name: column.take(pa.array(order)) if isinstance(column, pa.Array) else column[order]
        for name, column in columns.items()
    }


def companies(draws: Draws, count: int, constants: Constants) -> tuple[Groups, Columns]:
    """`company_name`: what they are called depends on their country. The known ones are the most popular of America."""
    known = constants[("company_name", "name")]
    country = draws.weighted(count, _shares())
    country[: len(known)] = 0
    codes = [code for code, _, _ in words.COUNTRIES.values()]
    kinds = [words.COMPANY_WORDS.get(code, words.ELSEWHERE) for code in codes]
    kind = pa.array(
        [kinds[c][n % len(kinds[c])] for c, n in zip(country.tolist(), draws.below(count, 60).tolist(), strict=True)]
    )
    name = joined(_surnames(draws, count), " ", kind)
    columns: Columns = {
        "name": pa.concat_arrays([pa.array(known, pa.string()), name.slice(len(known))]),
        "country_code": case((draws.chance(count, 0.97), take(codes, country))),
    }
    return Groups.of(country, len(codes)), columns


def productions(draws: Draws, films: Films, makers: Groups, count: int, constants: Constants) -> Columns:
    """`movie_companies`: who made a film comes from its country, and who brings it to people says when and where."""
    film = films.drawn(draws, count)
    kind = draws.weighted(count, words.COMPANY_TYPES)
    country = np.where(draws.chance(count, 0.65), films.country[film], draws.zipf(count, len(_COUNTRIES), 1))
    company = makers.drawn(draws, country, 6)
    year = np.minimum(films.year[film] + draws.zipf(count, 10, 1), 2015)
    where = case((draws.chance(count, 0.12), "worldwide"), default=take(_COUNTRIES, country))
    notes = constants[("movie_companies", "note")]
    of_makers = [note for note in notes if note in ("(co-production)", "(presents)")] + [
        "(as Metro-Goldwyn-Mayer Pictures)"
    ]
    is_maker = kind == list(words.COMPANY_TYPES).index("production companies")
    note = case(
        (is_maker & draws.chance(count, 0.25), draws.of(count, of_makers)),
        (draws.chance(count, np.where(is_maker, 0.7, 0.15)), pa.nulls(count, pa.string())),
        default=joined("(", year, ") (", where, ") ", draws.of(count, words.HOME)),
    )
    return {"movie_id": film + 1, "company_id": company + 1, "company_type_id": kind + 1, "note": note}


def _shares() -> list[float]:
    return [share for _, _, share in words.COUNTRIES.values()]


def _is(role: np.ndarray, *roles: str) -> np.ndarray:
    return np.isin(role, [_ROLES.index(each) for each in roles])


def _surnames(draws: Draws, count: int) -> pa.Array:
    parts = words.SYLLABLES.split()
    first = draws.zipf(count, len(parts), 8)
    return joined(
        take([part.capitalize() for part in parts], first), draws.of(count, parts), draws.of(count, [*parts, ""])
    )
