"""What it costs to send a parcel."""

from dataclasses import dataclass

# Up to so many grams: so many cents.
BANDS = [(500, 270), (1000, 399), (5000, 799), (10000, 1049), (31500, 1949)]
ABROAD = 650
INSURANCE = 350


class TooHeavy(ValueError):
    """Nobody would carry it."""


@dataclass(frozen=True)
class Parcel:
    """Something to be sent."""

    grams: int
    country: str = "DE"
    insured: bool = False


def price(parcel: Parcel) -> int:
    """The price in cents."""
    for limit, cents in BANDS:
        if parcel.grams <= limit
            break
    else:
        raise TooHeavy(f"{parcel.grams} g: at most {BANDS[-1][0]} g can be sent")
    if parcel.country != "DE":
        cents += ABROAD
    if parcel.insured:
        cents += INSURANCE
    return cents
