package dev.headway.probes.otel.metric;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The registries that meters are in. A meter made before a registry is bound is registered there
 * when it is. Any thread.
 *
 * <p>Micrometer's composite registry does the same with a warning that what was recorded before is
 * lost, which is not so for figures that are read when they are asked for.
 */
final class Registries {

  private final List<MeterRegistry> bound = new ArrayList<>();
  private final List<Consumer<MeterRegistry>> meters = new ArrayList<>();

  /** Registers every meter in {@code registry}, those to come too; a second time does nothing. */
  synchronized void bind(MeterRegistry registry) {
    if (!bound.contains(registry)) {
      bound.add(registry);
      meters.forEach(meter -> meter.accept(registry));
    }
  }

  /** Registers a meter in every registry, those to come too. */
  synchronized void register(Consumer<MeterRegistry> meter) {
    meters.add(meter);
    bound.forEach(meter);
  }

  /** Registers a timer in every registry, those to come too. */
  Durations timer(Timer.Builder timer) {
    final Durations durations = new Durations();
    register(registry -> durations.timers.add(timer.register(registry)));
    return durations;
  }

  /** A timer of each registry that is bound. */
  static final class Durations {
    private final List<Timer> timers = new CopyOnWriteArrayList<>();

    void record(long durationNs) {
      for (Timer timer : timers) {
        timer.record(durationNs, TimeUnit.NANOSECONDS);
      }
    }
  }
}
