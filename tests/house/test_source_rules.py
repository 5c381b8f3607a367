"""Rules of the house that no linter of others knows, read from the syntax trees of our sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES_MOST = 400

# Functions whose SQL is no literal.
NOT_LITERAL = frozenset(
    {
        # Pragmas, of names and numbers that stand in our own source.
        "lwc/store/dialects/sqlite.py:_pragma",
        "lwc/store/dialects/sqlite.py:_value",
        "lwc/store/dialects/sqlite.py:born",
        "lwc/store/dialects/sqlite.py:mark_version",
        "lwc/store/dialects/sqlite_copies.py:_fit",
        # Made of the names of tables and columns, and of ids from the database itself.
        "lwc/store/dialects/sqlite_layers.py:lay",
        "lwc/store/dialects/sqlite_layers.py:lift",
        "lwc/store/dialects/sqlite_layers.py:_copy",
        # Put together from the constants of its module, once, when that is imported.
        "lwc/store/dialects/sqlite_draft_search.py:_statement",
        # What an operator types to `lwc db`, under an authorizer that lets it only read.
        "lwc/store/maintenance.py:query",
    }
)
# What runs SQL that is given as text; on a Core connection `execute` takes none.
RUNS_TEXT = frozenset({"exec_driver_sql", "literal_column"})
# Where all that nothing else caught becomes an error of ours.
CATCHES_ALL = frozenset({"lwc/cli/app.py:run"})
PRINTS = frozenset({"lwc/cli/output.py", "lwc/demo/show.py"})
# A cache outlives the command: only of pure functions over what never changes.
REMEMBERS = frozenset(
    {
        "lwc/domain/edges.py:_ties",
        "lwc/domain/edges.py:_unspaced",
        "lwc/domain/fold.py:_joins_the_one_before",
        "lwc/domain/fold.py:fold_character",
        "lwc/domain/markdown_rules.py:_linkless",
        "lwc/domain/markdown_rules.py:_parser",
        "lwc/domain/porter.py:stem",
        "lwc/reader/kinds.py:_is_kernel_device",
        "lwc/store/dialects/sqlite_layers.py:beneath",
        "lwc/store/sources.py:_forgetting",
    }
)


class File:
    """A source file and its syntax tree, whose places are told as `path:line`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.relative_to(ROOT).as_posix()
        self.text = path.read_text("utf-8")
        self.tree = ast.parse(self.text, filename=self.name)
        self.nodes = list(ast.walk(self.tree))

    def at(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"

    def functions(self) -> Iterator[ast.FunctionDef]:
        return (node for node in self.nodes if isinstance(node, ast.FunctionDef))

    def around(self, node: ast.AST) -> set[str]:
        """The names of the functions that a node stands in."""
        line = getattr(node, "lineno", 0)
        return {f.name for f in self.functions() if f.lineno <= line <= (f.end_lineno or 0)}

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Each call with the last word of what is called."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    yield node, node.func.attr
                elif isinstance(node.func, ast.Name):
                    yield node, node.func.id

    def imports(self) -> Iterator[tuple[ast.AST, str]]:
        """Each import with what it names: `sqlalchemy.text` for `from sqlalchemy import text`."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node, one.name) for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((node, f"{node.module}.{one.name}") for one in node.names)


@pytest.fixture(scope="module")
def files() -> list[File]:
    return [File(path) for path in sorted((ROOT / "lwc").rglob("*.py"))]


@pytest.fixture(scope="module")
def migrations() -> list[File]:
    return [File(path) for path in sorted((ROOT / "migrations").rglob("*.py"))]


def test_sql_is_never_put_together_from_texts(files: list[File], migrations: list[File]) -> None:
    assert [place for file in files + migrations for place in sql_made_of_texts(file)] == []


@pytest.mark.parametrize(
    "source",
    [
        'conn.exec_driver_sql(f"SELECT {x}")',
        'conn.exec_driver_sql("SELECT " + x)',
        "conn.exec_driver_sql(x)",
        'from sqlalchemy import text\ntext("SELECT %s" % x)',
        'from sqlalchemy import text\ntext("SELECT {}".format(x))',
        'import sqlite3\nconn.execute(" ".join(parts))',
        'from alembic import op\nop.execute(f"DROP TABLE {x}")',
    ],
)
def test_that_rule_sees_what_it_forbids(tmp_path: Path, source: str) -> None:
    file = File(ROOT / "lwc" / "__init__.py")
    file.tree = ast.parse(source)
    file.nodes = list(ast.walk(file.tree))
    assert len(list(sql_made_of_texts(file))) == 1


def sql_made_of_texts(file: File) -> Iterator[str]:
    imported = {name for _, name in file.imports()}
    run = set(RUNS_TEXT)
    if "sqlalchemy.text" in imported:
        run.add("text")
    if imported & {"sqlite3", "alembic.op"}:
        run |= {"execute", "executemany"}
    for call, word in file.calls():
        functions = {f"{file.name}:{name}" for name in file.around(call)}
        if word in run and call.args and not is_safe(call.args[0]) and not functions & NOT_LITERAL:
            yield file.at(call)


def is_safe(node: ast.expr) -> bool:
    """Whether SQL stands in the source, itself or by a constant's name, or is a Core statement."""
    if isinstance(node, ast.IfExp):
        return is_safe(node.body) and is_safe(node.orelse)
    if isinstance(node, ast.Name):
        return node.id.isupper()
    return isinstance(node, ast.Constant) or is_core(node)


def is_core(node: ast.expr) -> bool:
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in {"sa", "select", "insert", "update", "delete"}


def test_no_shell_no_script_and_no_code_made_of_text(files: list[File]) -> None:
    forbidden = {"executescript", "system", "popen"}
    builtin = {"eval", "exec", "compile", "__import__"}
    assert [
        file.at(call)
        for file in files
        for call, word in file.calls()
        if word in forbidden
        or (isinstance(call.func, ast.Name) and word in builtin)
        or any(keyword.arg == "shell" for keyword in call.keywords)
    ] == []


def test_a_connection_of_sqlite_is_no_context(files: list[File]) -> None:
    """`with connection:` of sqlite3 begins nothing, and so it rolls nothing back."""
    assert [
        file.at(node)
        for file in files
        for node in file.nodes
        if isinstance(node, ast.With)
        for item in node.items
        if ast.unparse(item.context_expr).startswith("sqlite3.connect")
        or (isinstance(item.context_expr, ast.Name) and item.context_expr.id.startswith("conn"))
    ] == []


def test_printing_happens_in_one_place(files: list[File]) -> None:
    printed = [
        file.at(call)
        for file in files
        for call, word in file.calls()
        if file.name not in PRINTS
        # A Console that prints into a text of its own is no terminal.
        if (word == "print" and ast.unparse(call.func) != "console.print")
        or ast.unparse(call.func).startswith(("sys.stdout.write", "sys.stderr.write", "os.write"))
    ]
    assert printed == []


def test_only_the_front_door_catches_everything(files: list[File]) -> None:
    assert [
        file.at(node)
        for file in files
        for node in file.nodes
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or "Exception" in names(node.type))
        and not {f"{file.name}:{name}" for name in file.around(node)} & CATCHES_ALL
    ] == []


