"""From texts to solutions: read, search, run the program, solve the equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saligned.config import Config
from saligned.errors import InputError
from saligned.problem import Failure, Reading, Reason
from saligned.runtime.confidence import UNCALIBRATED, Calibration, weigh
from saligned.runtime.measures import convert_units, mixes_units
from saligned.runtime.search import Engine, Hypothesis, search
from saligned.runtime.signals import Signal, find_signals
from saligned.runtime.solution import Candidate, Solution, failed
from saligned.symbolic.machine import run
from saligned.symbolic.solving import solve
from saligned.text.inputs import encode_inputs
from saligned.text.tokenizers import read
from saligned.text.vocabulary import Vocabulary

BEAM = 5
# Larger batches gain nothing on two cores, and cost memory.
BATCH = 64


@dataclass(frozen=True, slots=True)
class Solver:
    """A model ready to solve. Make one with `saligned.load()`."""

    name: str
    config: Config
    vocabulary: Vocabulary
    engine: Engine
    calibration: Calibration = UNCALIBRATED

    def solve(self, text: str, *, beam: int = BEAM, min_confidence: float = 0.0) -> Solution:
        """Solve one problem; a text that cannot be read raises InputError. An answer less sure is a failure."""
        return self.solve_readings([read(text, self.config.tokenizer)], beam=beam)[0].require(min_confidence)

    def solve_many(self, texts: Sequence[str], *, beam: int = BEAM, min_confidence: float = 0.0) -> list[Solution]:
        """Solve texts together, order kept; a text that cannot be read becomes a failed solution."""
        readings: list[Reading] = []
        solutions: list[Solution | None] = []
        for text in texts:
            try:
                readings.append(read(text, self.config.tokenizer))
                solutions.append(None)
            except InputError as error:
                solutions.append(failed(text, self.name, Reason.UNREADABLE, str(error)))
        solved = iter(self.solve_readings(readings, beam=beam))
        return [(solution or next(solved)).require(min_confidence) for solution in solutions]

    def solve_readings(self, readings: Sequence[Reading], *, beam: int = BEAM) -> list[Solution]:
        """Solve texts that were already read, in batches of similar length, so that little is padded."""
        order = sorted(range(len(readings)), key=lambda i: len(readings[i].tokens))
        solutions: dict[int, Solution] = {}
        for start in range(0, len(order), BATCH):
            chunk = order[start : start + BATCH]
            solutions.update(zip(chunk, self._solve_batch([readings[i] for i in chunk], beam), strict=True))
        return [solutions[i] for i in range(len(readings))]

    def hypotheses(self, readings: Sequence[Reading], beam: int) -> list[list[Hypothesis]]:
        """The finished programs of each text, with all that the network saw on the way."""
        return search(self.engine, encode_inputs(readings, self.vocabulary), self.config.layout, width=beam)

    def candidates(self, reading: Reading, hypotheses: Sequence[Hypothesis]) -> list[Candidate]:
        """What the programs of one text come to."""
        layout = self.config.layout
        operands = layout.expressions(reading.quantities)
        out = []
        for hypothesis in hypotheses:
            equations = run(hypothesis.program, operands, layout)
            if isinstance(equations, Failure):  # the search takes legal actions only
                raise AssertionError(f"the search wrote an illegal program: {equations}")
            answers = solve(equations)
            signals = () if isinstance(answers, Failure) else find_signals(reading.text, answers)
            if mixes_units(hypothesis.program, reading, layout):
                signals = (*signals, Signal.MIXED_UNITS)
            out.append(Candidate(equations, answers, hypothesis, signals))
        return out

    def _solve_batch(self, readings: Sequence[Reading], beam: int) -> list[Solution]:
        with_numbers = [reading for reading in readings if reading.quantities]
        found = self.hypotheses(with_numbers, beam) if with_numbers else []
        candidates = [self.candidates(*pair) for pair in zip(with_numbers, found, strict=True)]
        self._convert_units(with_numbers, candidates)
        weighed = iter(candidates)
        return [
            self._choose(reading, next(weighed), beam)
            if reading.quantities
            else failed(reading.text, self.name, Reason.NO_QUANTITY)
            for reading in readings
        ]

    def _convert_units(self, readings: Sequence[Reading], candidates: Sequence[list[Candidate]]) -> None:
        """Replace programs that mix units by those that convert them, as likely as they were themselves.

        The network goes through each once more, so that there is something to see of it.
        """
        layout = self.config.layout
        mixed = [
            (reading, program, found, place)
            for reading, found in zip(readings, candidates, strict=True)
            for place, candidate in enumerate(found)
            if Signal.MIXED_UNITS in candidate.signals
            and (program := convert_units(candidate.hypothesis.program, reading, layout))
        ]
        if not mixed:
            return
        inputs = encode_inputs([reading for reading, *_ in mixed], self.vocabulary)
        followed = search(self.engine, inputs, layout, programs=[program for _, program, *_ in mixed])
        for (reading, _, found, place), (hypothesis,) in zip(mixed, followed, strict=True):
            as_likely = replace(hypothesis, score=found[place].score)
            found[place : place + 1] = self.candidates(reading, [as_likely])

    def _choose(self, reading: Reading, candidates: Sequence[Candidate], beam: int) -> Solution:
        """The answer that the programs come to together, see `confidence`."""
        verdict = weigh(candidates)
        best = next(candidate for candidate in candidates if candidate.answers == verdict.answers)
        return Solution(
            reading.text,
            self.name,
            reading,
            best,
            tuple(candidate for candidate in candidates if candidate is not best),
            self.calibration.confidence(verdict, beam=beam),
            verdict.answers if isinstance(verdict.answers, Failure) else None,
            tuple(self.config.layout.expressions(reading.quantities)),
            verdict.signals,
        )
