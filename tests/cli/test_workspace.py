from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lwc.domain.settings import SETTINGS

if TYPE_CHECKING:
    from conftest import Result

    Command = Callable[..., Result]


@pytest.fixture
def bare(tmp_path: Path, project: Path) -> Path:
    """The folder of the project before it had a wiki."""
    for path in (project / ".lwc").iterdir():
        path.unlink()
    (project / ".lwc").rmdir()
    return project


class TestInit:
    def test_it_answers_which_wiki_it_made(self, bare: Path, lwc: Command) -> None:
        assert lwc("init", "--no-git-exclude").ok() == {
            "scope": "project",
            "database": str(bare / ".lwc" / "wiki.db"),
            "created": True,
            "git_exclude": {"status": "disabled", "path": None, "pattern": None},
            "policy": "standard",
            "replayed": False,
            "revision": 1,
        }
        again = lwc("init").ok()
        assert (again["created"], again["revision"]) == (False, 1)

    def test_strict_shows_in_the_settings(self, bare: Path, lwc: Command) -> None:
        assert lwc("init", "--strict").ok()["policy"] == "strict"
        settings = {one["key"]: one for one in lwc("config", "show").ok()["settings"]}
        assert settings["claims"]["value"] == "strict"
        assert settings["claims"]["origin"] == "policy"

    def test_the_agent_that_made_it_is_in_the_log(self, bare: Path, lwc: Command) -> None:
        lwc("init", "--agent", "anna").ok()
        assert lwc("purpose", "show").ok()["author"] == "anna"

    def test_the_global_wiki_is_another(self, bare: Path, lwc: Command) -> None:
        home = Path(os.environ["HOME"])
        made = lwc("init", "--scope", "global").ok()
        assert made["database"] == str(home / ".lwc" / "wiki.db")
        assert made["git_exclude"]["status"] == "not_applicable"
        assert lwc("schema", "show").error["code"] == "store_not_found"
        assert lwc("schema", "show", "--scope", "global").ok()["scope"] == "global"

    @pytest.mark.parametrize(
        "argv", [("init", "--scope", "all"), ("config", "show", "--scope", "all")], ids=" ".join
    )
    def test_all_wikis_together_are_none(self, lwc: Command, argv: tuple[str, ...]) -> None:
        refused = lwc(*argv)
        assert (refused.status, refused.error["code"]) == (2, "scope_not_supported")

    def test_nothing_but_init_makes_a_wiki(self, bare: Path, lwc: Command) -> None:
        for argv in (
            ("schema", "show"),
            ("config", "set", "policy=strict"),
            ("purpose", "set", "-"),
            ("maintenance", "migrate"),
        ):
            refused = lwc(*argv, stdin="text")
            assert (refused.status, refused.error["code"]) == (3, "store_not_found")
            assert refused.error["committed"] is False
            assert "lwc init" in refused.error["hint"]
        assert list(bare.iterdir()) == []


