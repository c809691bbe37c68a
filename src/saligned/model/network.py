"""The paper's network (§ End-to-End Neural Math Solver), in the paper's order.

Symbols: B problems, T tokens, S steps (while decoding: hypotheses of a beam), O operands, U unknowns,
H the hidden size, D = 2H the size of a meaning. h^E are the token states, h^D the decoder's state, s the stack
state, q the attended problem, e a semantic vector.

Everything after the encoder takes any number of steps at once, so the vectorised training pass (all steps of
the gold program) and the decoding pass (one step of all hypotheses) are the same code.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from saligned.config import Config
from saligned.model.encoders import TransformerEncoder
from saligned.symbolic.actions import OPERATORS, Kind
from saligned.text.traits import SIZES as TRAIT_SIZES

INPUTS = ("tokens", "lengths", "positions", "counts", "traits")

# The "- Semantic Representation" ablation has one vector a position; no problem of Math23K has more quantities.
MAX_PLACEHOLDERS = 40


class Encoding(NamedTuple):
    """What the decoder needs to know of the problems."""

    states: Tensor  # (B, T, D) h^E
    keys: Tensor  # (B, T, H) W_v h^E of the decoder's attention
    mask: Tensor  # (B, T) true at tokens
    operands: Tensor  # (B, O, D) e = [e^1, e^pi, e^x, e^c_1, …]
    operand_keys: Tensor  # (B, O, H) W_v e of the operand selector
    operand_mask: Tensor  # (B, O) true at operands
    hidden: Tensor  # (B, H) h^D_0
    cell: Tensor  # (B, H) c^D_0
    unknown_attention: Tensor  # (B, U, T) alpha of the variable generation
    operand_attention: Tensor  # (B, N, T) alpha of the self-attention variant; zeros otherwise


class Selection(NamedTuple):
    """The decoder's preferences in one state."""

    actions: Tensor  # (B, S, 7) logits of P(Y_t)
    operands: Tensor  # (B, S, O) logits of P(Z_t)
    gates: Tensor  # (B, S, 6) g^sa, g^opd


def drop(x: Tensor, rate: float, training: bool) -> Tensor:
    """Dropout with one mask a sequence: (B, S, X) is masked by (B, 1, X).

    Masks drawn for each step are a third of the training time.
    """
    if not training or rate == 0:
        return x
    keep = torch.rand(x.shape[0], *[1] * (x.dim() - 2), x.shape[-1]) >= rate
    return x * (keep / (1 - rate))


