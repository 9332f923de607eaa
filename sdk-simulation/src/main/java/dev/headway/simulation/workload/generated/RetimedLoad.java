package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.ArrivalTimes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a file in their order, at the times of an arrival process: for ShareGPT, which
 * has no times, and for the lengths of a trace under another rate. What is drawn together, such as
 * a long prompt and its short output, stays together.
 */
final class RetimedLoad extends ForwardingWorkload {
  static final String NAME = "retimed";

  private static final double NANOS_PER_SECOND = 1e9;

  private final String name;
  private final ArrivalTimes arrivals;
  private long left;

  private RetimedLoad(String name, Workload source, ArrivalTimes arrivals, long requests) {
    super(source);
    this.name = name;
    this.arrivals = arrivals;
    this.left = requests;
  }

  /** Reads the options, and opens the file. */
  static Workload make(Options options) {
    final String file = options.text("file");
    if (file == null || file.isBlank()) {
      throw options.wrong("a retimed load needs the path of a file", "file", file, null);
    }
    final TraceFormat format = TraceFormat.ofLabel(options.text("format", "auto"));
    final boolean all = !options.has("requests");
    final int requests = options.integer("requests", 0);
    if (all && options.has("exact-mean")) {
      throw options.wrong("exact-mean needs requests", "requests", null, null);
    }
    final long seed = options.whole("seed", 1);
    final ArrivalTimes arrivals = ArrivalForms.read(options, "8", false, requests).start(seed);
    options.requireNoOthers(); // before the file is open
    try {
      return new RetimedLoad(
          NAME + " " + file,
          LoadFiles.open(Path.of(file), format),
          arrivals,
          all ? Long.MAX_VALUE : requests);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public @Nullable WorkloadRequest next() {
    final WorkloadRequest request = left == 0 ? null : source().next();
    final double seconds = request == null ? Double.POSITIVE_INFINITY : arrivals.next();
    if (request == null || seconds == Double.POSITIVE_INFINITY) {
      left = 0;
      return null;
    }
    left--;
    return request.withArrivalNs((long) StrictMath.rint(seconds * NANOS_PER_SECOND));
  }
}
