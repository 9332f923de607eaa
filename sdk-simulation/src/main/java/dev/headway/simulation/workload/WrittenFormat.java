package dev.headway.simulation.workload;

import dev.headway.api.internal.NearestName;
import java.util.Arrays;
import java.util.List;

/** The formats that {@link TraceWriters} writes; each is one that {@link TraceReaders} reads. */
public enum WrittenFormat {
  /** {@link TraceFormat#HEADWAY}, with every column; nothing of a workload is lost. */
  CANONICAL("canonical", TraceFormat.HEADWAY),

  /** {@link TraceFormat#MOONCAKE}: no names, tenants or priorities; sharing by 512 tokens. */
  MOONCAKE("mooncake", TraceFormat.MOONCAKE),

  /**
   * The CSV of {@link TraceFormat#TRACEV2}: requests are numbered, times are microseconds, and of a
   * shared prefix the first block is kept.
   */
  TRACEV2("tracev2", TraceFormat.TRACEV2);

  private final String label;
  private final TraceFormat readAs;

  WrittenFormat(String label, TraceFormat readAs) {
    this.label = label;
    this.readAs = readAs;
  }

  /** The name on a command line. */
  public String label() {
    return label;
  }

  /** The format that reads it. */
  public TraceFormat readAs() {
    return readAs;
  }

  /**
   * Finds a format by its label.
   *
   * @param label as {@link #label()} gives it
   * @return the format
   * @throws IllegalArgumentException if there is no such format; the message lists them
   */
  public static WrittenFormat ofLabel(String label) {
    for (WrittenFormat format : values()) {
      if (format.label.equals(label)) {
        return format;
      }
    }
    final List<String> known = Arrays.stream(values()).map(WrittenFormat::label).toList();
    throw new IllegalArgumentException(
        "a workload is written as one of "
            + String.join(", ", known)
            + ": format="
            + label
            + NearestName.hint(label, known));
  }
}
