"""Fixtures of pytest: `venue` and `account`, new for each test.

Override `rialto_settings`, `rialto_funds` or `rialto_perp` in a test file or in conftest.py to change what they have.
"""

import pytest

from .venue import open_venue


@pytest.fixture
def rialto_settings():
    """Settings of the venue, by name."""
    return {}


@pytest.fixture
def rialto_funds():
    """Amounts in the account's spot wallet, by asset."""
    return {"USDC": 100_000}


@pytest.fixture
def rialto_perp():
    """Amounts in the account's perp wallet, by asset."""
    return {"USDC": 100_000}


@pytest.fixture
def venue(rialto_settings):
    """A venue with empty books, closed after the test."""
    with open_venue(settings=rialto_settings) as opened:
        yield opened


@pytest.fixture
def account(venue, rialto_funds, rialto_perp):
    """An account of the venue, with a key."""
    return venue.account(funds=rialto_funds, perp=rialto_perp)
