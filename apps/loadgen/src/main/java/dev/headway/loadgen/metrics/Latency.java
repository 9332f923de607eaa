package dev.headway.loadgen.metrics;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** The latencies that results are about. */
public enum Latency {
  /** Time to first token. */
  TTFT("Time to First Token", "TTFT"),
  /** Time per output token behind the first: one value per answer of two tokens or more. */
  TPOT("Time per Output Token (excl. 1st token)", "TPOT"),
  /** Gaps between parts of answers, those of all requests in one list. */
  ITL("Inter-token Latency", "ITL"),
  /** From sending to the last token. */
  E2EL("End-to-end Latency", "E2EL"),
  /** Waiting in the client for a place under its limit. */
  CLIENT_QUEUE_TIME("Client-side Queueing", "Client Queue Time"),
  /** From arrival, with that wait, to the last token. */
  E2EL_INCLUDING_CLIENT_QUEUE("Queue-inclusive End-to-end Latency", "E2EL incl. Client Queue");

  private final String title;
  private final String shortTitle;

  Latency(String title, String shortTitle) {
    this.title = title;
    this.shortTitle = shortTitle;
  }

  /** The heading of its section in a printed table. */
  public String title() {
    return title;
  }

  /** What the lines of that section call it. */
  public String shortTitle() {
    return shortTitle;
  }

  /** The word in keys of results, as in {@code mean_ttft_ms}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it is about waiting in the client, of which there is none without a limit. */
  public boolean isOfClientQueue() {
    return this == CLIENT_QUEUE_TIME || this == E2EL_INCLUDING_CLIENT_QUEUE;
  }

  /** Its values in seconds. */
  public double[] seconds(List<Sample> samples) {
    return switch (this) {
      case TTFT -> samples.stream().mapToDouble(Sample::ttft).filter(v -> !isNan(v)).toArray();
      case TPOT -> samples.stream().filter(Sample::hasTpot).mapToDouble(Sample::tpot).toArray();
      case ITL -> samples.stream().flatMapToDouble(s -> DoubleStream.of(s.itl())).toArray();
      case E2EL -> samples.stream().mapToDouble(Sample::latency).toArray();
      case CLIENT_QUEUE_TIME -> samples.stream().mapToDouble(Sample::queue).toArray();
      case E2EL_INCLUDING_CLIENT_QUEUE ->
          samples.stream().mapToDouble(s -> s.latency() + s.queue()).toArray();
    };
  }

  private static boolean isNan(double value) {
    return Double.isNaN(value);
  }
}
