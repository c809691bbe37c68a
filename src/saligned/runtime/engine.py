"""The network in ONNX Runtime: a graph to read, one for a decoding step, and one for the meaning of each operator."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from saligned.errors import ModelError
from saligned.runtime.search import Floats
from saligned.symbolic.actions import OPERATORS
from saligned.text.arrays import Ints

ENCODE = "encode.onnx"
STEP = "step.onnx"
COMBINE = tuple(f"{kind.name.lower()}.onnx" for kind in OPERATORS)
GRAPHS = (ENCODE, STEP, *COMBINE)
# The graphs name what a step reads of the encoding and what it returns apart from the state it is given.
KNOWN = "encoding_"
NEXT = "next_"


class OnnxEngine:
    """Implements `saligned.runtime.search.Engine`."""

    def __init__(self, directory: Path, *, threads: int = 0) -> None:
        self._encode = _session(directory / ENCODE, 1)
        self._threads = threads
        self._readers = ThreadPoolExecutor(threads or os.cpu_count())
        self._step = _session(directory / STEP, threads)
        self._combine = [_session(directory / name, threads) for name in COMBINE]
        self._encode_inputs = [entry.name for entry in self._encode.get_inputs()]
        self._encoding_names = [output.name for output in self._encode.get_outputs()]
        inputs = [entry.name for entry in self._step.get_inputs()]
        self._step_reads = {name: name.removeprefix(KNOWN) for name in inputs if name.startswith(KNOWN)}
        self._step_state = [name for name in inputs if name not in self._step_reads]
        self._step_names = [output.name.removeprefix(NEXT) for output in self._step.get_outputs()]

    def encode(self, inputs: Mapping[str, Ints]) -> dict[str, Any]:
        """Read problems, one by one.

        8-bit LSTMs scale a tensor by its largest value, which should not be another problem's; and together they would
        not be faster: 1.3 ms a problem against 1.5 ms in full precision and batches of eight.
        """
        rows = range(len(inputs["lengths"]))
        side_by_side = len(rows) > 1 and self._threads != 1
        readings = list((self._readers.map if side_by_side else map)(lambda row: self._read(inputs, row), rows))
        return {
            name: _stack(arrays) for name, arrays in zip(self._encoding_names, zip(*readings, strict=True), strict=True)
        }

    def _read(self, inputs: Mapping[str, Ints], row: int) -> list[Any]:
        """The encoding of one problem, without padding."""
        tokens, quantities = int(inputs["lengths"][row]), int(inputs["counts"][row])
        widths = {"tokens": tokens, "positions": quantities, "traits": quantities}
        one = {name: inputs[name][row : row + 1] for name in self._encode_inputs}
        feed = {name: array[:, : widths[name]] if name in widths else array for name, array in one.items()}
        return self._encode.run(None, feed)  # type: ignore[no-any-return]

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Floats]:
        """One decoding step."""
        feed = {name: encoding[read] for name, read in self._step_reads.items()}
        feed |= {name: state[name] for name in self._step_state}
        return dict(zip(self._step_names, self._step.run(None, feed), strict=True))

    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        """What one operator makes of pairs."""
        return self._combine[operator].run(None, {"tops": tops, "seconds": seconds})[0]  # type: ignore[no-any-return]


def _stack(arrays: Sequence[Any]) -> Any:
    """Arrays (1, …) of several sizes as one (B, …), zeros where they end."""
    if len(arrays) == 1:
        return arrays[0]
    out = np.zeros((len(arrays), *np.max([array.shape[1:] for array in arrays], 0)), arrays[0].dtype)
    for row, array in zip(out, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape[1:])] = array[0]
    return out


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Waiting threads that spin would take the core that Python needs between two steps.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if not path.is_file():
        raise ModelError(f"{path} is missing; a model directory needs {', '.join(GRAPHS)}")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's exceptions share no base class but Exception
        raise ModelError(f"{path} is damaged ({type(error).__name__}); install or export the model again") from error
