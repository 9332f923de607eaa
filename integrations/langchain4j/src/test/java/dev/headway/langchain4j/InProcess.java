package dev.headway.langchain4j;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedEngine;
import dev.headway.serving.ServedModel;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.tool.ToolParser;
import java.util.function.BiFunction;

/** An engine that runs, and models on it. */
final class InProcess implements AutoCloseable {

  static final String NAME = ServedEngine.NAME;

  final Engine engine;
  final EngineTimes times;
  final ServedModel model;
  private final ServedEngine served;

  private InProcess(ServedEngine served) {
    this.served = served;
    this.engine = served.engine;
    this.times = served.times;
    this.model = served.model;
  }

  static InProcess start(Executor executor) {
    return start(new ServedEngine.Setup(), executor);
  }

  static InProcess start(ServedEngine.Setup setup, Executor executor) {
    return new InProcess(setup.start(executor));
  }

  /** Answers by a script, which gets the request and the text of its prompt. */
  static InProcess scripted(BiFunction<Request, String, String> script) {
    return start(TextExecutor.scripted(script, 4_096, 64));
  }

  static InProcess always(String answer) {
    return scripted((request, prompt) -> answer);
  }

  HeadwayChatModel.Builder chat() {
    return HeadwayChatModel.builder()
        .engine(engine)
        .model(model)
        .engineTimes(times)
        .toolParser(ToolParser.HERMES);
  }

  HeadwayStreamingChatModel.Builder streaming() {
    return HeadwayStreamingChatModel.builder()
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
