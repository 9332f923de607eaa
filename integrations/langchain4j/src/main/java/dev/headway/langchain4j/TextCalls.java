package dev.headway.langchain4j;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;

/** Texts to be continued, as calls of the engine. Any thread. */
final class TextCalls {

  private final EngineModel model;
  private final HeadwayChatRequestParameters defaults;
  private final AskedShape shape;
  private final CallMaker maker;

  TextCalls(HeadwayModelBuilder<?> builder) {
    this.model = new EngineModel(builder);
    this.defaults = builder.defaults();
    this.maker = new CallMaker(model);
    maker.requireSupported(defaults);
    this.shape = AskedShape.ofText(defaults);
  }

  EngineModel model() {
    return model;
  }

  /**
   * Makes a call of a prompt.
   *
   * @throws dev.langchain4j.exception.InvalidRequestException if it can never be answered
   */
  ModelCall make(String prompt) {
    final long arrivalNs = model.engine().clock().nanoTime();
    return maker.make(prompt, SpecialTokens.ADDED, defaults, shape, arrivalNs);
  }
}
