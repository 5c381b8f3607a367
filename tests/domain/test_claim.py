from __future__ import annotations

import pytest
from ingesting import a_job

from lwc.domain.claim import Holding, holds, new_token, token_hash

TOKEN = new_token()


def test_a_token_is_128_random_bits_in_hex() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(bytes.fromhex(token)) == 16 for token in tokens)


def test_what_is_kept_of_a_token_is_its_sha256() -> None:
    assert token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize(
    "token, agent, strict, holding",
    [
        pytest.param(TOKEN, "tester", False, Holding.HELD, id="token and name"),
        pytest.param(TOKEN, "stranger", False, Holding.HELD, id="token decides alone"),
        pytest.param(TOKEN, "stranger", True, Holding.HELD, id="token under strict claims"),
        pytest.param(new_token(), "tester", False, Holding.LOST, id="another token"),
        pytest.param("", "tester", False, Holding.LOST, id="an empty token"),
        pytest.param("\udcff", "tester", False, Holding.LOST, id="a token that is no text"),
        pytest.param("ü" * 32, "tester", False, Holding.LOST, id="a token beyond ASCII"),
        pytest.param(None, "tester", False, Holding.HELD, id="the name is enough"),
        pytest.param(None, "stranger", False, Holding.LOST, id="another name"),
        pytest.param(None, "tester", True, Holding.TOKEN_REQUIRED, id="strict, the name alone"),
    ],
)
def test_who_holds_a_job(token: str | None, agent: str, strict: bool, holding: Holding) -> None:
    job = a_job(token_hash=token_hash(TOKEN))
    assert holds(job, token=token, agent=agent, strict=strict) is holding