def weigh_sigmoids(u: Tensor, keys: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    """w^T sigmoid(u + v) for all pairs of u (B, S, H) and v (B, T, H): (B, S, T), and the sigmoids (B, S, T, H)."""
    hidden = (u.unsqueeze(2) + keys.unsqueeze(1)).sigmoid_()
    return torch.matmul(hidden.flatten(1, 2), w.unsqueeze(-1)).view(hidden.shape[:3]), hidden


class WeighedSigmoids(torch.autograd.Function):
    """`weigh_sigmoids` with a gradient that passes over the largest array of a training step four times, not eight."""

    @staticmethod
    def forward(ctx: Any, u: Tensor, keys: Tensor, w: Tensor) -> Tensor:
        total, hidden = weigh_sigmoids(u, keys, w)
        ctx.save_for_backward(hidden, w)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden, w = ctx.saved_tensors
        of_w = torch.bmm(grad.reshape(len(w), 1, -1), hidden.flatten(1, 2)).squeeze(1)  # (B, H)
        slope = torch.ops.aten.sigmoid_backward(grad.unsqueeze(-1).expand_as(hidden), hidden)  # (B, S, T, H)
        return slope.sum(2) * w.unsqueeze(1), slope.sum(1) * w.unsqueeze(1), of_w


class Attention(nn.Module):
    """eq:attention-weight: s_i = w^T tanh(W^T [u; v_i] + b), with W split into W_u and W_v.

    The keys W_v v_i + b do not depend on the step and are computed once a problem.
    """

    def __init__(self, query: int, value: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.W_u = nn.Linear(query, hidden, bias=False)
        self.W_v = nn.Linear(value, hidden)
        self.w = nn.Parameter(torch.empty(hidden).uniform_(-(hidden**-0.5), hidden**-0.5))
        self.dropout = dropout

    def scores(self, u: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """The logits of the weights, (B, S, Du) over (B, T, H) → (B, S, T).

        tanh(x) is written as 2 sigmoid(2x) - 1, which PyTorch computes five times as fast on a processor, and hidden
        units are dropped by dropping entries of w, which is far smaller.
        """
        w = drop(self.w.expand(u.shape[0], 1, -1), self.dropout, self.training).squeeze(1)  # (B, H)
        u, keys = 2 * self.W_u(u), 2 * keys
        total = WeighedSigmoids.apply(u, keys, 2 * w) if self.training else weigh_sigmoids(u, keys, 2 * w)[0]  # type: ignore[no-untyped-call]
        scores = total - w.sum(-1)[:, None, None]  # (B, S, T)
        return scores.masked_fill(~mask.unsqueeze(1), -1e9)

    def forward(self, u: Tensor, values: Tensor, keys: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The weighted sum of the values (B, S, Dv), and the weights (B, S, T)."""
        weights = self.scores(u, keys, mask).softmax(-1)
        return weights @ values, weights


class Encoder(nn.Module):
    """§ Encoder: BLSTM over the words.

    Two LSTMs over padded input, the second one over each text reversed in place: packed sequences would keep
    PyTorch off its fused CPU kernel.
    """

    def __init__(self, words: int, config: Config) -> None:
        super().__init__()
        self.size = 2 * config.hidden
        self.embedding = nn.Embedding(words, config.embedding, padding_idx=0)
        self.forward_lstm = nn.LSTM(config.embedding, config.hidden, batch_first=True)
        self.backward_lstm = nn.LSTM(config.embedding, config.hidden, batch_first=True)

    def forward(self, e: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Embedded words (B, T, E) → token states h^E (B, T, D) and the states at both ends (B, D)."""
        steps = torch.arange(e.shape[1]).unsqueeze(0)  # (1, T)
        reverse = torch.where(steps < lengths.unsqueeze(1), lengths.unsqueeze(1) - 1 - steps, steps)  # (B, T)
        forth, _ = self.forward_lstm(e)  # (B, T, H)
        back, _ = self.backward_lstm(_gather(e, reverse))  # (B, T, H)
        last = (lengths - 1).unsqueeze(1)  # (B, 1)
        ends = torch.cat([_gather(forth, last), _gather(back, last)], -1).squeeze(1)  # (B, D)
        return torch.cat([forth, _gather(back, reverse)], -1), ends


class SemanticTransformer(nn.Module):
    """eq:semantic-transformer: f(e_1, e_2) = tanh(U ReLU(W [e_1; e_2] + b) + c), one for each operator.

    Without `use_semantic_transformer`, f(e_1, e_2) = e_operator (§ Ablation Test).
    """

    def __init__(self, meaning: int, hidden: int, use_semantic_transformer: bool) -> None:
        super().__init__()
        if use_semantic_transformer:
            self.f = nn.Sequential(nn.Linear(2 * meaning, hidden), nn.ReLU(), nn.Linear(hidden, meaning), nn.Tanh())
        else:
            self.e = nn.Parameter(torch.randn(meaning) * 0.1)
        self.learned = use_semantic_transformer

    def forward(self, top: Tensor, second: Tensor) -> Tensor:
        """(…, D), (…, D) → (…, D)."""
        if self.learned:
            out: Tensor = self.f(torch.cat([top, second], -1))
            return out
        return self.e.expand_as(top)


class Network(nn.Module):
    """Encoder, decoder and loss."""

    def __init__(self, words: int, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = (TransformerEncoder if config.encoder == "transformer" else Encoder)(words, config)
        hidden, meaning = config.hidden, self.encoder.size
        features = hidden + config.use_stack * 2 * meaning + config.use_attention * meaning

        if config.use_traits:
            width = self.encoder.embedding.embedding_dim
            self.traits = nn.ModuleList(nn.Embedding(size, width) for size in TRAIT_SIZES)
            if config.encoder == "transformer":
                # Published word vectors are about this large; PyTorch's default would drown them.
                for table in self.traits.parameters():
                    nn.init.normal_(table, std=0.02)
        self.external = nn.Parameter(torch.randn(len(config.constants), meaning) * 0.1)  # e^1, e^pi
        if config.operand_vectors == "placeholder":
            self.placeholders = nn.Parameter(torch.randn(MAX_PLACEHOLDERS, meaning) * 0.1)  # b^c_i
        if config.operand_vectors == "self-attention":
            self.self_attention = Attention(meaning, meaning, hidden, config.dropout)
        self.start_hidden = nn.Linear(meaning, hidden)
        self.start_cell = nn.Linear(meaning, hidden)
        self.variable = Attention(hidden, meaning, hidden, config.dropout)

        self.decoder = nn.LSTM(meaning, hidden, batch_first=True)
        if config.use_attention:
            self.attention = Attention(hidden, meaning, hidden, config.dropout)
        if config.use_gate:
            self.gate_actions = nn.Linear(features, 3)  # W^sa
            self.gate_operands = nn.Linear(features, 3)  # W^opd
            sizes = torch.tensor([hidden, config.use_stack * 2 * meaning, config.use_attention * meaning])
            spread = torch.eye(3).repeat_interleave(sizes, 1)  # (3, R): which gate is over which feature
            self.register_buffer("spread", spread, persistent=False)
        self.action_hidden = nn.Linear(features, hidden)
        self.action_output = nn.Linear(hidden, len(Kind))
        self.operand_selector = Attention(features, meaning, hidden, config.dropout)
        self.transformers = nn.ModuleList(
            SemanticTransformer(meaning, hidden, config.use_semantic_transformer) for _ in OPERATORS
        )

    # § Encoder

    def encode(self, tokens: Tensor, lengths: Tensor, positions: Tensor, counts: Tensor, traits: Tensor) -> Encoding:
        """Read the problems: tokens (B, T), quantities at positions (B, N), of which counts (B,) are real."""
        states, ends = self.encoder(self.embed(tokens, positions, counts, traits), lengths)  # (B, T, D), (B, D)
        mask = torch.arange(tokens.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)  # (B, T)
        quantities, operand_attention = self.constants(states, mask, positions)  # (B, N, D)
        hidden, cell = torch.tanh(self.start_hidden(ends)), torch.tanh(self.start_cell(ends))  # (B, H)
        unknowns, unknown_attention = self.generate(states, mask, hidden, cell)  # (B, U, D)
        external = self.external.unsqueeze(0).expand(tokens.shape[0], -1, -1)  # (B, C, D)
        operands = torch.cat([external, unknowns, quantities], 1)  # (B, O, D)
        fixed = external.shape[1] + unknowns.shape[1]
        operand_mask = torch.arange(operands.shape[1]).unsqueeze(0) < counts.unsqueeze(1) + fixed  # (B, O)
        keys = self.attention.W_v(states) if self.config.use_attention else states[..., :1]
        operand_keys = self.operand_selector.W_v(operands)
        return Encoding(
            states,
            keys,
            mask,
            operands,
            operand_keys,
            operand_mask,
            hidden,
            cell,
            unknown_attention,
            operand_attention,
        )

    def embed(self, tokens: Tensor, positions: Tensor, counts: Tensor, traits: Tensor) -> Tensor:
        """Word embeddings e^P (B, T, E); with `use_traits`, a number's also tells its kind and size (B, N, 4)."""
        e: Tensor = self.encoder.embedding(tokens)
        if not self.config.use_traits:
            return e
        real = (torch.arange(positions.shape[1]).unsqueeze(0) < counts.unsqueeze(1)).unsqueeze(-1)  # (B, N, 1)
        values = torch.stack([table(traits[..., i]) for i, table in enumerate(self.traits)]).sum(0) * real
        return e.scatter_add(1, positions.unsqueeze(-1).expand_as(values), values)

    def constants(self, states: Tensor, mask: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """§ Constant Representation Extraction, eq:semantic-representation: e^c_i = h^E at p_i."""
        at_numbers = _gather(states, positions)  # (B, N, D)
        attention = at_numbers.new_zeros(positions.shape[0], positions.shape[1], states.shape[1])  # (B, N, T)
        if self.config.operand_vectors == "self-attention":  # § Constant Embedding Analysis
            return self.self_attention(at_numbers, states, self.self_attention.W_v(states), mask)  # type: ignore[no-any-return]
        if self.config.operand_vectors == "placeholder":
            index = torch.arange(positions.shape[1]).clamp(max=MAX_PLACEHOLDERS - 1)
            return self.placeholders[index].unsqueeze(0).expand_as(at_numbers), attention
        return at_numbers, attention

    def generate(self, states: Tensor, mask: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """§ Stack Actions, variable generation: e^x = Attention(h^D_t, h^E).

        The unknowns are the first results of every program, so they depend on nothing but the problem.
        """
        keys = self.variable.W_v(states)  # (B, T, H)
        result = states.new_zeros(states.shape[0], 1, states.shape[2])  # res_0
        hidden, cell = hidden.unsqueeze(1), cell.unsqueeze(1)  # (B, 1, H)
        unknowns, attentions = [], []
        for _ in range(self.config.max_unknowns):
            hidden, cell = self.advance(result, hidden, cell)
            result, attention = self.variable(hidden, states, keys, mask)  # (B, 1, D), (B, 1, T)
            unknowns.append(result)
            attentions.append(attention)
        return torch.cat(unknowns, 1), torch.cat(attentions, 1)

    # § Decoder

    def advance(self, result: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """eq:LSTM, one step of S independent hypotheses: (B, S, D), (B, S, H), (B, S, H) → h^D, c^D."""
        w_input, w_hidden, b_input, b_hidden = self.decoder.parameters()
        gates = F.linear(result, w_input, b_input) + F.linear(hidden, w_hidden, b_hidden)  # (B, S, 4H)
        i, f, g, o = gates.chunk(4, -1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(cell), cell

    def attend(self, h: Tensor, encoding: Encoding) -> tuple[Tensor, Tensor]:
        """q_t = Attention(h^D_t, h^E) (B, S, D) and its weights (B, S, T); nothing without `use_attention`."""
        if self.config.use_attention:
            return self.attention(h, encoding.states, encoding.keys, encoding.mask)  # type: ignore[no-any-return]
        states = encoding.states
        return h.new_zeros(*h.shape[:2], 0), h.new_zeros(*h.shape[:2], states.shape[1])

    def select(self, h: Tensor, top: Tensor, second: Tensor, q: Tensor, *, keys: Tensor, mask: Tensor) -> Selection:
        """§ Decoding State Features, § Stack Action Selector, § Operand Selector.

        1. s_t = [e of the top; e of the second], zeros where missing
        2. r^sa and r^opd: h, s and q, gated by g = sigmoid(W [h; s; q])
        3. P(Y_t) = softmax(NN(r^sa))
        4. P(Z_t) = AttentionWeight(r^opd, e), keys (B, O, H) and mask (B, O) being the operands'
        """
        config = self.config
        parts = [h]  # (B, S, H)
        if config.use_stack:
            parts.append(torch.cat([top, second], -1))  # (B, S, 2D)
        if config.use_attention:
            parts.append(q)  # (B, S, D)
        parts = [drop(part, config.dropout, self.training) for part in parts]
        r = r_actions = r_operands = torch.cat(parts, -1)  # (B, S, R)
        gates = h.new_ones(h.shape[0], h.shape[1], 6)
        if config.use_gate:
            g_actions, g_operands = self.gate_actions(r), self.gate_operands(r)  # (B, S, 3)
            if config.gate == "sigmoid":
                g_actions, g_operands = torch.sigmoid(g_actions), torch.sigmoid(g_operands)
            r_actions, r_operands = g_actions @ self.spread * r, g_operands @ self.spread * r
            gates = torch.cat([g_actions, g_operands], -1)
        hidden = drop(F.relu(self.action_hidden(r_actions)), config.dropout, self.training)
        operands = self.operand_selector.scores(r_operands, keys, mask)
        return Selection(self.action_output(hidden), operands, gates)

    # § Training

    def evaluate_levels(self, operands: Tensor, levels: list[tuple[Tensor, Tensor, list[int]]]) -> Tensor:
        """All vectors that ever lie on a stack, as one table: zeros, the operands, then results by depth.

        With the gold program known, f can be applied to all operators of equal depth at once, grouped by operator.
        """
        table = torch.cat([operands.new_zeros(1, operands.shape[-1]), operands.flatten(0, 1)])
        for top, second, counts in levels:
            tops, seconds = torch.split(table[top], counts), torch.split(table[second], counts)
            parts = zip(self.transformers, tops, seconds, strict=True)
            table = torch.cat([table, *(f(e_1, e_2) for f, e_1, e_2 in parts if len(e_1))])
        return table

    def forward(self, batch: dict[str, Tensor], levels: list[tuple[Tensor, Tensor, list[int]]]) -> Tensor:
        """The loss of a batch of gold programs: L(y_t) = L_1(action) + L_2(operand, when it is a push).

        `results`, `tops` and `seconds` (B, S) are rows of the table, known because the program is.
        """
        encoding = self.encode(**{name: batch[name] for name in INPUTS})
        table = self.evaluate_levels(encoding.operands, levels)  # (R, D)
        results = drop(table[batch["results"]], self.config.dropout, self.training)  # (B, S, D) res_{t-1}
        h, _ = self.decoder(results, (encoding.hidden.unsqueeze(0), encoding.cell.unsqueeze(0)))  # (B, S, H)
        q, _ = self.attend(h, encoding)
        tops, seconds = table[batch["tops"]], table[batch["seconds"]]  # (B, S, D)
        chosen = self.select(h, tops, seconds, q, keys=encoding.operand_keys, mask=encoding.operand_mask)
        actions = F.cross_entropy(
            chosen.actions.flatten(0, 1), batch["actions"].flatten(), ignore_index=-1, reduction="sum"
        )
        operands = F.cross_entropy(
            chosen.operands.flatten(0, 1), batch["operands"].flatten(), ignore_index=-1, reduction="sum"
        )
        return (actions + operands) / batch["tokens"].shape[0]


def _gather(vectors: Tensor, index: Tensor) -> Tensor:
    """vectors (B, T, X) at index (B, N) → (B, N, X)."""
    return vectors.gather(1, index.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))
