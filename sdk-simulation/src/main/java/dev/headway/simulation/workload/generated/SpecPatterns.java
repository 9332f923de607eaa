package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.generated.SpecClient.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times of day, spikes and drains of a cohort, as the windows that BLIS makes of them: a lower
 * rate is a shorter part of each hour, or of each tenth of a drain.
 */
final class SpecPatterns {
  private static final int HOURS = 24;
  private static final double HOUR_SECONDS = 3_600;
  private static final int DRAIN_SEGMENTS = 10;

  private SpecPatterns() {}

  static List<Window> windows(SpecNode cohort) {
    final List<Window> windows = new ArrayList<>();
    addDiurnal(cohort.child("diurnal"), windows);
    addSpike(cohort.child("spike"), windows);
    addDrain(cohort.child("drain"), windows);
    return windows;
  }

  private static void addDiurnal(@Nullable SpecNode node, List<Window> windows) {
    if (node == null) {
      return;
    }
    final int peak = (int) node.integer("peak_hour", 0, 0, 23);
    final double ratio = node.number("peak_to_trough_ratio");
    if (ratio < 1) {
      throw node.wrong("peak_to_trough_ratio", "must be >= 1");
    }
    node.requireNoOthers();
    for (int hour = 0; hour < HOURS; hour++) {
      final double angle = 2 * StrictMath.PI * (hour - peak) / HOURS;
      final double share = (1 + StrictMath.cos(angle)) / 2 * (1 - 1 / ratio) + 1 / ratio;
      add(windows, hour * HOUR_SECONDS, Math.min(1, share) * HOUR_SECONDS, Double.NaN);
    }
  }

  private static void addSpike(@Nullable SpecNode node, List<Window> windows) {
    if (node == null) {
      return;
    }
    final double start = SpecClient.seconds(node, "start_time_us");
    final double duration = positive(node, "duration_us");
    final double rate = node.number("trace_rate", Double.NaN);
    node.requireNoOthers();
    add(windows, start, duration, rate);
  }

  private static void addDrain(@Nullable SpecNode node, List<Window> windows) {
    if (node == null) {
      return;
    }
    final double start = SpecClient.seconds(node, "start_time_us");
    final double segment = positive(node, "ramp_duration_us") / DRAIN_SEGMENTS;
    node.requireNoOthers();
    if (start > 0) {
      add(windows, 0, start, Double.NaN);
    }
    for (int i = 0; i < DRAIN_SEGMENTS; i++) {
      final double share = (double) (DRAIN_SEGMENTS - i) / DRAIN_SEGMENTS;
      add(windows, start + i * segment, segment * share, Double.NaN);
    }
  }

  private static double positive(SpecNode node, String key) {
    final double seconds = SpecClient.seconds(node, key);
    if (seconds <= 0) {
      throw node.wrong(key, "must be > 0");
    }
    return seconds;
  }

  private static void add(List<Window> windows, double start, double duration, double rate) {
    windows.add(new Window(start, start + duration, rate, null));
  }
}
