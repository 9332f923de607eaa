package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyCall;
import dev.headway.serving.reply.ReplyEngine;
import dev.headway.serving.reply.ReplyMaker;
import dev.headway.serving.reply.ReplyShape;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;

/** Texts to be continued, as calls of the engine. Any thread. */
final class TextCalls {

  private final ReplyEngine model;
  private final HeadwayChatRequestParameters defaults;
  private final ReplyShape shape;
  private final ReplyMaker maker;

  TextCalls(HeadwayModelBuilder<?> builder) {
    this.model = builder.replyEngine();
    this.defaults = builder.defaults();
    this.maker = new ReplyMaker(model);
    this.shape =
        Replies.of(
            () -> {
              maker.requireSupported(defaults);
              return AskedShape.ofText(defaults);
            });
  }

  ReplyEngine model() {
    return model;
  }

  /**
   * Makes a call of a prompt.
   *
   * @throws dev.headway.serving.reply.ReplyException if it can never be answered
   */
  ReplyCall make(String prompt) {
    final long arrivalNs = model.engine().clock().nanoTime();
    return maker.text(prompt, SpecialTokens.ADDED, defaults, shape, arrivalNs);
  }
}
