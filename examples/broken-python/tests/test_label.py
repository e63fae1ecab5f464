import pytest

from parcel import Address, Parcel, label

ADDRESS = Address("Ada Lovelace", "Hauptstr. 1", "10827", "Berlin")


def test_a_label_has_number_address_and_price():
    rows = label(4711, ADDRESS, Parcel(900)).splitlines()
    assert rows[0] == "No. 4711"
    assert "10827 Berlin" in rows
    assert rows[-1].strip() == "3.99 EUR"


def test_no_label_for_a_wrong_postcode():
    with pytest.raises(ValueError, match="no postcode of DE"):
        label(4711, Address("A", "B 1", "1", "C"), Parcel(900))
