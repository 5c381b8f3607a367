"""Workspaces, stores, settings: what stands in the way of opening or keeping a wiki."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

HOME_NOT_SET = Problem(
    "home_not_set",
    "There is no home directory to find the global wiki in.",
    "Set HOME to the absolute path of a folder.",
    Exit.NOT_FOUND,
)
STORE_NOT_FOUND = Problem(
    "store_not_found",
    "There is no {scope} wiki here.",
    "Make one with `lwc init --scope {scope}`; a project's in the project's folder.",
    Exit.NOT_FOUND,
)
SCOPE_NOT_SUPPORTED = Problem(
    "scope_not_supported",
    "`lwc {command}` works on one wiki; --scope all is for reading commands that merge.",
    "Use --scope project or --scope global.",
    Exit.USAGE,
)
PROJECT_ROOT_INVALID = Problem(
    "project_root_invalid",
    "LWC_PROJECT_ROOT does not name a folder.",
    "Unset LWC_PROJECT_ROOT or point it at the project's folder.",
    Exit.BAD_INPUT,
)
HOME_IS_GLOBAL = Problem(
    "project_root_invalid",
    "The wiki of the home folder is the global one, not a project's.",
    "Go into the project's folder, or make the global one with `lwc init --scope global`.",
    Exit.CONFLICT,
    reason="home_is_global",
)
PROJECT_ROOT_MISMATCH = Problem(
    "project_root_mismatch",
    "The current folder is outside LWC_PROJECT_ROOT.",
    "Go into the project's folder, or unset LWC_PROJECT_ROOT.",
    Exit.CONFLICT,
)
PROJECT_SCOPE_CONFLICT = Problem(
    "project_scope_conflict",
    "There are two wikis between here and LWC_PROJECT_ROOT: {stores}.",
    "Point LWC_PROJECT_ROOT at the one that is meant.",
    Exit.CONFLICT,
)
PROJECT_ROOT_ESCAPE = Problem(
    "project_root_escape",
    "{path} in the path of the project's wiki is a symbolic link or not what it should be.",
    "Put a real folder or file in its place; lwc does not follow links to its store.",
    Exit.CONFLICT,
    reason="symlink_refused",
)
STORE_PATH_INVALID = Problem(
    "store_path_invalid",
    "{path} in the path of the global wiki is a symbolic link or not what it should be.",
    "Put a real folder or file in its place; lwc does not follow links to its store.",
    Exit.CONFLICT,
)
MULTIPLE_LINKS = Problem(
    "multiple_links",
    "{path} has more than one name on this disk (a hard link).",
    "Keep one name; two names of one database lose work.",
    Exit.CONFLICT,
)
STORE_EXPOSED = Problem(
    "store_path_invalid",
    "{path} may be written by other users.",
    "Take the right away: `chmod go-w {path}`.",
    Exit.CONFLICT,
    reason="store_exposed",
)
STORE_FOREIGN = Problem(
    "store_path_invalid",
    "{path} belongs to another user ({owner}), who could change what the wiki says.",
    "Set LWC_PROJECT_ROOT to your own project, or LWC_ALLOW_OWNER={owner} if you trust that user.",
    Exit.CONFLICT,
    reason="store_foreign",
)
UNSUPPORTED_FILESYSTEM = Problem(
    "unsupported_filesystem",
    "{path} is on a {kind} file system, where SQLite's locks cannot be trusted.",
    "Keep the wiki on a local disk, or set LWC_ALLOW_FILESYSTEM={kind} and take the risk.",
    Exit.CONFLICT,
)
GIT_EXCLUDE_FAILED = Problem(
    "git_exclude_failed",
    "git could not be told to ignore the wiki: {what}.",
    "Mend the repository, or run `lwc init --no-git-exclude`.",
    Exit.CONFLICT,
)
STORE_NOT_LWC = Problem(
    "store_not_lwc",
    "{path} is not an lwc wiki.",
    "Move it away and run `lwc init`, or restore the wiki from a backup.",
    Exit.CONFLICT,
)
STORE_CORRUPT = Problem(
    "corrupt_store",
    "The wiki is damaged: {what}.",
    "Restore it from a backup; the file was not touched.",
    Exit.CONFLICT,
    reason="store_corrupt",
)
STORE_NEWER = Problem(
    "unsupported_store_version",
    "The wiki was written by a newer lwc (schema {found}; this one knows {known}).",
    "Upgrade lwc: `pip install --upgrade lwc-wiki`.",
    Exit.CONFLICT,
    reason="store_newer",
)
STORE_UNFINISHED = Problem(
    "unsupported_store_version",
    "The wiki was begun but never finished: it has no schema.",
    "Move `.lwc/wiki.db` away and run `lwc init`, or restore the wiki from a backup.",
    Exit.CONFLICT,
    reason="store_unfinished",
)
MIGRATION_REQUIRED = Problem(
    "migration_required",
    "The wiki has schema {found}; this lwc needs {known}.",
    "Run `lwc maintenance migrate` where the wiki may be written.",
    Exit.CONFLICT,
)
STORE_MIGRATION_FAILED = Problem(
    "store_migration_failed",
    "The wiki could not be brought to schema {known}: {what}.",
    "Nothing was changed; the checkpoint {backup} is from before.",
    Exit.CONFLICT,
)
STORE_READONLY = Problem(
    "database_error",
    "The wiki may only be read here.",
    "Run the command where {path} may be written.",
    Exit.CONFLICT,
    reason="store_readonly",
)
STORE_READONLY_LOG = Problem(
    "database_error",
    "The wiki may only be read here, and its last changes stand in a log that cannot be.",
    "Run any lwc command once where {path} may be written: it brings the log into the wiki.",
    Exit.CONFLICT,
    reason="store_readonly_wal",
)
DATABASE_BUSY = Problem(
    "database_busy",
    "Other commands kept the wiki busy for {seconds} seconds.",
    "Run the same command again.",
    Exit.BUSY,
    retryable=True,
)
DATABASE_FULL = Problem(
    "database_error",
    "There is no room left on the disk of the wiki.",
    "Make room and run the same command again.",
    Exit.BUSY,
    retryable=True,
    reason="store_full",
)
DATABASE_ERROR = Problem(
    "database_error",
    "SQLite refused: {what}.",
    "Check the disk and the folder's rights, then run the same command again.",
    Exit.INTERNAL,
)
COMMIT_UNKNOWN = Problem(
    "database_error",
    "SQLite failed while committing; the change may or may not be there.",
    "Run the same command with the same --request-id: it tells, and does it if it was not done.",
    Exit.BUSY,
    retryable=True,
    reason="commit_unknown",
)
QUERY_REFUSED = Problem(
    "query_refused",
    "SQLite refused the query: {what}.",
    "Give one statement that reads; `lwc db 'SELECT name, sql FROM sqlite_master'` lists the tables.",
    Exit.BAD_INPUT,
)
QUERY_TOO_SLOW = Problem(
    "query_too_slow",
    "The query was not done after {seconds} seconds.",
    "Narrow it with WHERE or LIMIT.",
    Exit.BAD_INPUT,
)
INVALID_CONFIG = Problem(
    "invalid_config",
    "{key} cannot be {value}.",
    "`lwc config show` lists the settings and what they may be.",
    Exit.BAD_INPUT,
)
UNKNOWN_SETTING = Problem(
    "invalid_config",
    "There is no setting {key}.",
    "`lwc config show` lists the settings and what they may be.",
    Exit.BAD_INPUT,
    reason="unknown_setting",
)
CHARTER_REVISION_NOT_FOUND = Problem(
    "revision_not_found",
    "The {name} has no revision {revision}; the newest is {newest}.",
    "Show the newest with `lwc {name} show`.",
    Exit.NOT_FOUND,
)
INVALID_SCHEMA = Problem(
    "invalid_input",
    "The schema's front matter cannot be read: {what}.",
    "Write kinds as `kinds: [decision, recipe]` between two lines of `---`.",
    Exit.BAD_INPUT,
    reason="invalid_schema",
)
