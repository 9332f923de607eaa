package dev.headway.cli.simulate;

import dev.headway.scheduler.sim.LinearLatencyModel;
import org.jspecify.annotations.Nullable;

/** What {@code --latency} says. */
public final class LinearLatency {

  /** What the option says of itself. */
  public static final String DESCRIPTION =
      "How long a step takes, in ns: fixed, per prefill token, per decoding request,"
          + " per context token read (6200000,26300,12000,44: Llama-3.1-8B, one H100).";

  private LinearLatency() {}

  /**
   * Reads four whole numbers of nanoseconds: fixed, per prefill token, per decoding request, per
   * context token read.
   *
   * @param text null for Llama-3.1-8B on one H100
   * @throws IllegalArgumentException naming the option
   */
  public static LinearLatencyModel parse(@Nullable String text) {
    if (text == null) {
      return LinearLatencyModel.LLAMA_3_1_8B_ON_H100;
    }
    final String[] parts = text.split(",", -1);
    try {
      if (parts.length == 4) {
        return new LinearLatencyModel(
            Long.parseLong(parts[0].strip()),
            Long.parseLong(parts[1].strip()),
            Long.parseLong(parts[2].strip()),
            Long.parseLong(parts[3].strip()));
      }
    } catch (NumberFormatException e) {
      // falls through to the same message: four whole numbers are needed
    }
    throw new IllegalArgumentException(
        "--latency must be four whole numbers of ns, fixed,prefill,decode,kv: --latency=" + text);
  }
}
