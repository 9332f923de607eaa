#!/usr/bin/env python3
"""Blocks of ggml's types and the floats that they stand for: what GgmlType is compared with.

    scripts/ggml-blocks.py > sdk-executor-host/src/test/resources/ggml/blocks.txt

Needs numpy and nothing of this project. Blocks are seeded random bytes with scales that are finite; the floats are
computed element by element after the loops of dequantize_row_q4_0 and its like in ggml's ggml-quants.c, in float32
and in their order. A line is: type, the block's bytes in hex, its floats in hex, little-endian.
"""
import numpy as np

F32, F16 = np.float32, np.float16
BLOCKS = 3


def half(raw):
    return F32(np.frombuffer(bytes(raw), "<f2")[0])


def scale_min(j, q):  # get_scale_min_k4
    if j < 4:
        return q[j] & 63, q[j + 4] & 63
    return (q[j + 4] & 0xF) | ((q[j - 4] >> 6) << 4), (q[j + 4] >> 4) | ((q[j] >> 6) << 4)


def q8_0(b):
    d = half(b[0:2])
    return [F32(np.int8(np.uint8(q))) * d for q in b[2:34]]


def q4_0(b):
    d, y = half(b[0:2]), [F32(0)] * 32
    for j in range(16):
        y[j] = F32((b[2 + j] & 0x0F) - 8) * d
        y[j + 16] = F32((b[2 + j] >> 4) - 8) * d
    return y


def q4_k(b):
    d, low, scales, q, y, i = half(b[0:2]), half(b[2:4]), b[4:16], b[16:144], [], 0
    for j in range(0, 256, 64):
        for nibble in (0, 4):
            sc, m = scale_min(i, scales)
            d1, m1 = d * F32(sc), low * F32(m)
            y += [d1 * F32((q[j // 2 + l] >> nibble) & 0xF) - m1 for l in range(32)]
            i += 1
    return y


def q5_k(b):
    d, low, scales, qh, ql, y, i = half(b[0:2]), half(b[2:4]), b[4:16], b[16:48], b[48:176], [], 0
    for j in range(0, 256, 64):
        for nibble in (0, 4):
            sc, m = scale_min(i, scales)
            d1, m1 = d * F32(sc), low * F32(m)
            y += [d1 * F32(((ql[j // 2 + l] >> nibble) & 0xF) + (16 if qh[l] & (1 << i) else 0)) - m1
                  for l in range(32)]
            i += 1
    return y


def q6_k(b):
    ql, qh, sc, d, y = b[0:128], b[128:192], [int(np.int8(np.uint8(s))) for s in b[192:208]], half(b[208:210]), []
    for n in range(2):
        l4, h4, s4 = ql[64 * n:], qh[32 * n:], sc[8 * n:]
        part = [F32(0)] * 128
        for l in range(32):
            q = [(l4[l] & 0xF) | ((h4[l] >> 0) & 3) << 4, (l4[l + 32] & 0xF) | ((h4[l] >> 2) & 3) << 4,
                 (l4[l] >> 4) | ((h4[l] >> 4) & 3) << 4, (l4[l + 32] >> 4) | ((h4[l] >> 6) & 3) << 4]
            for k in range(4):
                part[l + 32 * k] = d * F32(s4[l // 16 + 2 * k]) * F32(q[k] - 32)
        y += part
    return y


# type: bytes of a block, places of its halves, floats
TYPES = {"Q4_0": (18, [0], q4_0), "Q8_0": (34, [0], q8_0), "Q4_K": (144, [0, 2], q4_k),
         "Q5_K": (176, [0, 2], q5_k), "Q6_K": (210, [208], q6_k)}


def main():
    random = np.random.default_rng(20)
    for name, (size, halves, floats) in TYPES.items():
        for _ in range(BLOCKS):
            block = bytearray(random.bytes(size))
            for place in halves:
                block[place:place + 2] = F16(random.normal() / 8).tobytes()
            values = np.array(floats([int(x) for x in block]), "<f4")
            print(name, block.hex(), values.tobytes().hex())


main()