def test_what_stops_a_command_is_raised_again(files: list[File]) -> None:
    assert [
        file.at(node)
        for file in files
        for node in file.nodes
        if isinstance(node, ast.ExceptHandler)
        and node.type is not None
        and "BaseException" in names(node.type)
        and ast.unparse(node.body[-1]) != "raise"
    ] == []


def names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def test_no_file_swells(files: list[File]) -> None:
    assert [file.name for file in files if file.text.count("\n") > LINES_MOST] == []


def test_a_module_says_in_one_sentence_what_it_is_for(
    files: list[File], migrations: list[File]
) -> None:
    untold = []
    for file in files + migrations:
        told, _, _ = (ast.get_docstring(file.tree) or "").partition("\n\n")
        if not told.endswith("."):
            untold.append(file.name)
    assert untold == []


def test_annotations_are_never_evaluated(files: list[File], migrations: list[File]) -> None:
    evaluated = []
    for file in files + migrations:
        code = [node for node in file.tree.body if not isinstance(node, ast.Expr)]
        if code and ast.unparse(code[0]) != "from __future__ import annotations":
            evaluated.append(file.name)
    assert evaluated == []


def test_the_click_inside_typer_is_never_imported(files: list[File]) -> None:
    assert [
        file.at(node)
        for file in files
        for node, name in file.imports()
        if "click" in name.replace("_", ".").split(".")
    ] == []


