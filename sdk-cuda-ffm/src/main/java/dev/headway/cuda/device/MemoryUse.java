package dev.headway.cuda.device;

/**
 * What memory is for.
 *
 * @param what for messages, for example {@code KV cache}
 * @param option the option that makes it smaller, for example {@code kvBlocks}; empty if none does
 */
public record MemoryUse(String what, String option) {

  /** A use that no option changes. */
  public static MemoryUse of(String what) {
    return new MemoryUse(what, "");
  }

  String advice() {
    return option.isEmpty() ? "free device memory" : "lower " + option + ", or free device memory";
  }
}
