"""rialto-test: venues for tests of trading programs. The package for Node has the same names in camelCase."""

from .account import Account
from .control_call import NotAnswered, RialtoTestError
from .truth import Truth
from .venue import Venue, open_venue

__all__ = ["Account", "NotAnswered", "RialtoTestError", "Truth", "Venue", "open_venue"]
