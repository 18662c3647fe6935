"""What films are about, where they are made and who works on them: the words of the generated tables."""

from __future__ import annotations

COUNTRIES = {
    "USA": ("[us]", "English", 40), "UK": ("[gb]", "English", 10), "Germany": ("[de]", "German", 8),
    "France": ("[fr]", "French", 8), "Japan": ("[jp]", "Japanese", 8), "India": ("[in]", "Hindi", 6),
    "Italy": ("[it]", "Italian", 5), "Canada": ("[ca]", "English", 4), "Spain": ("[es]", "Spanish", 3),
    "Sweden": ("[se]", "Swedish", 2), "Netherlands": ("[nl]", "Dutch", 2), "Russia": ("[ru]", "Russian", 2),
    "Poland": ("[pl]", "Polish", 2), "Denmark": ("[dk]", "Danish", 1.5), "Norway": ("[no]", "Norwegian", 1),
    "Bulgaria": ("[bg]", "Bulgarian", 0.5), "San Marino": ("[sm]", "Italian", 0.2),
}  # fmt: skip
"""By name: the code that companies have, the language, and the share of the films."""

KINDS = {
    "movie": 35, "tv series": 6, "tv movie": 5, "video movie": 8, "tv mini series": 4, "video game": 2, "episode": 40,
}  # fmt: skip

GENRES = {
    "Drama": 22, "Comedy": 18, "Documentary": 12, "Horror": 7, "Thriller": 7, "Action": 7, "Animation": 6, "Romance": 5,
    "Crime": 5, "Family": 4, "Sci-Fi": 3, "War": 2, "Western": 2,
}  # fmt: skip

ROLES = {
    "actor": 33, "actress": 19, "producer": 9, "writer": 9, "cinematographer": 4, "composer": 4, "costume designer": 2,
    "director": 6, "editor": 4, "miscellaneous crew": 8, "production designer": 2, "guest": 1,
}  # fmt: skip

COMPANY_TYPES = {
    "distributors": 52, "production companies": 45, "special effects companies": 2, "miscellaneous companies": 1,
}  # fmt: skip

CAST_STATES = ("cast", "crew", "complete", "complete+verified")

LINKS = {
    "follows": 18, "followed by": 18, "remake of": 4, "remade as": 4, "references": 14, "referenced in": 14,
    "spoofs": 4, "spoofed in": 4, "features": 6, "featured in": 6, "spin off from": 2, "spin off": 2, "version of": 3,
    "similar to": 1, "edited into": 1, "edited from": 1, "alternate language version of": 1, "unknown link": 1,
}  # fmt: skip

OF_FILMS = {
    "release dates": 26, "genres": 14, "countries": 9, "languages": 8, "runtimes": 8, "certificates": 7,
    "color info": 6, "locations": 5, "trivia": 5, "sound mix": 4, "goofs": 2, "plot": 2, "taglines": 2, "budget": 1,
    "gross": 1,
}  # fmt: skip
"""What is known of a film, and how much of it."""

RATINGS = ("votes distribution", "rating", "votes", "top 250 rank", "bottom 10 rank")
"""What `movie_info_idx` knows of a film."""

OF_PEOPLE = {
    "birth date": 25, "birth notes": 20, "mini biography": 15, "height": 12, "trivia": 12, "spouse": 6,
    "other works": 5, "quotes": 5,
}  # fmt: skip

INFO_TYPES = tuple(dict.fromkeys([*OF_FILMS, *RATINGS, *OF_PEOPLE]))

FIRST_NAMES = {
    "m": (
        "John Robert Tim Bert Anton Michael Yoshi Ivan Andrew Hans Pierre Luca Angelo Erik Yuri Raj Carl Boris Xavier Zoltan "
        "David James Peter Paul Albert Stefan Igor Kenji Omar Pedro"
    ),
    "f": (
        "Anna Angela Mary Bertha Yoko Angelina Yolanda Sofia Maria Julia Ingrid Yuki Priya Antje Claire Zoe Bianca Andrea "
        "Linda Susan Emma Greta Olga Mei Lucia Xenia Barbara Timea Hanna Rosa"
    ),
}  # fmt: skip

SYLLABLES = "an bel cor dan ell far gra hol ing jor kel lon mar nov or pen qui ros san tor ul var wen xan yor zel"

TITLE_WORDS = (
    "Night Day House River Heart King Last Secret Summer Road Blood City Dream War Love Stone Winter Girl Man Ghost Star "
    "Island Fire Mother Murder Silent Broken Golden Return Money Movie Loser Champion Vampire Hunter Garden Storm Kingdom"
)

COMPANY_WORDS = {
    "[us]": ("Pictures", "Entertainment", "Films", "Studios", "Productions", "Television"),
    "[gb]": ("Films", "Television", "Productions"),
    "[de]": ("Filmproduktion", "Film", "Fernsehen"),
    "[fr]": ("Films", "Productions", "Cinéma"),
    "[jp]": ("Animation", "Eiga", "Film"),
}
ELSEWHERE = ("Film", "Productions", "TV", "Media")

PEOPLE_IN_FILMS = (
    "Man",
    "Woman",
    "Policeman",
    "Waitress",
    "Doctor",
    "Salesman",
    "Girl in Bar",
    "Himself",
    "Herself",
    "Nurse",
)

HOME = ("(theatrical)", "(VHS)", "(DVD)", "(Blu-ray)", "(TV)", "(all media)")
"""How distributors bring films to people."""

MONTHS = "January February March April May June July August September October November December"
