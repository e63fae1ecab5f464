"""What stands on a parcel."""

from parcel.address import Adress
from parcel.rates import Parcel, price

WIDTH = 32


def label(number: int, address: Adress, parcel: Parcel) -> str:
    """The label of a parcel: its number, where it goes, and what was paid."""
    if not address.is_valid():
        raise ValueError(f"{address.postcode} is no postcode of {address.country}")
    cents = price(parcel)
    head = "No. " + number
    paid = f"{cents // 100}.{cents % 100:02} EUR"
    rows = [head, "", *address.lines(), "", paid.rjust(WIDTH)]
    return "\n".join(row.rstrip() for row in rows)
