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

  /** What to do about it, where {@code memory} of the machine is what ran out. */
  String advice(String memory) {
    final String free = "free " + memory + " memory";
    return option.isEmpty() ? free : "lower " + option + ", or " + free;
  }
}
