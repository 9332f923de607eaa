package dev.headway.spring.ai;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedEngine;
import dev.headway.serving.ServedModel;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.tool.ToolParser;
import java.util.function.BiFunction;

/** An engine that runs one request at a time, and models on it. */
final class TestedEngine implements AutoCloseable {

  static final String NAME = ServedEngine.NAME;

  final Engine engine;
  final EngineTimes times;
  final ServedModel model;
  private final ServedEngine served;

  TestedEngine(Executor executor) {
    final ServedEngine.Setup setup = new ServedEngine.Setup();
    setup.maxNumSeqs = 1;
    setup.maxModelLen = 2_048;
    setup.maxQueued = 3;
    served = setup.start(executor);
    engine = served.engine;
    times = served.times;
    model = served.model;
  }

  /** Answers by a script, which gets the request and the text of its prompt. */
  static TestedEngine scripted(BiFunction<Request, String, String> script) {
    return new TestedEngine(TextExecutor.scripted(script, 4_096, 64));
  }

  static TestedEngine always(String answer) {
    return scripted((request, prompt) -> answer);
  }

  /** A model with weights of a seed. */
  static TestedEngine random(long seed) {
    return new TestedEngine(ServedEngine.random(seed));
  }

  HeadwayChatModel.Builder chat() {
    return HeadwayChatModel.builder()
        .engine(engine)
        .model(model)
        .engineTimes(times)
        .toolParser(ToolParser.HERMES);
  }

  @Override
  public void close() {
    served.close();
  }
}
