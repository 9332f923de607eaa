#!/usr/bin/env python3
"""What PyTorch makes of the shapes of DeviceCheck, on the same device: CSV on standard output.

    gpu-check-torch.py           CUDA, the shapes of Scale.FULL
    gpu-check-torch.py tiny      whatever there is, the shapes of Scale.TINY: to see that it runs

Columns and names are those of a RateTable, so that Goals.java finds the partner of a row. Whole steps come first.
Rates of kernels are the best of some rounds of launches in a row by the device's clock, like Stopwatch.java, on random
numbers. The model is Llama written out: fused QKV and gate-up, static KV cache, SDPA; decode is replayed from a
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

LARGE_BYTES = 1 << 17 if TINY else 2 << 30
LAUNCHES = 1 if TINY else 20
ROUNDS = 4
HIDDEN = 32 if TINY else 4096
WEIGHTS = [(64, 32)] if TINY else [(6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336), (128256, 4096)]
ROWS = [4, 16, 128] if TINY else [1, 4, 8, 16, 32, 64, 2048]
HEADS, KV_HEADS, HEAD_DIM = (4, 2, 8) if TINY else (32, 8, 128)
ATTENTION_BATCHES = [2, 32] if TINY else [1, 8, 32, 64, 128, 256]
ATTENTION_PROMPT = 64 if TINY else 8192
BATCHES = [1, 8] if TINY else [1, 8, 16, 64, 256]
CONTEXT = 16 if TINY else 1024
PROMPTS = [(2, 16), (1, 48)] if TINY else [(1, 512), (2, 1024), (8, 1024), (1, 8000)]
STEPS = 2 if TINY else 30
# name; hidden, intermediate, layers, heads, KV heads, head dimension, vocabulary, tied
NAME, MODEL = (
    ("tiny", (32, 64, 1, 4, 2, 8, 64, True)) if TINY else ("8B", (4096, 14336, 32, 32, 8, 128, 128256, False))
)


def row(what, shape, value, unit):
    print(f"{what},{shape},{value:.5g},{unit}", flush=True)


def numbers(*shape):
    return torch.randn(*shape, dtype=TYPE, device=DEVICE)


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


def median_seconds(work, times=STEPS):
    for _ in range(3):
        work()
    return sorted(timed(work) for _ in range(times))[times // 2]


def kernels():
    large = numbers(LARGE_BYTES // 2)
    small = torch.empty_like(large)
    row("copy", f"{LARGE_BYTES} bytes", 2 * LARGE_BYTES / seconds(lambda turn: small.copy_(large)) / 1e9, "GB/s")
    rows = min(65535, LARGE_BYTES // 2 // HIDDEN)
    x, weight = large[: rows * HIDDEN].view(rows, HIDDEN), numbers(HIDDEN)
    rate = 4 * rows * HIDDEN / seconds(lambda turn: F.rms_norm(x, (HIDDEN,), weight, 1e-5))
    row("rms_norm", f"{rows}x{HIDDEN}", rate / 1e9, "GB/s")
    for n, k in WEIGHTS:
        places = max(1, large.numel() // (n * k))
        for m in ROWS:
            x = numbers(m, k)
            took = seconds(lambda turn: F.linear(x, large[turn % places * n * k :][: n * k].view(n, k)))
            row("product", f"{m}x{n}x{k}", took * 1e6, "us")
            if m == ROWS[-1]:
                row("product own", f"{m}x{n}x{k}", 2 * m * n * k / took / 1e12, "TFLOP/s")


def attend(q, k, v, causal):
    """Scaled dot-product attention of grouped heads; on a device FlashAttention and nothing else."""
    if DEVICE == "cpu":
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)


def attention():
    for batch in ATTENTION_BATCHES:
        q = numbers(batch, HEADS, 1, HEAD_DIM)
        k, v = numbers(batch, KV_HEADS, CONTEXT, HEAD_DIM), numbers(batch, KV_HEADS, CONTEXT, HEAD_DIM)
        rate = 4 * batch * KV_HEADS * CONTEXT * HEAD_DIM / seconds(lambda turn: attend(q, k, v, False))
        row("attention decode", f"batch {batch} context {CONTEXT}", rate / 1e9, "GB/s")
    context = ATTENTION_PROMPT
    q = numbers(1, HEADS, context, HEAD_DIM)
    k, v = numbers(1, KV_HEADS, context, HEAD_DIM), numbers(1, KV_HEADS, context, HEAD_DIM)
    flops = 4 * HEADS * HEAD_DIM * 0.5 * context * (context + 1)
    row("attention prefill", f"{context} tokens", flops / seconds(lambda turn: attend(q, k, v, True)) / 1e12, "TFLOP/s")


class Llama:
    """Random weights, a static cache for as many rows and tokens as were reserved, and the forward pass over them."""

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
        inverse = 500_000 ** (-torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)
        longest = max([CONTEXT] + [tokens for _, tokens in PROMPTS])
        angle = torch.outer(torch.arange(longest, dtype=torch.float32), inverse).repeat(1, 2)
        self.cos, self.sin = angle.cos().to(DEVICE, TYPE), angle.sin().to(DEVICE, TYPE)

    def reserve(self, rows, tokens):
        """Gives the cache a size; the one before is given back first."""
        self.cache = None
        self.cache = zeros(len(self.layers), 2, rows, self.kv_heads, tokens, self.head_dim)

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


def steps():
    model = Llama(*MODEL)
    vocabulary = model.embedding.shape[0]
    model.reserve(max(BATCHES), CONTEXT)
    for batch in BATCHES:
        last = torch.randint(vocabulary, (batch, 1), device=DEVICE)
        decode = lambda: model.forward(last, CONTEXT - 1)
        took = median_seconds(replayed(decode) if DEVICE == "cuda" else decode)
        row("decode forward", f"{NAME} batch {batch}", took * 1e6, "us")
    for count, tokens in PROMPTS:
        model.reserve(count, tokens)
        prompts = torch.randint(vocabulary, (count, tokens), device=DEVICE)
        took = median_seconds(lambda: model.forward(prompts, 0), 5)
        row("prefill", f"{NAME} {count}x{tokens}", count * tokens / took, "tokens/s")


def main():
    print("what,shape,value,unit")
    what = torch.cuda.get_device_name() if DEVICE == "cuda" else "no device"
    print(f"torch {torch.__version__}, {what}", file=sys.stderr)
    if DEVICE == "cpu" and not TINY:
        sys.exit("gpu-check-torch: PyTorch must see a CUDA device; 'tiny' runs without one")
    with torch.inference_mode():
        steps()
        kernels()
        attention()


if __name__ == "__main__":
    main()
