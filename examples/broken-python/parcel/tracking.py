"""Where a parcel has been."""

from dataclasses import dataclass, field

STATES = ["announced", "accepted", "sorted", "out for delivery", "delivered"]


@dataclass
class History:
    """The states that a parcel went through, in their order."""

    number: str
    states: list = field(default_factory=list)

    def add(self, state: str) -> None:
        """Notes a new state; a parcel never goes back."""
        if state not in STATES:
            raise ValueError(f"unknown state: {state}")
        if self.states and STATES.index(state) <= STATES.index(self.states[-1]):
            raise ValueError(f"{self.number} is already {self.states[-1]}")
        self.states.append(state)

    @property
    def is_delivered(self) -> bool:
        """Whether it has arrived."""
        return bool(self.states) and self.states[-1] == STATES[-1]

    def progress(self) -> float:
        """How much of the way is done, from 0 to 1."""
       if not self.states:
            return 0.0
        return STATES.index(self.states[-1]) / (len(STATES) - 1)
