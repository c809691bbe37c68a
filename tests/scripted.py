"""What engines without weights share: log-probabilities over what is allowed, as the step graph returns them."""

import numpy as np

from saligned.runtime.search import IMPOSSIBLE, Flags, Floats


def log_softmax(logits: Floats, allowed: Flags) -> Floats:
    """Over what is allowed; next to nothing elsewhere."""
    masked = np.where(allowed, logits, np.float32(IMPOSSIBLE))
    masked -= masked.max(-1, keepdims=True)
    masked -= np.log(np.exp(masked).sum(-1, keepdims=True))
    return masked
