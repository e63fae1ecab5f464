import pytest

from parcel.tracking import History


def test_a_parcel_moves_on():
    history = History("A1")
    assert history.progress() == 0.0
    history.add("announced")
    history.add("sorted")
    assert history.progress() == 0.5
    assert not history.is_delivered
    history.add("delivered")
    assert history.is_delivered


def test_a_parcel_never_goes_back():
    history = History("A1", ["sorted"])
    with pytest.raises(ValueError, match="already sorted"):
        history.add("accepted")


def test_unknown_states_are_refused():
    with pytest.raises(ValueError, match="unknown state"):
        History("A1").add("eaten by the dog")
