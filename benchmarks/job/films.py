"""Films: a few that everybody knows and many that nobody does, and what is noted of them.

Popular films have more of everything. What is noted of a film depends on its kind, year, genre and country, and so do notes of
different tables on one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.job import vocabulary as words
from benchmarks.job.constants import Constants
from benchmarks.job.draws import Draws, case, inverse, joined, take

POPULARITY = 500.0
"""The shift of the law of popularity: about as many films share the top."""

_FAME = 300
"""So many of the most popular films may have titles that queries look for."""

Columns = dict[str, pa.Array | np.ndarray]

_COUNTRIES, _GENRES, _KINDS = list(words.COUNTRIES), list(words.GENRES), list(words.KINDS)
_FIRST_YEAR, _LAST_YEAR = 1900, 2015


@dataclass(frozen=True)
class Films:
    """What other tables depend on. Films are numbered from 0, and what they have is a position in the vocabulary."""

    by_rank: np.ndarray
    rank: np.ndarray
    kind: np.ndarray
    year: np.ndarray
    genre: np.ndarray
    country: np.ndarray

    def __len__(self) -> int:
        return len(self.rank)

    def drawn(self, draws: Draws, count: int) -> np.ndarray:
        """Films by their popularity, in ascending order."""
        return np.sort(self.by_rank[draws.zipf(count, len(self), POPULARITY)])

    def is_kind(self, *kinds: str) -> np.ndarray:
        """Which films are of one of those kinds."""
        return np.isin(self.kind, [_KINDS.index(kind) for kind in kinds])

    def is_genre(self, *genres: str) -> np.ndarray:
        """Which films are of one of those genres."""
        return np.isin(self.genre, [_GENRES.index(genre) for genre in genres])


def made(draws: Draws, count: int) -> Films:
    by_rank = draws.rng.permutation(count)
    rank = inverse(by_rank)
    fame = 1 - rank / count
    kind = draws.weighted(count, words.KINDS)
    kind[draws.chance(count, fame**4 * 0.6)] = _KINDS.index("movie")
    age = draws.rng.exponential(16 - 6 * fame, count).astype(np.int64)
    year = np.maximum(_LAST_YEAR - age, _FIRST_YEAR)
    genre = draws.weighted(count, words.GENRES)
    # Episodes are of few genres, and horror is a matter of later years.
    genre[(kind == _KINDS.index("episode")) & draws.chance(count, 0.5)] = _GENRES.index("Comedy")
    genre[(year < 1960) & (genre == _GENRES.index("Horror"))] = _GENRES.index("War")
    country = draws.weighted(count, [share for _, _, share in words.COUNTRIES.values()])
    # Early films are American, and famous ones are so more often.
    country[draws.chance(count, np.where(year < 1970, 0.5, 0.3 * fame**2))] = 0
    return Films(by_rank, rank, kind, year, genre, country)


def titles(draws: Draws, films: Films, constants: Constants) -> Columns:
    count = len(films)
    title = joined(
        case((draws.chance(count, 0.4), "The "), default=pa.array([""] * count)),
        draws.of(count, words.TITLE_WORDS.split()),
        case((draws.chance(count, 0.5), " of "), default=pa.array([" "] * count)),
        draws.of(count, words.TITLE_WORDS.split()),
        case((draws.chance(count, 0.6), joined(" ", draws.below(count, 5000))), default=pa.array([""] * count)),
    )
    known = [text for text in constants[("title", "title")] if text]
    is_known = (films.rank < _FAME) & draws.chance(count, 0.5)
    title = case((is_known, take(known, films.rank % len(known))), default=title)
    is_episode = films.is_kind("episode")
    return {
        "title": title,
        "kind_id": films.kind + 1,
        "production_year": pa.array(films.year, mask=draws.chance(count, 0.03) & (films.rank > _FAME)),
        "season_nr": pa.array(1 + draws.zipf(count, 30, 2), mask=~is_episode),
        "episode_nr": pa.array(1 + draws.zipf(count, 400, 10), mask=~is_episode),
        "episode_of_id": pa.array(1 + draws.below(count, count), mask=~is_episode),
    }


def aka_titles(draws: Draws, films: Films, title: pa.Array, count: int) -> Columns:
    film = films.drawn(draws, count)
    return {
        "movie_id": film + 1,
        "title": joined(take(title, film), " (", take(_COUNTRIES, draws.weighted(count, [1] * len(_COUNTRIES))), ")"),
        "kind_id": films.kind[film] + 1,
        "production_year": films.year[film],
        "note": case((draws.chance(count, 0.4), "(International: English title)")),
    }


def infos(draws: Draws, films: Films, count: int) -> Columns:
    """`movie_info`: what is said depends on what it is about and on the film, as dates do on its country and year."""
    film = films.drawn(draws, count)
    about = draws.weighted(count, words.OF_FILMS)
    kinds = list(words.OF_FILMS)
    country = np.where(draws.chance(count, 0.55), films.country[film], draws.zipf(count, len(_COUNTRIES), 1.5))
    name = take(_COUNTRIES, country)
    year = np.minimum(films.year[film] + draws.zipf(count, 6, 0.5), _LAST_YEAR)
    date = joined(name, ":", 1 + draws.below(count, 28), " ", draws.of(count, words.MONTHS.split()), " ", year)
    genre = np.where(draws.chance(count, 0.6), films.genre[film], draws.weighted(count, words.GENRES))

    def is_about(kind: str) -> np.ndarray:
        return about == kinds.index(kind)

    info = case(
        (is_about("release dates"), date),
        (is_about("genres"), take(_GENRES, genre)),
        (is_about("countries"), name),
        (is_about("languages"), take([language for _, language, _ in words.COUNTRIES.values()], country)),
        (is_about("runtimes"), joined(20 + draws.below(count, 150))),
        (is_about("certificates"), joined(name, ":", draws.of(count, ("12", "16", "18", "PG", "R")))),
        (is_about("color info"), case((year < 1960, "Black and White"), default=pa.array(["Color"] * count))),
        (is_about("budget"), joined("$", draws.below(count, 20_000), ",000")),
        (is_about("locations"), joined(draws.of(count, words.TITLE_WORDS.split()), ", ", name)),
        default=joined(take(kinds, about), " ", draws.below(count, 100_000)),
    )
    note = case(
        (is_about("release dates") & (year >= 2000) & draws.chance(count, 0.12), "(internet)"),
        (is_about("release dates") & draws.chance(count, 0.15), "(limited)"),
        (draws.chance(count, 0.06), "(premiere)"),
    )
    return {"movie_id": film + 1, "info_type_id": _types(kinds)[about], "info": info, "note": note}


def ratings(draws: Draws, films: Films, count: int) -> Columns:
    """`movie_info_idx`: three facts of each film that was voted on, and the places of a few among the best and the worst."""
    voted = films.by_rank[np.unique(draws.zipf(count, len(films), POPULARITY))[: count // 3]]
    fame = 1 - films.rank[voted] / len(films)
    score = 5.6 + 1.4 * fame + draws.rng.normal(0, 1.5, len(voted))
    score -= 1.2 * films.is_genre("Horror")[voted] - 0.5 * films.is_kind("episode")[voted]
    score = np.clip(score, 1, 9.8).round(1)
    votes = np.maximum(5, 2e6 / (films.rank[voted] + 20) * draws.rng.lognormal(0, 0.8, len(voted))).astype(np.int64)
    of_cinema = voted[films.is_kind("movie")[voted]]
    score_of = dict(zip(voted.tolist(), score.tolist(), strict=True))
    ranked = sorted(of_cinema.tolist(), key=lambda film: (score_of[film] - films.rank[film] / 2000, film))
    most = max(10, min(250, len(ranked) // 8))
    worst, best = np.array(ranked[:most][::-1]), np.array(ranked[-most:])
    few = min(len(worst), max(10, most // 2))
    facts = [
        ("votes distribution", voted, joined("00", draws.below(len(voted), 10**8))),
        ("rating", voted, _decimal(score)),
        ("votes", voted, joined(votes)),
        ("top 250 rank", best, joined(len(best) - np.arange(len(best)))),
        ("bottom 10 rank", worst[-few:], joined(1 + np.arange(few) % 10)),
    ]
    film = np.concatenate([films for _, films, _ in facts])
    about = np.concatenate([np.full(len(films), _types([kind])[0]) for kind, films, _ in facts])
    order = np.lexsort((about, film))
    return {
        "movie_id": film[order] + 1,
        "info_type_id": about[order],
        "info": pa.concat_arrays([info for _, _, info in facts]).take(pa.array(order)),
    }


def keywords(draws: Draws, films: Films, count: int, known: int, of: int) -> Columns:
    """`movie_keyword`: each genre has its own favourites, the `known` first ones being favourites of most.

    Args:
        of: how many keywords there are.
    """
    film = films.drawn(draws, count)
    rank = draws.zipf(count, of, 8)
    favourites = np.tile(np.arange(of), (len(_GENRES), 1))
    for row in favourites:
        row[:known] = draws.rng.permutation(known)
        row[known:] = draws.rng.permutation(np.arange(known, of))
    keyword = np.where(draws.chance(count, 0.7), favourites[films.genre[film], rank], rank)
    pairs = np.unique(np.stack([film, keyword], axis=1), axis=0)
    return {"movie_id": pairs[:, 0] + 1, "keyword_id": pairs[:, 1] + 1}


def links(draws: Draws, films: Films, count: int) -> Columns:
    """`movie_link`: between films that are about as popular."""
    rank = draws.zipf(count, len(films), POPULARITY / 10)
    other = np.maximum(0, rank + draws.rng.integers(-40, 40, count)) % len(films)
    return {
        "movie_id": films.by_rank[rank] + 1,
        "linked_movie_id": films.by_rank[np.where(other == rank, (rank + 1) % len(films), other)] + 1,
        "link_type_id": draws.weighted(count, words.LINKS) + 1,
    }


def casts(draws: Draws, films: Films, count: int) -> Columns:
    """`complete_cast`: whose cast or crew is complete; that of popular films has been verified."""
    film = films.drawn(draws, count)
    verified = draws.chance(count, np.where(films.rank[film] < len(films) // 10, 0.6, 0.1))
    return {
        "movie_id": film + 1,
        "subject_id": 1 + draws.chance(count, 0.4),
        "status_id": 3 + verified,
    }


def _types(kinds: list[str]) -> np.ndarray:
    return np.array([words.INFO_TYPES.index(kind) + 1 for kind in kinds])


def _decimal(values: np.ndarray) -> pa.Array:
    return pa.array([f"{value:.1f}" for value in values.tolist()])
