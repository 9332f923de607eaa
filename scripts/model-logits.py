#!/usr/bin/env python3
"""Logits of seeded random models after a prompt, in numpy: what ReferenceModel is compared with.

    scripts/model-logits.py FOLDER...        writes FOLDER/logits.json for FOLDER/config.json
    scripts/model-logits.py --check FOLDER...  compares with the logits.json that is there

Needs numpy and nothing of this project. Weights are those of Model.random(config, 42, F32); the forward pass
is written from the formulas of transformers 5 (modeling_rope_utils.py, the modeling files of Llama, Mistral, Qwen2,
Qwen3, Phi-3, Mistral3, Mixtral, Qwen3-MoE, GLM-4.5, Gemma 3, gpt-oss), in double precision where transformers uses floats, except for the angles, which are float products in
both. --check on the folders in sdk-executor-host/src/test/resources/transformers, whose logits transformers itself
made, shows what it is worth: it is within 3e-6 of them.
"""
import json
import math
import pathlib
import sys

import numpy as np

SEED, PROMPT = 42, [(31 * i + 7) % 97 for i in range(120)]
F32 = np.float32


# --- weights: SplitMix64 over seed, tensor name and index -----------------------------------------------------------

GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix(z):
    with np.errstate(over="ignore"):
        z = z + np.uint64(GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def java_hash(text):
    h = 0
    for c in text:
        h = (31 * h + ord(c)) & 0xFFFFFFFF
    return h - (1 << 32) if h >> 31 else h


class Weights:
    """By the names of transformers' Llama, whatever the files of the architecture call them."""

    def __init__(self, config):
        self.config = config
        self.norms_less_one = config["architectures"][0].startswith("Gemma3")
        self.head = "model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"

    def __call__(self, name, *shape):
        key = mix(np.uint64((SEED + GAMMA * java_hash(name)) & MASK))
        count = math.prod(shape)
        with np.errstate(over="ignore"):
            bits = mix(key + np.uint64(GAMMA) * np.arange(count, dtype=np.uint64))
        signed = bits.astype(np.int64) >> 40  # arithmetic, as in Java
        uniform = signed.astype(F32) * F32(2.0**-23)
        if len(shape) == 1:
            deviation = F32(0.1)
        elif name == self.head:
            deviation = F32(F32(3) / np.sqrt(float(self.config["hidden_size"])))
        elif name.endswith("mlp.gate.weight"):
            deviation = F32(2 / math.sqrt(self.config["hidden_size"]))
        elif name == "model.embed_tokens.weight":
            deviation = F32(1)
        else:
            deviation = F32(1 / math.sqrt(shape[1]))
        centre = F32(1) if name.endswith("norm.weight") and not self.norms_less_one else F32(0)
        half = F32(math.sqrt(3)) * deviation
        return (centre + half * uniform).astype(F32).astype(np.float64).reshape(shape)


# --- rotary embedding: modeling_rope_utils.py -----------------------------------------------------------------------

def rope(config, head_dim, local=False):
    """Inverse frequencies, float32, and the factor of cosine and sine; of Gemma's layers with a window if local."""
    gemma = config["architectures"][0].startswith("Gemma3")
    p = dict(config.get("rope_parameters") or ({} if local else config.get("rope_scaling")) or {})
    p = p.get("sliding_attention" if local else "full_attention", p) if gemma else p
    default = config.get("rope_local_base_freq", 10000.0) if local else config.get("rope_theta", 1000000.0 if gemma else 10000.0)
    theta = p.get("rope_theta", default)
    kind = p.get("rope_type", p.get("type", "default"))
    if kind == "su" or config["architectures"] == ["Phi3ForCausalLM"] and kind == "yarn":
        kind = "longrope"
    usual = 0.5 if config["architectures"] == ["Glm4MoeForCausalLM"] else 1.0
    dim = int(head_dim * p.get("partial_rotary_factor", config.get("partial_rotary_factor", usual)))
    powers = (F32(theta) ** (np.arange(0, dim, 2).astype(F32) / F32(dim))).astype(F32)
    plain = F32(1) / powers
    longest = config["max_position_embeddings"]
    original = config.get("original_max_position_embeddings", p.get("original_max_position_embeddings", longest))
    if kind == "default":
        return plain, 1.0
    if kind == "linear":
        return plain / F32(p["factor"]), 1.0
    if kind == "llama3":
        factor, low, high = p["factor"], p["low_freq_factor"], p["high_freq_factor"]
        wave = 2 * math.pi / plain
        smooth = (original / wave - low) / (high - low)
        blended = (1 - smooth) * plain / factor + smooth * plain
        return np.where(wave > original / low, plain / factor, np.where(wave < original / high, plain, blended)).astype(F32), 1.0
    if kind == "longrope":
        factor = p.get("factor") or longest / original
        attention = p.get("attention_factor")
        if attention is None:
            attention = 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(original))
        chosen = p["long_factor"] if longest > original else p["short_factor"]
        return (F32(1) / (np.array(chosen, dtype=F32) * powers)).astype(F32), attention
    if kind != "yarn":
        raise ValueError(kind)
    factor = p.get("factor") or longest / original

    def mscale(scale, m=1.0):
        return 1.0 if scale <= 1 else 0.1 * m * math.log(scale) + 1.0

    attention = p.get("attention_factor")
    if attention is None:
        m, m_all = p.get("mscale"), p.get("mscale_all_dim")
        attention = mscale(factor, m) / mscale(factor, m_all) if m and m_all else mscale(factor)

    def dimension(rotations):
        return dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(theta))

    low, high = dimension(p.get("beta_fast") or 32), dimension(p.get("beta_slow") or 1)
    if p.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(dim // 2, dtype=F32) - F32(low)) / F32(high - low), 0, 1).astype(F32)
    kept = F32(1) - ramp
    stretched = F32(1) / (F32(factor) * powers)
    return (stretched * (F32(1) - kept) + plain * kept).astype(F32), attention


# --- windows: masking_utils.py and the configuration files ----------------------------------------------------------

def windows(config, family):
    """Of each layer, 0 for the whole context."""
    layers, window = config["num_hidden_layers"], config.get("sliding_window")
    if family in ("Mistral", "Phi3", "Mistral3ForConditionalGeneration", "Mixtral"):
        return [window or 0] * layers
    if family == "GptOss":
        types = config.get("layer_types") or ["full_attention" if i % 2 else "sliding_attention" for i in range(layers)]
        return [window if t == "sliding_attention" else 0 for t in types]
    if family.startswith("Gemma3"):
        pattern = config.get("sliding_window_pattern", 6)
        types = config.get("layer_types") or ["sliding_attention" if (i + 1) % pattern else "full_attention" for i in range(layers)]
        return [window if t == "sliding_attention" else 0 for t in types]
    if family not in ("Qwen2", "Qwen3") or not config.get("use_sliding_window") or not window:
        return [0] * layers
    types = config.get("layer_types") or [
        "sliding_attention" if layer >= config.get("max_window_layers", 28) else "full_attention" for layer in range(layers)
    ]
    return [window if t == "sliding_attention" else 0 for t in types]


# --- experts: modeling_mixtral.py, modeling_qwen3_moe.py, modeling_glm4_moe.py, modeling_gpt_oss.py -----------------

def has_experts(config, family, layer):
    if family == "Qwen3Moe":
        return layer not in (config.get("mlp_only_layers") or []) and (layer + 1) % config.get("decoder_sparse_step", 1) == 0
    return family in ("Mixtral", "GptOss") or family == "Glm4Moe" and layer >= config["first_k_dense_replace"]


def best(values, count):
    """Indices of the largest, by rising index; of equal ones the lower."""
    return np.sort(np.argsort(-values, kind="stable")[:count])


def route(config, family, logits, correction):
    """Experts of a token and their weights."""
    top_k = config["num_experts_per_tok"]
    if family != "Glm4Moe":
        scores = np.exp(logits - logits.max())
        scores /= scores.sum()
        chosen = best(scores, top_k)
        weights = scores[chosen]
        return chosen, weights / weights.sum() if family in ("Mixtral", "GptOss") or config["norm_topk_prob"] else weights
    scores = 1 / (1 + np.exp(-logits))
    ranks = scores + correction
    groups = ranks.reshape(config["n_group"], -1)
    kept = best(np.sort(groups, -1)[:, -2:].sum(-1), config["topk_group"])
    masked = np.full_like(groups, -np.inf)
    masked[kept] = groups[kept]
    chosen = best(masked.reshape(-1), top_k)
    weights = scores[chosen]
    if config["norm_topk_prob"]:
        weights = weights / (weights.sum() + 1e-20)
    return chosen, weights * config["routed_scaling_factor"]


def feed_forward(w, h, names, inner):
    gate, up = (h @ w(f"{names}.{n}_proj.weight", inner, h.shape[-1]).T for n in ("gate", "up"))
    return (gate / (1 + np.exp(-gate)) * up) @ w(f"{names}.down_proj.weight", h.shape[-1], inner).T


def clamped_feed_forward(w, h, names, inner):
    """GptOssExperts: a limit of 7, alpha of 1.702, biases."""
    gate, up = (h @ w(f"{names}.{n}_proj.weight", inner, h.shape[-1]).T + w(f"{names}.{n}_proj.bias", inner) for n in ("gate", "up"))
    gate, up = np.minimum(gate, 7), np.clip(up, -7, 7)
    made = (up + 1) * (gate / (1 + np.exp(-1.702 * gate)))
    return made @ w(f"{names}.down_proj.weight", h.shape[-1], inner).T + w(f"{names}.down_proj.bias", h.shape[-1])


def experts(config, family, w, h, at):
    count = config.get("num_experts") or config.get("num_local_experts") or config.get("n_routed_experts")
    inner = config["intermediate_size"] if family in ("Mixtral", "GptOss") else config["moe_intermediate_size"]
    logits = h @ w(at + "gate.weight", count, h.shape[-1]).T
    if family == "GptOss":
        logits = logits + w(at + "gate.bias", count)
    one = clamped_feed_forward if family == "GptOss" else feed_forward
    correction = w(at + "gate.e_score_correction_bias", count) if family == "Glm4Moe" else None
    made = [one(w, h, f"{at}experts.{e}", inner) for e in range(count)]
    y = np.zeros_like(h)
    for t in range(len(h)):
        for e, weight in zip(*route(config, family, logits[t], correction)):
            y[t] += weight * made[e][t]
    if family == "Glm4Moe":
        y += feed_forward(w, h, at + "shared_experts", inner * config["n_shared_experts"])
    return y


# --- forward pass ---------------------------------------------------------------------------------------------------

def norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def logits(config):
    outer = config
    config = config.get("text_config") or config
    config = {"architectures": outer["architectures"], "tie_word_embeddings": outer.get("tie_word_embeddings", False), **config}
    family = config["architectures"][0].removesuffix("ForCausalLM")
    gemma = family.startswith("Gemma3")
    w = Weights(config)
    hidden, inner, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads") or heads
    dim = config.get("head_dim") or hidden // heads
    eps = float(F32(config["rms_norm_eps"]))
    attention_bias = config.get("attention_bias", False) and family in ("Llama", "Qwen3", "Qwen3Moe", "Glm4Moe") or gemma and config.get("attention_bias", False)
    attention_bias = attention_bias or family == "GptOss"
    output_bias = attention_bias and family != "Glm4Moe"
    head_norms = gemma or family in ("Qwen3", "Qwen3Moe") or family == "Glm4Moe" and config.get("use_qk_norm", False)
    mlp_bias = config.get("mlp_bias", False) and family == "Llama"

    def turns(local):
        frequencies, magnitude = rope(config, dim, local)
        angles = np.arange(len(PROMPT), dtype=F32)[:, None] * frequencies[None, :]  # float products
        return np.cos(angles.astype(np.float64)) * magnitude, np.sin(angles.astype(np.float64)) * magnitude

    turns_of = {local: turns(local) for local in ({False, gemma})}
    turned = turns_of[False][0].shape[1]
    behind = np.arange(len(PROMPT))[:, None] - np.arange(len(PROMPT))[None, :]  # query minus key

    def mask(window):
        return np.where((behind >= 0) & ((window == 0) | (behind < window)), 0.0, -np.inf)

    window_of = windows(config, family)

    def linear(x, name, outputs, bias):
        y = x @ w(name + ".weight", outputs, x.shape[-1]).T
        return y + w(name + ".bias", outputs) if bias else y

    def weight_of_norm(name, size):
        return w(name, size) + (1 if gemma else 0)

    def placed(x, name, count, bias, head_norm, cosine, sine):
        x = linear(x, name, count * dim, bias).reshape(len(PROMPT), count, dim)
        if head_norm is not None:
            x = norm(x, weight_of_norm(head_norm, dim), eps)
        a, b, rest = x[..., :turned], x[..., turned : 2 * turned], x[..., 2 * turned :]
        c, s = cosine[:, None, :], sine[:, None, :]
        return np.concatenate([a * c - b * s, b * c + a * s, rest], -1)

    x = w("model.embed_tokens.weight", config["vocab_size"], hidden)[PROMPT]
    if gemma:
        x = x * float(F32(hidden**0.5))
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        h = norm(x, weight_of_norm(at + "input_layernorm.weight", hidden), eps)
        turn = turns_of[gemma and window_of[layer] > 0]
        qkv_bias = attention_bias or family == "Qwen2"
        q_norm, k_norm = (at + "self_attn.q_norm.weight", at + "self_attn.k_norm.weight") if head_norms else (None, None)
        q = placed(h, at + "self_attn.q_proj", heads, qkv_bias, q_norm, *turn)
        k = placed(h, at + "self_attn.k_proj", kv_heads, qkv_bias, k_norm, *turn)
        v = linear(h, at + "self_attn.v_proj", kv_heads * dim, qkv_bias).reshape(len(PROMPT), kv_heads, dim)
        k, v = np.repeat(k, heads // kv_heads, 1), np.repeat(v, heads // kv_heads, 1)
        scores = np.einsum("thd,uhd->htu", q, k) / math.sqrt(config.get("query_pre_attn_scalar", 256) if gemma else dim) + mask(window_of[layer])
        sinks = w(at + "self_attn.sinks", heads)[:, None, None] if family == "GptOss" else np.full((heads, 1, 1), -np.inf)
        most = np.maximum(scores.max(-1, keepdims=True), sinks)
        scores = np.exp(scores - most)
        scores /= scores.sum(-1, keepdims=True) + np.exp(sinks - most)
        attended = np.einsum("htu,uhd->thd", scores, v).reshape(len(PROMPT), heads * dim)
        answer = linear(attended, at + "self_attn.o_proj", hidden, output_bias)
        after = weight_of_norm(at + "post_attention_layernorm.weight", hidden)
        x = x + (norm(answer, after, eps) if gemma else answer)
        before = weight_of_norm(at + "pre_feedforward_layernorm.weight", hidden) if gemma else after
        h = norm(x, before, eps)
        if has_experts(config, family, layer):
            x = x + experts(config, family, w, h, at + "mlp.")
            continue
        gate = linear(h, at + "mlp.gate_proj", inner, mlp_bias)
        up = linear(h, at + "mlp.up_proj", inner, mlp_bias)
        if gemma:  # PytorchGELUTanh
            activated = gate / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate**3)))
        else:
            activated = gate / (1 + np.exp(-gate))
        answer = linear(activated * up, at + "mlp.down_proj", hidden, mlp_bias)
        x = x + (norm(answer, weight_of_norm(at + "post_feedforward_layernorm.weight", hidden), eps) if gemma else answer)
    last = norm(x[-1], weight_of_norm("model.norm.weight", hidden), eps)
    made = last @ w(w.head, config["vocab_size"], hidden).T
    cap = config.get("final_logit_softcapping") if family == "Gemma3" else None
    return cap * np.tanh(made / cap) if cap else made


def main(arguments):
    check = arguments[:1] == ["--check"]
    for folder in map(pathlib.Path, arguments[1:] if check else arguments):
        made = logits(json.loads((folder / "config.json").read_text()))
        if check:
            there = np.array(json.loads((folder / "logits.json").read_text())["logits"])
            print(f"{folder.name}: largest difference {np.abs(made - there).max():.2e}, of logits up to {np.abs(there).max():.1f}")
        else:
            numbers = [float(f"{x:.7g}") for x in made]
            text = json.dumps({"generated_with": "scripts/model-logits.py", "logits": numbers}, indent=0)
            (folder / "logits.json").write_text(text + "\n")


main(sys.argv[1:])
