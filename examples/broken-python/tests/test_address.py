import pytest

from parcel.address import Address


def test_an_address_is_written_in_lines():
    address = Address("Ada Lovelace", "Hauptstr. 1", "10827", "Berlin")
    assert address.lines() == ["Ada Lovelace", "Hauptstr. 1", "10827 Berlin"]


def test_the_country_is_named_when_it_is_abroad():
    assert Address("A", "B 1", "1012 AB", "Amsterdam", "NL").lines()[-1] == "NL"


@pytest.mark.parametrize(
    ("postcode", "country", "valid"),
    [("10827", "DE", True), ("1082", "DE", False), ("1012 AB", "NL", True), ("8001", "CH", True), ("1", "XX", False)],
)
def test_postcodes_have_the_form_of_their_country(postcode, country, valid):
    assert Address("A", "B 1", postcode, "C", country).is_valid() is valid
