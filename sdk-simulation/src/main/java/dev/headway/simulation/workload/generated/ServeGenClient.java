package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.RateProfile;
import dev.headway.simulation.workload.arrival.RateProfile.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One client of ServeGen. One clock of expected requests runs through all windows, so that a window
 * does not start with a new gap; each gap is drawn as the window says in which it starts.
 */
final class ServeGenClient implements Workload {
  private static final double NANOS_PER_SECOND = 1e9;

  private final String id;
  private final NavigableMap<Double, ServeGenDirectory.Window> windows = new TreeMap<>();
  private final NavigableMap<Double, ServeGenDirectory.Lengths> lengths;
  private final RateProfile profile;
  private final double startSeconds;
  private final RandomStream arrivals;
  private final RandomStream inputs;
  private final RandomStream outputs;
  private double zeroSeconds;
  private double expected;
  private double now;
  private boolean closed;

  ServeGenClient(
      String id,
      long seed,
      List<ServeGenDirectory.Window> windows,
      double spacing,
      NavigableMap<Double, ServeGenDirectory.Lengths> lengths) {
    this.id = id;
    this.lengths = lengths;
    windows.forEach(window -> this.windows.put(window.startSeconds(), window));
    this.profile = profile(windows, spacing);
    this.startSeconds =
        windows.stream()
            .filter(window -> window.rate() > 0)
            .mapToDouble(ServeGenDirectory.Window::startSeconds)
            .findFirst()
            .orElseThrow();
    this.now = startSeconds;
    this.arrivals = RandomStream.of(seed, id + " arrival");
    this.inputs = RandomStream.of(seed, id + " input");
    this.outputs = RandomStream.of(seed, id + " output");
  }

  private static RateProfile profile(List<ServeGenDirectory.Window> windows, double spacing) {
    final List<Stage> stages = new ArrayList<>();
    double end = 0;
    for (ServeGenDirectory.Window window : windows) {
      if (window.startSeconds() > end) {
        stages.add(new Stage(window.startSeconds() - end, 0, 0));
      }
      stages.add(new Stage(spacing, window.rate(), window.rate()));
      end = window.startSeconds() + spacing;
    }
    return RateProfile.stages(stages, 0);
  }

  /** When its first active window starts. */
  double startSeconds() {
    return startSeconds;
  }

  /** Makes a time the zero of its arrivals. */
  void startAt(double seconds) {
    zeroSeconds = seconds;
  }

  @Override
  public String name() {
    return id;
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.empty();
  }

  @Override
  public @Nullable WorkloadRequest next() {
    if (closed) {
      return null;
    }
    expected += at(windows, now).gaps().next(arrivals);
    now = profile.timeOf(expected);
    if (now == Double.POSITIVE_INFINITY) {
      closed = true;
      return null;
    }
    final ServeGenDirectory.Lengths drawn = at(lengths, now);
    return new WorkloadRequest(
        id,
        (long) StrictMath.rint((now - zeroSeconds) * NANOS_PER_SECOND),
        drawn.input().draw(inputs),
        drawn.output().draw(outputs),
        new int[0],
        0,
        id,
        0);
  }

  private static <T> T at(NavigableMap<Double, T> byStart, double seconds) {
    final Map.Entry<Double, T> before = byStart.floorEntry(seconds);
    return before == null ? byStart.firstEntry().getValue() : before.getValue();
  }

  @Override
  public void close() {
    closed = true;
  }
}
