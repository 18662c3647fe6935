"""Names of time zones."""

from __future__ import annotations

import re
from functools import lru_cache

from lazyframe.planner.errors import InvalidArgumentError, did_you_mean


@lru_cache(maxsize=256)
def check_zone(name: object) -> None:
    """Refuse what is no IANA name of a zone and no fixed offset such as `+02:00`.

    Raises:
        InvalidArgumentError: with the nearest names.
    """
    if not isinstance(name, str):
        raise InvalidArgumentError(f"a time zone is a name such as 'Europe/Paris', not {name!r}")
    if re.fullmatch(r"[+-]\d{2}:\d{2}", name):
        return
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        hint = did_you_mean(name, sorted(zoneinfo.available_timezones()))
        raise InvalidArgumentError(f"no time zone named {name!r}", hint=hint) from None
