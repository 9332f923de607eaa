package dev.headway.simulation.workload;

import java.io.IOException;
import java.util.Map;

/** Writes workloads as traces. Stateless; a workload and its output belong to one thread. */
public final class TraceWriters {
  private TraceWriters() {}

  /**
   * What was written.
   *
   * @param requests how many
   * @param losses what the format could not hold, with how often; empty if nothing was lost
   */
  public record Written(long requests, Map<String, Long> losses) {
    /** Copies the losses. */
    public Written {
      losses = Map.copyOf(losses);
    }
  }

  /**
   * Writes a workload to its end, as a stream.
   *
   * @param workload the requests; not closed here
   * @param format how they are written
   * @param out where to, in UTF-8; not closed here
   * @return how many requests there were, and what was lost
   * @throws IOException if {@code out} cannot be written
   * @throws IllegalArgumentException if a request cannot be written in this format at all
   */
  public static Written write(Workload workload, WrittenFormat format, Appendable out)
      throws IOException {
    final RequestWriter writer =
        switch (format) {
          case CANONICAL -> new CanonicalWriter(out);
          case MOONCAKE -> new MooncakeWriter(out);
          case TRACEV2 -> new TraceV2Writer(out);
        };
    long requests = 0;
    for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
      writer.write(next);
      requests++;
    }
    return new Written(requests, writer.losses().counts());
  }

  /**
   * The YAML header that goes with the CSV of {@link WrittenFormat#TRACEV2}.
   *
   * @param load what was written, for the reader
   * @return the text of the file
   */
  public static String traceV2Header(String load) {
    final StringBuilder quoted = new StringBuilder();
    for (int i = 0; i < load.length(); i++) {
      final char c = load.charAt(i);
      quoted.append(c == '\\' || c == '"' ? "\\" : "").append(Character.isISOControl(c) ? '?' : c);
    }
    return """
        trace_version: 2
        time_unit: microseconds
        mode: generated
        warm_up_requests: 0
        workload_spec: "%s"
        """
        .formatted(quoted);
  }
}
