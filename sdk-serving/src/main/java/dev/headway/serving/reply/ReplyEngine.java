package dev.headway.serving.reply;

import dev.headway.api.engine.Engine;
import dev.headway.grammar.GrammarLimits;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import org.jspecify.annotations.Nullable;

/** An engine in the same process, and what it runs. Any thread. */
public final class ReplyEngine implements AutoCloseable {

  private final Engine engine;
  private final ServedModel served;
  private final ConstraintCompiler constraints;
  private final boolean ownsConstraints;
  private final @Nullable EngineTimes times;

  /**
   * Takes the parts.
   *
   * @param shared compiles constraints and outlives this; null for one of its own, made at the
   *     first constraint
   * @param times the probe that the engine was built with, or null
   */
  public ReplyEngine(
      Engine engine,
      ServedModel served,
      @Nullable ConstraintCompiler shared,
      @Nullable EngineTimes times) {
    this.engine = engine;
    this.served = served;
    this.times = times;
    this.ownsConstraints = shared == null;
    this.constraints =
        shared == null ? new ConstraintCompiler(served, GrammarLimits.DEFAULT, 1) : shared;
  }

  /** The engine, which its owner closes. */
  public Engine engine() {
    return engine;
  }

  /** What it runs. */
  public ServedModel served() {
    return served;
  }

  /** Compiles what replies must look like. */
  public ConstraintCompiler constraints() {
    return constraints;
  }

  /** Knows instants that only a probe does, or null. */
  public @Nullable EngineTimes times() {
    return times;
  }

  /** Ends the threads that compile, if they are its own. Not the engine. */
  @Override
  public void close() {
    if (ownsConstraints) {
      constraints.close();
    }
  }
}
