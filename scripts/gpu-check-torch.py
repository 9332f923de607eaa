#!/usr/bin/env python3
"""What PyTorch makes of the shapes of DeviceBenchmark, on the same device: CSV on standard output.

    gpu-check-torch.py           CUDA, the shapes of Scale.FULL
    gpu-check-torch.py tiny      whatever there is, the shapes of Scale.TINY: to see that it runs

Columns and names are those of rates.csv, so that Milestones.java finds the partner of a row. Rates of kernels are
the best of 5 rounds of launches in a row by the device's clock, like Stopwatch.java; buffers are zeros there and here.
The model is Llama written out: fused QKV and gate-up, static KV cache, SDPA; decode is launched, and replayed from a
torch.cuda.CUDAGraph. Needs PyTorch 2.5 or newer and nothing else.
"""
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

TINY = sys.argv[1:] == ["tiny"]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TYPE = torch.bfloat16

LARGE_BYTES = 1 << 16 if TINY else 2 << 30
LAUNCHES = 1 if TINY else 20
ROUNDS = 5
HIDDEN = 32 if TINY else 4096
WEIGHTS = [(32, 32), (64, 32)] if TINY else [(4096, 4096), (6144, 4096), (28672, 4096), (4096, 14336), (128256, 4096)]
PREFILL_ROWS = [32] if TINY else [32, 256, 2048]
HEADS, KV_HEADS, HEAD_DIM = (4, 2, 8) if TINY else (32, 8, 128)
CONTEXTS = [16] if TINY else [1024, 2048, 8192]
BATCHES = [1, 2, 3] if TINY else [1, 8, 32, 64, 128, 256]
CONTEXT = 16 if TINY else 1024
PREFILL_TOKENS = 32 if TINY else 4096
STEPS = 2 if TINY else 30
# hidden, intermediate, layers, heads, KV heads, head dimension, vocabulary, tied
MODELS = (
    {"tiny": (32, 64, 2, 4, 2, 8, 64, True)}
    if TINY
    else {
        "1B": (2048, 8192, 16, 32, 8, 64, 128256, True),
        "8B": (4096, 14336, 32, 32, 8, 128, 128256, False),
    }
)


def row(milestone, what, shape, value, unit):
    print(f"{milestone},{what},{shape},{value:.4g},{unit},", flush=True)


def zeros(*shape, dtype=TYPE):
    return torch.zeros(*shape, dtype=dtype, device=DEVICE)


def timed(work):
    """Seconds of one call, by the device's clock where there is a device."""
    if DEVICE == "cpu":
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def seconds(launch):
    """Seconds of one launch: the best of some rounds; the first one warms up."""

    def turns():
        for turn in range(LAUNCHES):
            launch(turn)

    return min([timed(turns) for _ in range(1 + ROUNDS)][1:]) / LAUNCHES


