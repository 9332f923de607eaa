package dev.headway.langchain4j;

import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatTemplateException;
import dev.headway.serving.tool.ToolParser;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.RateLimitException;
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

  private final EngineModel model;
  private final HeadwayChatRequestParameters defaults;
  private final List<ChatModelListener> listeners;
  private final @Nullable ToolParser toolParser;
  private final CallMaker maker;

  ChatCalls(EngineModel model, HeadwayChatBuilder<?> builder) {
    this.model = model;
    this.listeners = builder.listeners();
    this.toolParser = builder.toolParser();
    this.maker = new CallMaker(model);
    this.defaults = builder.defaults();
    maker.requireSupported(defaults);
    AskedShape.of(defaults, toolParser);
  }

  EngineModel model() {
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
   * @throws dev.langchain4j.exception.UnsupportedFeatureException if it cannot be honoured
   * @throws InvalidRequestException if it can never be answered
   * @throws RateLimitException if the chat template is being run for too many others
   */
  ModelCall make(ChatRequest request) {
    final long arrivalNs = model.engine().clock().nanoTime();
    final HeadwayChatRequestParameters parameters = defaults.overrideWith(request.parameters());
    maker.requireSupported(parameters);
    final AskedShape shape = AskedShape.of(parameters, toolParser);
    final List<ChatMessage> messages = ChatMessages.of(request.messages());
    return maker.make(
        render(messages, shape.tools()),
        model.served().chatTemplate().specialTokens(),
        parameters,
        shape,
        arrivalNs);
  }

  private String render(List<ChatMessage> messages, String tools) {
    maker.requireShort(
        "messages", tools.length() + messages.stream().mapToLong(ChatMessage::length).sum());
    try {
      return model.served().chatTemplate().render(messages, tools);
    } catch (ChatTemplateException e) {
      if (e.kind() == ChatTemplateException.Kind.BUSY) {
        throw new RateLimitException(e.getMessage(), e);
      }
      throw new InvalidRequestException(
          "messages must be such that the model's chat template takes them: " + e.getMessage(), e);
    }
  }
}
