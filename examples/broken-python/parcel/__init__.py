"""What a parcel costs to send, where it is, and what stands on its label."""

from parcel.address import Address
from parcel.label import label
from parcel.rates import Parcel, price
from parcel.tracking import History

__all__ = ["Address", "History", "Parcel", "label", "price"]
