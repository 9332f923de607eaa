package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyCall;
import dev.headway.serving.reply.ReplyEngine;
import dev.headway.serving.reply.ReplyMaker;
import dev.headway.serving.tool.ToolParser;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests of a chat, as calls of the engine. Any thread. */
final class ChatCalls {

  /** What AI services can count on. */
  static final Set<Capability> CAPABILITIES = Set.of(Capability.RESPONSE_FORMAT_JSON_SCHEMA);

  private final ReplyEngine model;
  private final HeadwayChatRequestParameters defaults;
  private final List<ChatModelListener> listeners;
  private final @Nullable ToolParser toolParser;
  private final ReplyMaker maker;

  ChatCalls(ReplyEngine model, HeadwayChatBuilder<?> builder) {
    this.model = model;
    this.listeners = builder.listeners();
    this.toolParser = builder.toolParser();
    this.maker = new ReplyMaker(model);
    this.defaults = builder.defaults();
    Replies.of(
        () -> {
          maker.requireSupported(defaults);
          return AskedShape.of(defaults, toolParser);
        });
  }

  ReplyEngine model() {
    return model;
  }

  HeadwayChatRequestParameters defaults() {
    return defaults;
  }

  List<ChatModelListener> listeners() {
    return listeners;
  }

  /**
   * Makes a call of a request: its prompt may take milliseconds.
   *
   * @throws dev.headway.serving.reply.ReplyException if it cannot be honoured, or never be answered
   */
  ReplyCall make(ChatRequest request) {
    final long arrivalNs = model.engine().clock().nanoTime();
    final HeadwayChatRequestParameters parameters = defaults.overrideWith(request.parameters());
    maker.requireSupported(parameters);
    return maker.chat(
        ChatMessages.of(request.messages()),
        parameters,
        AskedShape.of(parameters, toolParser),
        arrivalNs);
  }
}
