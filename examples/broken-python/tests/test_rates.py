import pytest

from parcel.rates import Parcel, TooHeavy, price


@pytest.mark.parametrize(("grams", "cents"), [(1, 270), (500, 270), (501, 399), (5000, 799), (31500, 1949)])
def test_weight_makes_the_price(grams, cents):
    assert price(Parcel(grams)) == cents


def test_abroad_and_insurance_cost_more():
    assert price(Parcel(400, country="CH")) == 270 + 650
    assert price(Parcel(400, insured=True)) == 270 + 350


def test_what_is_too_heavy_is_refused():
    with pytest.raises(TooHeavy):
        price(Parcel(31501))
