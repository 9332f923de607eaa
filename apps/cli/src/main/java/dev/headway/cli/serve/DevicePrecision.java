package dev.headway.cli.serve;

import dev.headway.executor.reference.Precision;

/** What a device multiplies; vLLM has no such option: it rounds wherever a checkpoint asks. */
enum DevicePrecision {
  /** What models compute in, inputs as they are. */
  BFLOAT16(Precision.BFLOAT16),
  /** Inputs that are rounded as the checkpoint says. */
  QUANTIZED(Precision.QUANTIZED);

  /** The option's name. */
  static final String OPTION = "--precision";

  private final Precision precision;

  DevicePrecision(Precision precision) {
    this.precision = precision;
  }

  Precision precision() {
    return precision;
  }
}
