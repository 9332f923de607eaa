package dev.headway.simulation.model;

/** How a number of a weight or of the KV cache is stored, and in what it is multiplied. */
public enum WeightFormat {
  /** 32-bit floating point. */
  FP32("fp32", 32, Arithmetic.FP32),
  /** 16-bit floating point, {@code bfloat16} or {@code float16}. */
  BF16("bf16", 16, Arithmetic.BF16),
  /** 8-bit floating point, weights and activations. */
  FP8("fp8", 8, Arithmetic.FP8),
  /** 8-bit integers, weights and activations. */
  INT8("int8", 8, Arithmetic.INT8),
  /** 4-bit integers with a 16-bit scale and zero per 128, multiplied as 16-bit numbers. */
  INT4("int4", 4.25, Arithmetic.BF16),
  /** 4-bit floating point with an 8-bit scale per 32 (MXFP4), multiplied as 16-bit numbers. */
  FP4("fp4", 4.25, Arithmetic.BF16);

  private final String label;
  private final double bits;
  private final Arithmetic arithmetic;

  WeightFormat(String label, double bits, Arithmetic arithmetic) {
    this.label = label;
    this.bits = bits;
    this.arithmetic = arithmetic;
  }

  /** What tensor cores multiply; hardware has a peak for each. */
  public enum Arithmetic {
    /** 32-bit floating point. */
    FP32,
    /** 16-bit floating point. */
    BF16,
    /** 8-bit floating point. */
    FP8,
    /** 8-bit integers. */
    INT8
  }

  /** The word for it in options and files. */
  public String label() {
    return label;
  }

  /** Bytes per number, scales included. */
  public double bytes() {
    return bits / 8;
  }

  /** What it is multiplied as. */
  public Arithmetic arithmetic() {
    return arithmetic;
  }
}
