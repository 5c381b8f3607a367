from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from processes import as_nobody
from storefiles import closed_store

from lwc import workspace
from lwc.errors import (
    HOME_IS_GLOBAL,
    HOME_NOT_SET,
    MULTIPLE_LINKS,
    PROJECT_ROOT_ESCAPE,
    PROJECT_ROOT_INVALID,
    PROJECT_ROOT_MISMATCH,
    PROJECT_SCOPE_CONFLICT,
    STORE_EXPOSED,
    STORE_NOT_FOUND,
    STORE_PATH_INVALID,
    LwcError,
    Problem,
)
from lwc.workspace import Scope, Workspace


class Tree:
    """A home with folders in it, each store a stand-in: nothing here opens one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.environ = {"HOME": str(self.home)}

    def folder(self, *parts: str) -> Path:
        path = self.root.joinpath(*parts)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def store(self, *parts: str) -> Path:
        """A folder with a store in it."""
        folder = self.folder(*parts)
        (folder / ".lwc").mkdir(mode=0o700)
        with closed_store():
            (folder / ".lwc" / "wiki.db").touch(mode=0o600)
        return folder

    def find(self, start: Path, *, scope: Scope = Scope.PROJECT) -> Workspace:
        return workspace.find(start, scope=scope, environ=self.environ)

    def place(self, start: Path, *, scope: Scope = Scope.PROJECT) -> Workspace:
        return workspace.place(start, scope=scope, environ=self.environ)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path.resolve())


def refused(work: Callable[[], object]) -> Problem:
    with pytest.raises(LwcError) as caught:
        work()
    assert str(Path.cwd()) not in caught.value.message
    return caught.value.problem


class TestWithoutARoot:
    def test_the_nearest_store_above_wins(self, tree: Tree) -> None:
        tree.store("home", "work")
        inner = tree.store("home", "work", "inner")
        deep = tree.folder("home", "work", "inner", "a", "b")
        assert tree.find(deep) == Workspace(scope=Scope.PROJECT, root=inner)

    def test_without_any_nothing_is_found_and_nothing_made(self, tree: Tree) -> None:
        folder = tree.folder("home", "work")
        assert refused(lambda: tree.find(folder)) is STORE_NOT_FOUND
        assert refused(lambda: tree.find(folder, scope=Scope.GLOBAL)) is STORE_NOT_FOUND
        assert list(tree.home.rglob(".lwc")) == []

    def test_the_global_store_is_never_a_projects(self, tree: Tree) -> None:
        tree.store("home")
        assert refused(lambda: tree.find(tree.folder("home", "work"))) is STORE_NOT_FOUND
        assert refused(lambda: tree.find(tree.home)) is STORE_NOT_FOUND

    def test_the_global_store_is_none_through_a_linked_home_either(self, tree: Tree) -> None:
        tree.store("home")
        (tree.root / "link").symlink_to(tree.home)
        tree.environ["HOME"] = str(tree.root / "link")
        assert refused(lambda: tree.find(tree.folder("home", "work"))) is STORE_NOT_FOUND

    def test_the_walk_stops_at_the_home_folder(self, tree: Tree) -> None:
        tree.store()
        assert refused(lambda: tree.find(tree.folder("home", "work"))) is STORE_NOT_FOUND

    def test_outside_the_home_the_walk_goes_on_to_the_top(self, tree: Tree) -> None:
        tree.store()
        assert tree.find(tree.folder("elsewhere", "a")).root == tree.root

    def test_a_folder_entered_by_a_link_is_where_it_really_is(self, tree: Tree) -> None:
        work = tree.store("home", "work")
        link = tree.folder("home", "elsewhere") / "link"
        link.symlink_to(tree.folder("home", "work", "a"))
        assert tree.find(link).root == work

    @pytest.mark.parametrize("home", [{}, {"HOME": ""}], ids=["unset", "empty"])
    def test_no_home_is_needed_for_a_project(self, tree: Tree, home: dict[str, str]) -> None:
        work = tree.store("home", "work")
        assert workspace.find(work, scope=Scope.PROJECT, environ=home).root == work
        assert (
            refused(lambda: workspace.find(work, scope=Scope.GLOBAL, environ=home)) is HOME_NOT_SET
        )


class TestWithARoot:
    @pytest.mark.parametrize("inside", [(), ("a",), ("a", "b")], ids=["at", "below", "deep below"])
    def test_a_store_between_here_and_the_root_is_found(
        self, tree: Tree, inside: tuple[str, ...]
    ) -> None:
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.folder("home", "work"))
        work = tree.store("home", "work", *inside)
        assert tree.find(tree.folder("home", "work", "a", "b", "c")).root == work

    def test_a_store_above_the_root_is_not_looked_for(self, tree: Tree) -> None:
        tree.store("home", "work")
        inner = tree.folder("home", "work", "inner")
        tree.environ["LWC_PROJECT_ROOT"] = str(inner)
        assert refused(lambda: tree.find(inner)) is STORE_NOT_FOUND

    def test_two_stores_on_the_way_are_a_conflict_that_names_them(self, tree: Tree) -> None:
        tree.store("home", "work")
        inner = tree.store("home", "work", "inner")
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.root / "home" / "work")
        with pytest.raises(LwcError) as caught:
            tree.find(inner)
        assert caught.value.problem is PROJECT_SCOPE_CONFLICT
        assert caught.value.details == {"stores": ["inner", "."]}

    @pytest.mark.parametrize(
        "value",
        ["", "{root}/nothing", "{root}/file", "\0"],
        ids=["empty", "missing", "file", "nul"],
    )
    def test_a_root_that_is_no_folder_is_invalid(self, tree: Tree, value: str) -> None:
        (tree.root / "file").touch()
        tree.environ["LWC_PROJECT_ROOT"] = value.replace("{root}", str(tree.root))
        folder = tree.folder("home", "work")
        assert refused(lambda: tree.find(folder)) is PROJECT_ROOT_INVALID
        assert refused(lambda: tree.place(folder)) is PROJECT_ROOT_INVALID

    def test_a_circle_of_links_is_no_root(self, tree: Tree) -> None:
        (tree.root / "circle").symlink_to("circle")
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.root / "circle")
        assert refused(lambda: tree.find(tree.folder("a"))) is PROJECT_ROOT_INVALID

    def test_a_folder_outside_the_root_is_a_mismatch(self, tree: Tree) -> None:
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.folder("home", "work"))
        assert refused(lambda: tree.find(tree.folder("home", "other"))) is PROJECT_ROOT_MISMATCH

    def test_a_link_out_of_the_root_is_a_mismatch(self, tree: Tree) -> None:
        link = tree.folder("home", "work") / "link"
        link.symlink_to(tree.folder("home", "other"))
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.root / "home" / "work")
        assert refused(lambda: tree.find(link)) is PROJECT_ROOT_MISMATCH

    def test_the_root_may_be_named_by_a_link(self, tree: Tree) -> None:
        work = tree.store("home", "work")
        (tree.root / "link").symlink_to(work)
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.root / "link")
        assert tree.find(work).root == work

    def test_the_global_wiki_has_nothing_to_do_with_it(self, tree: Tree) -> None:
        tree.store("home")
        tree.environ["LWC_PROJECT_ROOT"] = str(tree.folder("home", "work"))
        found = tree.find(tree.root, scope=Scope.GLOBAL)
        assert found == Workspace(scope=Scope.GLOBAL, root=tree.home)


class TestWhereInitWorks:
    def test_a_wiki_is_made_where_it_is_asked_for(self, tree: Tree) -> None:
        folder = tree.folder("home", "work")
        assert tree.place(folder) == Workspace(scope=Scope.PROJECT, root=folder)

    def test_a_wiki_above_is_used_again(self, tree: Tree) -> None:
        work = tree.store("home", "work")
        assert tree.place(tree.folder("home", "work", "a")).root == work

    def test_with_a_root_a_wiki_is_made_there(self, tree: Tree) -> None:
        work = tree.folder("home", "work")
        tree.environ["LWC_PROJECT_ROOT"] = str(work)
        assert tree.place(tree.folder("home", "work", "a")).root == work

    @pytest.mark.parametrize("root", [None, "home"], ids=["by being there", "by its root"])
    def test_the_home_folder_never_becomes_a_project(self, tree: Tree, root: str | None) -> None:
        start = tree.folder("home", *(("work",) if root else ()))
        if root:
            tree.environ["LWC_PROJECT_ROOT"] = str(tree.root / root)
        assert refused(lambda: tree.place(start)) is HOME_IS_GLOBAL

    @pytest.mark.parametrize(
        "environ",
        [
            {"HOME": "{home}"},
            {"HOME": "", "USERPROFILE": "{home}"},
            {"HOMEDRIVE": "{home}", "HOMEPATH": "/sub"},
        ],
        ids=["HOME", "USERPROFILE", "HOMEDRIVE and HOMEPATH"],
    )
    def test_the_global_wiki_is_in_the_first_home_that_is_named(
        self, tree: Tree, environ: dict[str, str]
    ) -> None:
        home = str(tree.folder("home"))
        tree.environ = {name: value.replace("{home}", home) for name, value in environ.items()}
        expected = Path(home + environ.get("HOMEPATH", ""))
        assert tree.place(tree.root, scope=Scope.GLOBAL).root == expected


def link_to_elsewhere(path: Path) -> None:
    moved = path.rename(path.parent.parent / f"elsewhere-{path.name}")
    path.symlink_to(moved)


def dangle(path: Path) -> None:
    path.symlink_to(path.parent / "nothing")


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(path.parent)  # the address of a socket is short
        made.bind(path.name)


class TestWhatIsNotOpened:
    @pytest.fixture(params=[Scope.PROJECT, Scope.GLOBAL], ids=str)
    def scope(self, request: pytest.FixtureRequest) -> Scope:
        scope: Scope = request.param
        return scope

    @pytest.fixture
    def found(self, tree: Tree, scope: Scope) -> Workspace:
        folder = tree.store("home") if scope is Scope.GLOBAL else tree.store("home", "work")
        return tree.find(folder, scope=scope)

    @pytest.fixture
    def escaped(self, scope: Scope) -> Problem:
        return PROJECT_ROOT_ESCAPE if scope is Scope.PROJECT else STORE_PATH_INVALID

    @pytest.mark.parametrize("name", [".lwc", ".lwc/wiki.db"])
    def test_a_link_in_the_place_of_the_store(
        self, tree: Tree, found: Workspace, escaped: Problem, name: str
    ) -> None:
        link_to_elsewhere(found.root / name)
        for ask in (tree.find, tree.place):
            assert refused(lambda ask=ask: ask(found.root, scope=found.scope)) is escaped

    @pytest.mark.parametrize("make", [dangle, Path.mkdir, os.mkfifo, listen])
    @pytest.mark.parametrize("name", ["wiki.db-wal", "wiki.db-shm", "init.lock"])
    def test_something_else_beside_the_database(
        self,
        tree: Tree,
        found: Workspace,
        escaped: Problem,
        name: str,
        make: Callable[[Path], None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.chdir(found.root)  # put back afterwards
        make(found.store / name)
        with pytest.raises(LwcError) as caught:
            tree.find(found.root, scope=found.scope)
        assert caught.value.problem is escaped
        assert caught.value.details == {"path": f".lwc/{name}"}

    def test_a_link_in_the_place_of_the_checkpoints(
        self, tree: Tree, found: Workspace, escaped: Problem
    ) -> None:
        (found.store / "checkpoints").symlink_to(tree.folder("elsewhere"))
        assert refused(lambda: tree.find(found.root, scope=found.scope)) is escaped

    @pytest.mark.parametrize("name", ["wiki.db", "wiki.db-wal"])
    def test_a_database_with_a_second_name(self, tree: Tree, found: Workspace, name: str) -> None:
        with closed_store():
            (found.store / name).touch()
        os.link(found.store / name, tree.root / "second")
        assert refused(lambda: tree.find(found.root, scope=found.scope)) is MULTIPLE_LINKS

    @pytest.mark.parametrize("mode", [0o720, 0o702, 0o777], ids=oct)
    def test_a_store_that_others_may_write(self, tree: Tree, found: Workspace, mode: int) -> None:
        found.store.chmod(mode)
        assert refused(lambda: tree.find(found.root, scope=found.scope)) is STORE_EXPOSED

    @pytest.mark.parametrize("mode", [0o700, 0o750, 0o755], ids=oct)
    def test_but_one_that_others_may_read_is(self, tree: Tree, found: Workspace, mode: int) -> None:
        found.store.chmod(mode)
        assert tree.find(found.root, scope=found.scope) == found


def test_a_store_that_is_a_file_is_refused_by_init_and_not_found_otherwise(tree: Tree) -> None:
    folder = tree.folder("home", "work")
    (folder / ".lwc").touch()
    assert refused(lambda: tree.find(folder)) is STORE_NOT_FOUND
    assert refused(lambda: tree.place(folder)) is PROJECT_ROOT_ESCAPE


def test_a_store_that_is_a_circle_of_links_is_refused_by_init(tree: Tree) -> None:
    folder = tree.folder("home", "work")
    (folder / ".lwc").symlink_to(".lwc")
    assert refused(lambda: tree.find(folder)) is STORE_NOT_FOUND
    assert refused(lambda: tree.place(folder)) is PROJECT_ROOT_ESCAPE


def test_a_database_that_is_a_folder_is_no_store(tree: Tree) -> None:
    work = tree.store("home", "work")
    (tree.folder("home", "work", "a", ".lwc", "wiki.db")).chmod(0o700)
    assert tree.find(work / "a").root == work


def test_a_store_that_may_not_be_looked_into_is_refused_and_none_above_it_taken(
    open_folder: Path,
) -> None:
    tree = Tree(open_folder)
    tree.store("work")
    folder = tree.store("work", "inner")
    (folder / ".lwc").chmod(0)
    assert as_nobody(lambda: refused(lambda: tree.find(folder)).reason) == "file_unreadable"


def test_only_a_projects_sources_have_a_folder_to_be_in(tree: Tree) -> None:
    found = tree.find(tree.store("home", "work"))
    assert found.project_root == found.root
    assert replace(found, scope=Scope.GLOBAL).project_root is None


def test_a_folder_that_is_not_there_has_no_wiki_not_even_one_above_it(tree: Tree) -> None:
    project = tree.store("home", "project")
    assert tree.find(project).root == project
    assert refused(lambda: tree.find(project / "none")) is STORE_NOT_FOUND
