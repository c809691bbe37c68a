"""The network in ONNX Runtime: a graph to read, one for a decoding step, and one for the meaning of each operator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
        self._encode = _session(directory / ENCODE, threads)
        self._step = _session(directory / STEP, threads)
        self._combine = [_session(directory / name, threads) for name in COMBINE]
        self._encode_inputs = [entry.name for entry in self._encode.get_inputs()]
        self._encoding_names = [output.name for output in self._encode.get_outputs()]
        self._step_inputs = [entry.name for entry in self._step.get_inputs()]
        self._step_names = [output.name.removeprefix(NEXT) for output in self._step.get_outputs()]

    def encode(self, inputs: Mapping[str, Ints]) -> dict[str, Any]:
        """Read a batch of problems."""
        feed = {name: inputs[name] for name in self._encode_inputs}
        return dict(zip(self._encoding_names, self._encode.run(None, feed), strict=True))

    def step(self, encoding: Mapping[str, Any], state: Mapping[str, Floats]) -> dict[str, Floats]:
        """One decoding step."""
        feed = {
            name: encoding[name.removeprefix(KNOWN)] if name.startswith(KNOWN) else state[name]
            for name in self._step_inputs
        }
        return dict(zip(self._step_names, self._step.run(None, feed), strict=True))

    def combine(self, operator: int, tops: Floats, seconds: Floats) -> Floats:
        """What one operator makes of pairs."""
        return self._combine[operator].run(None, {"tops": tops, "seconds": seconds})[0]  # type: ignore[no-any-return]


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
