import errno
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lazyframe.executors.compiled import code_cache
from lazyframe.executors.compiled.code_cache import CodeCache, default_folder


def files(folder):
    return sorted(path.name for path in folder.iterdir())


NAME, OTHER = "a" * 64, "b" * 64
CODE = bytes(range(256)) * 3

needs_owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "code"


def test_what_is_put_is_found_by_another_process_of_the_user(folder):
    CodeCache(folder).put(NAME, CODE)
    assert CodeCache(folder).get(NAME) == CODE
    assert CodeCache(folder).get(OTHER) is None


def test_code_may_be_put_again(folder):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)
    cache.put(NAME, CODE[::-1])
    assert cache.get(NAME) == CODE[::-1]
    assert files(folder) == [NAME, "key"]


@needs_owners
def test_only_the_user_can_read(folder):
    CodeCache(folder).put(NAME, CODE)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [(folder / name).stat().st_mode & 0o777 for name in (NAME, "key")] == [0o600, 0o600]


def test_no_flipped_bit_is_overlooked(folder):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)
    file = folder / NAME
    whole = file.read_bytes()
    bits = random.Random(3).sample(range(len(whole) * 8), 600)
    for bit in bits:
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        assert cache.get(NAME) is None
    file.write_bytes(whole)
    assert cache.get(NAME) == CODE


def test_no_missing_or_added_end_is_overlooked(folder):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)
    file = folder / NAME
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert cache.get(NAME) is None
    file.write_bytes(whole + b"\0")
    assert cache.get(NAME) is None


def test_code_of_another_name_is_not_taken(folder):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)
    shutil.copy(folder / NAME, folder / OTHER)
    assert cache.get(OTHER) is None


def test_code_under_another_key_is_not_taken(folder, tmp_path):
    CodeCache(folder).put(NAME, CODE)
    CodeCache(tmp_path / "foreign").put(NAME, CODE)
    shutil.copy(tmp_path / "foreign" / NAME, folder / NAME)
    assert CodeCache(folder).get(NAME) is None


@pytest.mark.parametrize("key", [b"", b"short", b"x" * 33])
def test_a_damaged_key_is_replaced(folder, key):
    CodeCache(folder).put(NAME, CODE)
    (folder / "key").write_bytes(key)
    cache = CodeCache(folder)
    assert cache.get(NAME) is None
    cache.put(NAME, CODE)
    assert CodeCache(folder).get(NAME) == CODE


@needs_owners
def test_a_key_that_others_could_read_is_replaced(folder):
    CodeCache(folder).put(NAME, CODE)
    known = (folder / "key").read_bytes()
    (folder / "key").chmod(0o640)
    assert CodeCache(folder).get(NAME) is None
    assert (folder / "key").read_bytes() != known
    assert (folder / "key").stat().st_mode & 0o777 == 0o600


@needs_owners
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_could_write_is_not_taken(folder, mode):
    CodeCache(folder).put(NAME, CODE)
    (folder / NAME).chmod(mode)
    assert CodeCache(folder).get(NAME) is None


@needs_owners
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_could_write_is_left_alone(folder, mode):
    CodeCache(folder).put(NAME, CODE)
    folder.chmod(mode)
    cache = CodeCache(folder)
    assert cache.get(NAME) is None
    cache.put(OTHER, CODE)
    assert not (folder / OTHER).exists()


@needs_owners
def test_what_belongs_to_another_user_is_left_alone(folder, monkeypatch):
    CodeCache(folder).put(NAME, CODE)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    cache = CodeCache(folder)
    assert cache.get(NAME) is None
    cache.put(OTHER, CODE)
    assert not (folder / OTHER).exists()


@needs_owners
def test_links_and_pipes_are_not_followed(folder, tmp_path):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)
    (folder / NAME).rename(tmp_path / "elsewhere")
    (folder / NAME).symlink_to(tmp_path / "elsewhere")
    assert cache.get(NAME) is None
    os.mkfifo(folder / OTHER)
    assert cache.get(OTHER) is None
    (folder / ("c" * 64)).mkdir()
    assert cache.get("c" * 64) is None
    cache.put(NAME, CODE)
    assert cache.get(NAME) == CODE


def test_a_full_disk_is_no_error_and_leaves_nothing(folder, monkeypatch):
    cache = CodeCache(folder)
    cache.put(NAME, CODE)

    def full(file, content):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(code_cache.os, "write", full)
    cache.put(OTHER, CODE)
    assert cache.get(OTHER) is None
    assert cache.get(NAME) == CODE
    assert files(folder) == [NAME, "key"]
    CodeCache(folder.parent / "another").put(NAME, CODE)
    assert CodeCache(folder.parent / "another").get(NAME) is None


def test_a_write_may_take_several_steps(folder, monkeypatch):
    write = os.write
    monkeypatch.setattr(code_cache.os, "write", lambda file, content: write(file, content[:100]))
    CodeCache(folder).put(NAME, CODE)
    assert CodeCache(folder).get(NAME) == CODE


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    cache = CodeCache(tmp_path / "file" / "code")
    cache.put(NAME, CODE)
    assert cache.get(NAME) is None
    cache.trim()


def test_what_was_used_longest_ago_goes_first(folder, monkeypatch):
    monkeypatch.setattr(code_cache, "_PUTS_BETWEEN_TRIMS", 1 << 40)
    cache = CodeCache(folder, most_bytes=40 * 4096)
    names = [f"{i:064d}" for i in range(60)]
    for age, name in enumerate(reversed(names)):
        cache.put(name, CODE)
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    assert cache.get(names[0]) == CODE  # which marks it as used
    os.utime(folder / "key", (1, 1))
    cache.trim()
    assert files(folder) == sorted([names[0], *names[-29:], "key"])
    cache.trim()
    assert len(files(folder)) == 31


def test_trimming_happens_on_its_own(folder):
    cache = CodeCache(folder, most_bytes=20 * 4096)
    for i in range(300):
        cache.put(f"{i:064d}", CODE)
    assert len(files(folder)) < 20 + 50 + 2


def test_where_the_folder_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("LAZYFRAME_CODE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_folder() == tmp_path / ".cache" / "lazyframe" / "code"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == tmp_path / ".cache" / "lazyframe" / "code"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert default_folder() == tmp_path / "caches" / "lazyframe" / "code"
    monkeypatch.setenv("LAZYFRAME_CODE_CACHE", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
    monkeypatch.setenv("LAZYFRAME_CODE_CACHE", "off")
    assert default_folder() is None


def test_without_a_home_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("LAZYFRAME_CODE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "missing")
    assert default_folder() is None

    def homeless():
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr(Path, "home", homeless)
    assert default_folder() is None


WRITER = """
import sys
from pathlib import Path
from lazyframe.executors.compiled.code_cache import CodeCache

cache = CodeCache(Path(sys.argv[1]), most_bytes=30 * 4096)
for turn in range(300):
    name = f"{turn % 40:064d}"
    code = name.encode() * (1 + turn % 7)
    found = cache.get(name)
    assert found is None or (found.startswith(name.encode()) and not found.replace(name.encode(), b"")), "torn"
    cache.put(name, code)
    if turn % 10 == 0:
        cache.trim()
"""


def test_processes_share_a_folder(folder):
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, "")
    assert not [name for name in files(folder) if name.startswith(".")]
