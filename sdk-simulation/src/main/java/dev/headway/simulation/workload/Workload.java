package dev.headway.simulation.workload;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream of requests in order of arrival, read once.
 *
 * <p>One thread at a time. Memory is bounded by what one request needs and a fixed look-ahead, not
 * by the length of the stream. Close it to release the file behind it; closing twice is harmless.
 */
public interface Workload extends AutoCloseable {
  /** A short name for reports: the file as it was given, or a synthetic workload's parameters. */
  String name();

  /** How many requests are still expected, where that is known without reading ahead. */
  OptionalLong sizeHint();

  /**
   * Takes the next request.
   *
   * @return the request, whose arrival is not before its predecessor's; null at the end and after
   *     {@link #close()}
   * @throws TraceFormatException if the next row cannot be understood; the workload is over then
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  @Nullable WorkloadRequest next();

  /** What was changed in the requests handed out so far; nothing in those that are made up. */
  default Adjustments adjustments() {
    return Adjustments.NONE;
  }

  /** The number of changes made so far, {@link Adjustments#total()}. */
  default long adjustedRows() {
    return adjustments().total();
  }

  /** Releases the source; never throws. */
  @Override
  void close();
}
