package dev.headway.cli.simulate;

import dev.headway.api.executor.Executor;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.server.ModelSource;
import dev.headway.simulation.run.EngineSettings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * In which time a run is, and what computes its steps. The engine closes the executor; this closes
 * the model behind it.
 */
final class Pace implements AutoCloseable {

  private final NanoClock clock;
  private final EngineSettings settings;
  private final @Nullable ModelSource source;
  private final @Nullable Executor executor;

  private Pace(
      NanoClock clock,
      EngineSettings settings,
      @Nullable ModelSource source,
      @Nullable Executor executor) {
    this.clock = clock;
    this.settings = settings;
    this.source = source;
    this.executor = executor;
  }

  /** Virtual time, in which a simulated model computes. */
  static Pace virtual(VirtualClock clock, EngineSettings settings) {
    return new Pace(clock, settings, null, null);
  }

  /** The wall clock, on which steps of the simulated model take their time. */
  static Pace simulatedInRealTime(EngineSettings settings) {
    return new Pace(new RunClock(), settings, null, null);
  }

  /**
   * The wall clock, and a model that is computed.
   *
   * @param clock what the executor reads
   */
  static Pace realTime(
      RunClock clock, EngineSettings settings, ModelSource source, Executor executor) {
    return new Pace(clock, settings, source, executor);
  }

  NanoClock clock() {
    return clock;
  }

  boolean isRealTime() {
    return !clock.isVirtual();
  }

  /** Whether steps take what the settings say, rather than what a model needs to compute them. */
  boolean isSimulated() {
    return executor == null;
  }

  /** Of the engine. */
  EngineSettings settings() {
    return settings;
  }

  /** The run begins now, before its engine is built: the wall clock starts at 0. */
  void begin() {
    if (clock instanceof RunClock wall) {
      wall.begin();
    }
  }

  /** Token numbers of prompts are below it. */
  int vocabularySize() {
    return executor == null ? EngineSettings.VOCABULARY_SIZE : executor.shape().vocabularySize();
  }

  /** The engine, still without probes. */
  EngineBuilder engine(String name) {
    return executor == null
        ? settings.engine(clock, name, model -> model)
        : settings
            .engineOf(executor, clock, name)
            .attribute("model", Objects.requireNonNull(source).name());
  }

  @Override
  public void close() {
    if (source != null) {
      source.close();
    }
  }
}