def test_nothing_outside_the_clock_asks_for_the_time(files: list[File]) -> None:
    asks = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time"}
    assert [
        file.at(call)
        for file in files
        if file.name != "lwc/clock.py"
        for call, _ in file.calls()
        if ast.unparse(call.func) in asks
    ] == []


FILLED_LATER = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict"})
FILLS = frozenset(
    {"append", "appendleft", "add", "extend", "insert", "update", "setdefault"}
    | {"pop", "popitem", "clear", "remove", "discard"}
)


def test_no_module_keeps_a_state(files: list[File]) -> None:
    """`main(argv)` may run in a forked child: what one run does is not there in the next."""
    assert [place for file in files for place in states(file)] == []


@pytest.mark.parametrize(
    "source",
    [
        "seen = []",
        "seen = {}",
        "seen: dict[str, int] = {}",
        "seen = set()",
        "seen = defaultdict(list)",
        "seen = 0\ndef f():\n    global seen\n    seen = 1",
        "SEEN = {'a': 1}\ndef f():\n    SEEN['b'] = 2",
        "SEEN = [1]\ndef f():\n    SEEN.append(2)",
    ],
)
def test_that_rule_sees_states(source: str) -> None:
    file = File(ROOT / "lwc" / "__init__.py")
    file.tree = ast.parse(source)
    file.nodes = list(ast.walk(file.tree))
    assert len(list(states(file))) == 1


def states(file: File) -> Iterator[str]:
    yield from (file.at(node) for node in file.nodes if isinstance(node, ast.Global))
    held = set()
    for node in file.tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        held |= {target.id for target in targets if isinstance(target, ast.Name)}
        if is_empty(node.value) and not is_unchangeable(node):
            yield file.at(node)
    for function in file.functions():
        own = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
        own |= {
            part.id
            for part in ast.walk(function)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        for part in ast.walk(function):
            if changed(part) in held - own:
                yield file.at(part)


def is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in FILLED_LATER and not any(
            isinstance(argument, ast.Constant | ast.List | ast.Tuple | ast.GeneratorExp)
            for argument in value.args
        )
    return ast.unparse(value) in ("[]", "{}")


def is_unchangeable(node: ast.Assign | ast.AnnAssign) -> bool:
    """`X: Mapping[…] = {}` cannot be filled by what the type checker lets pass."""
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith(
        ("Mapping[", "Sequence[")
    )


def changed(node: ast.AST) -> str | None:
    """The name of what a node changes in place."""
    held: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        held = node.func.value if node.func.attr in FILLS else None
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        held = node.value
    return held.id if isinstance(held, ast.Name) else None


def test_what_is_remembered_beyond_a_command_is_listed(files: list[File]) -> None:
    caches = {"cache", "lru_cache"}
    found = {
        f"{file.name}:{function.name}"
        for file in files
        for function in file.functions()
        for decorator in function.decorator_list
        if set(ast.unparse(decorator).partition("(")[0].split(".")) & caches
    }
    assert found == REMEMBERS
