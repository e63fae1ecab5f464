"""Where a parcel goes."""

import re
import string
from dataclasses import dataclass

POSTCODES = {
    "DE": re.compile(r"\d{5}"),
    "NL": re.compile(r"\d{4} ?[A-Z]{2}"),
    "CH": re.compile(r"\d{4}"),
}


@dataclass(frozen=True)
class Address:
    """A postal address in one of the countries that we serve."""

    name: str
    street: str
    postcode: str
    city: str
    country: str = "DE"

    def is_valid(self) -> bool:
        """Whether the postcode has the form that its country uses."""
        pattern = POSTCODES.get(self.country)
        return pattern is not None and pattern.fullmatch(self.postcode) is not None

    def lines(self) -> list:
        """The address as it is written on an envelope."""
        lines = [self.name, self.street, f"{self.postcode} {self.city}"]
        if self.country != "DE":
            lines.append(self.country)
        return lines
