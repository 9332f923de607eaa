package dev.headway.langchain4j;

import dev.headway.api.engine.Engine;
import dev.headway.grammar.GrammarLimits;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import org.jspecify.annotations.Nullable;

/** An engine and what it runs. Any thread. */
final class EngineModel implements AutoCloseable {

  private final Engine engine;
  private final ServedModel served;
  private final ConstraintCompiler constraints;
  private final boolean ownsConstraints;
  private final @Nullable EngineTimes times;

  EngineModel(HeadwayModelBuilder<?> builder) {
    this.engine = builder.engine();
    this.served = builder.model();
    this.times = builder.engineTimes();
    final ConstraintCompiler shared = builder.constraints();
    this.ownsConstraints = shared == null;
    this.constraints =
        shared == null ? new ConstraintCompiler(served, GrammarLimits.DEFAULT, 1) : shared;
  }

  Engine engine() {
    return engine;
  }

  ServedModel served() {
    return served;
  }

  ConstraintCompiler constraints() {
    return constraints;
  }

  @Nullable EngineTimes times() {
    return times;
  }

  @Override
  public void close() {
    if (ownsConstraints) {
      constraints.close();
    }
  }
}
