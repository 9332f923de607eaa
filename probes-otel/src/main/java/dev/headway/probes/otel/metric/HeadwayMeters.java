package dev.headway.probes.otel.metric;

import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.RunModel;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * The main figures of an engine as meters, for a program that has a Micrometer registry already;
 * {@link MeterNames} lists them. Needs {@code micrometer-core}, which nothing else here does.
 *
 * <p>Its records come from a {@link LiveProbe}, on a thread that is not the engine's:
 *
 * <pre>{@code
 * HeadwayMeters meters = new HeadwayMeters();
 * meters.bindTo(registry); // Spring Boot does that with a bean
 * HeadwayEngine.builder(executor).probe(LiveProbe.of(meters)).build();
 * }</pre>
 *
 * <p>Gauges and counters include everything since the engine started, whenever they are bound;
 * timers of what happened since. {@link #bindTo} may be called from any thread. Histograms and
 * percentiles are the registry's to configure. No tag comes from a request. Meters stay in the
 * registry after the engine has ended.
 */
@SuppressWarnings("exports") // a program with a registry requires micrometer.core itself
public final class HeadwayMeters extends RunModel implements MeterBinder {

  private final Registries registries;

  /** Meters of the only engine of a registry. */
  public HeadwayMeters() {
    this(Tags.empty());
  }

  /** Meters with tags, which distinguish the engines of a registry. */
  public HeadwayMeters(Iterable<Tag> tags) {
    this(tags, new Registries());
  }

  private HeadwayMeters(Iterable<Tag> tags, Registries registries) {
    this(new RunMeters(new MeterFigures(registries, tags)), registries);
  }

  private HeadwayMeters(RunMeters meters, Registries registries) {
    super(meters);
    this.registries = registries;
  }

  /** Registers the meters in {@code registry}; a second time does nothing. */
  @Override
  public void bindTo(MeterRegistry registry) {
    registries.bind(registry);
  }

  @Override
  public void close() {
    concludeRun();
  }
}
