from __future__ import annotations

from pathlib import Path

import pytest
from ailments import AILMENTS, Ailment, plant
from healthy import healthy, healthy_template

from lwc.domain.doctor import Area, Flaw
from lwc.domain.invariants import BY_CODE, INVARIANTS, ordered, sound
from lwc.services import doctor
from lwc.store.invariants import examiners
from lwc.store.invariants.examiners import EXAMINERS
from lwc.store.invariants.texts import HOLDERS
from lwc.store.tables import metadata, texts
from lwc.wiki import open_wiki

__all__ = ["healthy", "healthy_template"]

# What only a disk, or the lead of another program, can bring about; tested in test_doctor.
ELSEWHERE = {"filesystem_unsafe"}


def test_each_invariant_has_a_damage_that_breaks_it() -> None:
    planted = {ailment.code for ailment in AILMENTS}
    assert planted | ELSEWHERE == set(BY_CODE)
    assert not planted & ELSEWHERE


def test_each_invariant_of_the_database_has_one_examiner() -> None:
    told = [code for examiner in EXAMINERS for code in examiner.codes]
    assert sorted(told) == sorted(row.code for row in INVARIANTS if row.area is not Area.FILES)
    for examiner in EXAMINERS:
        assert {BY_CODE[code].area for code in examiner.codes} == {examiner.area}


def test_every_column_that_names_a_text_says_whose_it_is() -> None:
    naming = {
        column
        for table in metadata.tables.values()
        for column in table.columns
        if column.references(texts.c.digest) and table.name != "text_parts"
    }
    assert {holder.column for holder in HOLDERS} == naming


@pytest.mark.parametrize("ailment", AILMENTS, ids=lambda ailment: ailment.name)
def test_a_planted_damage_is_found_and_called_by_its_name(ailment: Ailment, healthy: Path) -> None:
    plant(ailment, healthy)
    with open_wiki(healthy) as wiki:
        found = doctor.examine(wiki, areas={BY_CODE[ailment.code].area}, limit=1000).findings
    named = [one for one in found if one.code == ailment.code]
    assert named, [one.message for one in found]
    assert ailment.entity in ("", *(one.entity for one in named))
    assert ailment.key in ("", *(one.key for one in named))
    for one in found:
        assert "{" not in one.message + one.hint


def test_nothing_is_said_of_a_wiki_in_which_all_holds(healthy: Path) -> None:
    with open_wiki(healthy) as wiki:
        with wiki.database.reading() as conn:
            assert examiners.flaws(conn) == []
            counted = examiners.rows(conn)
    busy = {"sources", "jobs", "pages", "aliases", "draft_pages", "inverses", "checks", "requests"}
    assert busy <= counted.keys()


def test_the_worst_is_told_first_and_only_errors_are_unsound() -> None:
    def flaw(code: str) -> Flaw:
        return Flaw(code=code, entity="x", key="x")

    info, warning, error = map(
        flaw, ("projection_pending", "page_links_stale", "content_hash_mismatch")
    )
    assert ordered([info, warning, error]) == [error, warning, info]
    assert sound([info, warning])
    assert not sound([error])
