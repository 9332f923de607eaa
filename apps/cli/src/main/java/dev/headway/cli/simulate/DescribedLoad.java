package dev.headway.cli.simulate;

import dev.headway.cli.command.ProgressDisplay;
import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.Formatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sums up a load as its requests pass; memory does not grow with it. */
final class DescribedLoad extends ForwardingWorkload {

  private static final double NANOS_PER_SECOND = 1e9;

  private final ProgressDisplay progress;
  private long requests;
  private long lastArrivalNs;
  private long gaps;
  private double gapSeconds;
  private double squaredGaps;
  private long inputTokens;
  private long outputTokens;
  private long prefixTokens;
  private int longestInput;
  private int longestOutput;

  DescribedLoad(Workload load, ProgressDisplay progress) {
    super(load);
    this.progress = progress;
  }

  @Override
  public @Nullable WorkloadRequest next() {
    final WorkloadRequest request = source().next();
    if (request != null) {
      add(request);
      progress.to(requests);
    }
    return request;
  }

  private void add(WorkloadRequest request) {
    if (requests > 0) {
      final double gap = (request.arrivalNs() - lastArrivalNs) / NANOS_PER_SECOND;
      gaps++;
      gapSeconds += gap;
      squaredGaps += gap * gap;
    }
    lastArrivalNs = request.arrivalNs();
    requests++;
    inputTokens += request.inputTokens();
    outputTokens += request.outputTokens();
    prefixTokens += request.prefixTokens();
    longestInput = Math.max(longestInput, request.inputTokens());
    longestOutput = Math.max(longestOutput, request.outputTokens());
  }

  String text() {
    final Formatter text = new Formatter(Locale.ROOT);
    final double seconds = lastArrivalNs / NANOS_PER_SECOND;
    text.format("  requests      %s in %s", Units.count(requests), Units.duration(lastArrivalNs));
    text.format("%s%n", seconds == 0 ? "" : ", " + Units.rate(requests / seconds) + " per second");
    if (gapSeconds > 0) {
      final double mean = gapSeconds / gaps;
      final double variance = Math.max(0, squaredGaps / gaps - mean * mean);
      text.format("  gaps          coefficient of variation %.2f%n", Math.sqrt(variance) / mean);
    }
    text.format("  input         %s%n", lengths(inputTokens, longestInput));
    text.format("  output        %s%n", lengths(outputTokens, longestOutput));
    if (prefixTokens > 0) {
      final double share = (double) prefixTokens / inputTokens;
      text.format("  blocks        describe %s of the input%n", Units.percent(share));
    }
    return text.toString();
  }

  private String lengths(long tokens, int longest) {
    return String.format(
        Locale.ROOT,
        "%.1f tokens on average, %,d at most, %,d in all",
        requests == 0 ? 0 : (double) tokens / requests,
        longest,
        tokens);
  }

  @Override
  public void close() {
    super.close();
    progress.close();
  }
}