class TestWhereItIsFound:
    def test_a_root_that_is_wrong_is_told(
        self, lwc: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LWC_PROJECT_ROOT", "")
        assert lwc("schema", "show").error["code"] == "project_root_invalid"
        monkeypatch.setenv("LWC_PROJECT_ROOT", str(tmp_path / "home"))
        assert lwc("schema", "show").error["code"] == "project_root_mismatch"

    @pytest.mark.parametrize("name", [".lwc", ".lwc/wiki.db"])
    def test_a_link_in_the_place_of_the_store_is_refused(
        self, project: Path, lwc: Command, tmp_path: Path, name: str
    ) -> None:
        moved = (project / name).rename(tmp_path / "moved")
        (project / name).symlink_to(moved)
        refused = lwc("schema", "show")
        assert refused.status == 4
        assert refused.error["code"] == "project_root_escape"
        assert refused.error["reason"] == "symlink_refused"
        assert refused.error["details"] == {"path": name}

    def test_a_store_with_two_names_is_refused(
        self, project: Path, lwc: Command, tmp_path: Path
    ) -> None:
        os.link(project / ".lwc" / "wiki.db", tmp_path / "second")
        assert lwc("schema", "show").error["code"] == "multiple_links"

    def test_a_folder_that_was_removed_is_told(self, bare: Path) -> None:
        script = f"mkdir gone && cd gone && rmdir ../gone && exec {sys.executable} -m lwc init"
        done = subprocess.run(
            ["sh", "-c", script], cwd=bare, capture_output=True, check=False, text=True
        )
        assert (done.returncode, done.stdout) == (6, "")
        assert json.loads(done.stderr)["error"]["code"] == "io_error"


@pytest.mark.parametrize("name", ["schema", "purpose"])
class TestCharter:
    def test_a_text_is_set_from_a_file_or_standard_input_and_shown(
        self, project: Path, lwc: Command, name: str
    ) -> None:
        (project / "text.md").write_text("# From a file\n")
        assert lwc(name, "set", "text.md").ok()["text_revision"] == 2
        assert lwc(name, "set", "-", stdin="# From a pipe\n").ok()["text_revision"] == 3
        shown = lwc(name, "show").ok()
        assert (shown["text"], shown["newest"]) == ("# From a pipe\n", 3)
        assert lwc(name, "show", "--revision", "2").ok()["text"] == "# From a file\n"

    def test_a_request_is_known_again_by_what_it_says_not_by_where_that_stood(
        self, project: Path, lwc: Command, name: str
    ) -> None:
        (project / "text.md").write_text("# Same\n")
        first = lwc(name, "set", "text.md", "--request-id", "r1").ok()
        again = lwc(name, "set", "-", "--request-id", "r1", stdin="# Same\n").ok()
        assert again == {**first, "replayed": True}
        other = lwc(name, "set", "-", "--request-id", "r1", stdin="# Other\n")
        assert (other.status, other.error["code"]) == (4, "request_id_reused")

    def test_a_text_that_was_changed_meanwhile_is_not_overwritten(
        self, lwc: Command, name: str
    ) -> None:
        seen = str(lwc(name, "show").ok()["revision"])
        lwc(name, "set", "-", "--if-revision", seen, stdin="# First\n").ok()
        late = lwc(name, "set", "-", "--if-revision", seen, stdin="# Second\n")
        assert (late.status, late.error["code"]) == (4, "stale_revision")
        assert lwc(name, "show").ok()["text"] == "# First\n"

    @pytest.mark.parametrize(
        "stdin, code",
        [("", "invalid_input"), (" \n", "invalid_input"), (b"\xff\xfe", "invalid_utf8")],
        ids=["empty", "blank", "not UTF-8"],
    )
    def test_what_is_no_text_is_refused(
        self, lwc: Command, name: str, stdin: str | bytes, code: str
    ) -> None:
        refused = lwc(name, "set", "-", stdin=stdin)
        assert (refused.status, refused.error["code"]) == (6, code)

    @pytest.mark.parametrize("revision", ["9", "999999999999999999"])
    def test_a_revision_that_is_not_there(self, lwc: Command, name: str, revision: str) -> None:
        refused = lwc(name, "show", "--revision", revision)
        assert (refused.status, refused.error["code"]) == (3, "revision_not_found")

    @pytest.mark.parametrize("revision", ["-1", "01", "1.0", "9" * 30, "x"])
    def test_what_is_no_revision(self, lwc: Command, name: str, revision: str) -> None:
        refused = lwc(name, "show", f"--revision={revision}")
        assert (refused.status, refused.error["code"]) == (2, "usage_error")


class TestConfig:
    def settings(self, lwc: Command) -> dict[str, Any]:
        return {one["key"]: one["value"] for one in lwc("config", "show").ok()["settings"]}

    def test_each_setting_is_shown_with_its_meaning(self, lwc: Command) -> None:
        shown = lwc("config", "show").ok()["settings"]
        assert [one["key"] for one in shown] == [row.key for row in SETTINGS]
        assert all(one["meaning"] and one["origin"] == "default" for one in shown)

    def test_settings_are_set_together_and_unset(self, lwc: Command) -> None:
        done = lwc("config", "set", "lease_seconds=600", "--policy", "strict").ok()
        assert sorted(done["changed"]) == ["lease_seconds", "policy"]
        assert self.settings(lwc)["claims"] == "strict"
        lwc("config", "set", "--policy", "citations=optional", "--policy", "checks=standard").ok()
        assert self.settings(lwc)["citations"] == "optional"
        assert lwc("config", "unset", "policy", "citations").ok()["changed"] == [
            "policy",
            "citations",
        ]
        assert self.settings(lwc)["claims"] == "standard"

    @pytest.mark.parametrize(
        "argv, status, code",
        [
            ((), 2, "usage_error"),
            (("lease_seconds",), 2, "usage_error"),
            (("lease_seconds=1",), 6, "invalid_config"),
            (("lease_seconds=",), 6, "invalid_config"),
            (("lease=600",), 6, "invalid_config"),
            (("=600",), 6, "invalid_config"),
            (("max_attempts=7", "lease_seconds=x"), 6, "invalid_config"),
            (("--policy", "lax"), 6, "invalid_config"),
        ],
        ids=lambda value: " ".join(value) or "nothing" if isinstance(value, tuple) else "",
    )
    def test_what_cannot_be_set_is_refused_and_nothing_is(
        self, lwc: Command, argv: tuple[str, ...], status: int, code: str
    ) -> None:
        before = self.settings(lwc)
        refused = lwc("config", "set", *argv)
        assert (refused.status, refused.error["code"]) == (status, code)
        assert self.settings(lwc) == before


class TestMigrate:
    def test_a_wiki_that_is_up_is_left(self, lwc: Command) -> None:
        done = lwc("maintenance", "migrate").ok()
        assert (done["migrated"], done["backup"]) == (False, None)
        assert done["before"] == done["after"]

    def test_a_wiki_of_another_program_is_none(self, project: Path, lwc: Command) -> None:
        subprocess.run(["truncate", "--size=0", project / ".lwc" / "wiki.db"], check=True)
        refused = lwc("maintenance", "migrate")
        assert (refused.status, refused.error["code"]) == (4, "store_not_lwc")