def median_seconds(work):
    for _ in range(3):
        work()
    return sorted(timed(work) for _ in range(STEPS))[STEPS // 2]


def kernels():
    large, small = zeros(LARGE_BYTES, dtype=torch.uint8), zeros(LARGE_BYTES, dtype=torch.uint8)
    rate = 2 * LARGE_BYTES / seconds(lambda turn: small.copy_(large))
    row("M3", "copy", f"{LARGE_BYTES} bytes", rate / 1e9, "GB/s")
    rows = min(65535, LARGE_BYTES // 2 // HIDDEN)
    x, weight = large.view(TYPE)[: rows * HIDDEN].view(rows, HIDDEN), zeros(HIDDEN)
    rate = 4 * rows * HIDDEN / seconds(lambda turn: F.rms_norm(x, (HIDDEN,), weight, 1e-5))
    row("M3", "rms_norm", f"{rows}x{HIDDEN}", rate / 1e9, "GB/s")
    weights = large.view(TYPE)
    for n, k in WEIGHTS:
        places = max(1, weights.numel() // (n * k))
        for m in (1, 2, 4, 8):
            x = zeros(m, k)
            took = seconds(lambda turn: F.linear(x, weights[turn % places * n * k :][: n * k].view(n, k)))
            row("M4", "gemv", f"{m}x{n}x{k}", 2 * n * k / took / 1e9, "GB/s")
    for m in PREFILL_ROWS:
        for n, k in WEIGHTS:
            x, w = zeros(m, k), weights[: n * k].view(n, k)
            took = seconds(lambda turn: F.linear(x, w))
            row("M5", "gemm", f"{m}x{n}x{k}", 2 * m * n * k / took / 1e12, "TFLOP/s")


def attend(q, k, v, causal):
    """Scaled dot-product attention of grouped heads; on a device FlashAttention and nothing else."""
    if DEVICE == "cpu":
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)


def attention():
    for context in CONTEXTS:
        for batch in BATCHES:
            q = zeros(batch, HEADS, 1, HEAD_DIM)
            k, v = zeros(batch, KV_HEADS, context, HEAD_DIM), zeros(batch, KV_HEADS, context, HEAD_DIM)
            took = seconds(lambda turn: attend(q, k, v, False))
            rate = 4 * batch * KV_HEADS * context * HEAD_DIM / took
            row("M6", "attention decode", f"batch {batch} context {context}", rate / 1e9, "GB/s")
        q = zeros(1, HEADS, context, HEAD_DIM)
        k, v = zeros(1, KV_HEADS, context, HEAD_DIM), zeros(1, KV_HEADS, context, HEAD_DIM)
        took = seconds(lambda turn: attend(q, k, v, True))
        flops = 4 * HEADS * HEAD_DIM * 0.5 * context * (context + 1)
        row("M5", "attention prefill", f"{context} tokens", flops / took / 1e12, "TFLOP/s")


class Llama:
    """Random weights, a static cache for the largest batch, and the forward pass over them."""

    def __init__(self, hidden, inner, layers, heads, kv_heads, head_dim, vocabulary, tied):
        torch.manual_seed(1)
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, head_dim
        self.embedding = torch.randn(vocabulary, hidden, dtype=TYPE, device=DEVICE)
        self.head = self.embedding if tied else self.matrix(vocabulary, hidden)
        self.norm = torch.ones(hidden, dtype=TYPE, device=DEVICE)
        self.layers = [
            (
                self.matrix((heads + 2 * kv_heads) * head_dim, hidden),
                self.matrix(hidden, heads * head_dim),
                self.matrix(2 * inner, hidden),
                self.matrix(hidden, inner),
            )
            for _ in range(layers)
        ]
        self.cache = zeros(layers, 2, max(BATCHES), kv_heads, CONTEXT, head_dim)
        inverse = 500_000 ** (-torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)
        angle = torch.outer(torch.arange(CONTEXT, dtype=torch.float32), inverse).repeat(1, 2)
        self.cos, self.sin = angle.cos().to(DEVICE, TYPE), angle.sin().to(DEVICE, TYPE)

    @staticmethod
    def matrix(rows, columns):
        return torch.randn(rows, columns, dtype=TYPE, device=DEVICE) / columns**0.5

    def rotate(self, x, first):
        cos, sin = self.cos[first : first + x.shape[2]], self.sin[first : first + x.shape[2]]
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    def forward(self, tokens, first):
        """Logits of the last token of each row of tokens [batch, count], which begin at position `first`."""
        batch, count = tokens.shape
        x = F.embedding(tokens, self.embedding)
        for layer, (qkv, out, gate_up, down) in enumerate(self.layers):
            parts = F.linear(self.normed(x), qkv).view(batch, count, -1, self.head_dim).transpose(1, 2)
            q, k, v = parts.split((self.heads, self.kv_heads, self.kv_heads), dim=1)
            keys, values = self.cache[layer, 0, :batch], self.cache[layer, 1, :batch]
            keys[:, :, first : first + count] = self.rotate(k, first)
            values[:, :, first : first + count] = v
            end = first + count
            seen = attend(self.rotate(q, first), keys[:, :, :end], values[:, :, :end], count > 1)
            x = x + F.linear(seen.transpose(1, 2).reshape(batch, count, -1), out)
            gate, up = F.linear(self.normed(x), gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, down)
        return F.linear(self.normed(x[:, -1]), self.head)

    def normed(self, x):
        return F.rms_norm(x, self.norm.shape, self.norm, 1e-5)

    def products(self, count):
        """The matrix products of `count` tokens, without anything between; logits left out."""
        for qkv, out, gate_up, down in self.layers:
            for weight in (qkv, out, gate_up, down):
                F.linear(zeros(count, weight.shape[1]), weight)


def replayed(work):
    """Work recorded once, as something that replays it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def steps(name, shape):
    model = Llama(*shape)
    vocabulary = model.embedding.shape[0]
    together = max(1, PREFILL_TOKENS // CONTEXT)
    prompts = torch.randint(vocabulary, (together, CONTEXT), device=DEVICE)
    tokens = together * CONTEXT
    where = f"{name} {together}x{CONTEXT}"
    row("M5", "prefill", where, tokens / median_seconds(lambda: model.forward(prompts, 0)), "tokens/s")
    row("M5", "prefill products only", where, tokens / median_seconds(lambda: model.products(tokens)), "tokens/s")
    for batch in BATCHES:
        last = torch.randint(vocabulary, (batch, 1), device=DEVICE)
        where = f"{name} batch {batch} context {CONTEXT}"
        decode = lambda: model.forward(last, CONTEXT - 1)
        row("M4/M6", "decode forward launched", where, median_seconds(decode) * 1e6, "us")
        if DEVICE == "cuda":
            row("M4/M6", "decode forward replayed", where, median_seconds(replayed(decode)) * 1e6, "us")


def main():
    print("milestone,what,shape,value,unit,value_by_reference")
    what = torch.cuda.get_device_name() if DEVICE == "cuda" else "no device"
    print(f"torch {torch.__version__}, {what}", file=sys.stderr)
    if DEVICE == "cpu" and not TINY:
        sys.exit("gpu-check-torch: PyTorch must see a CUDA device; 'tiny' runs without one")
    with torch.inference_mode():
        kernels()
        attention()
        for name, shape in MODELS.items():
            steps(name, shape)


if __name__ == "__main__":
    main()
