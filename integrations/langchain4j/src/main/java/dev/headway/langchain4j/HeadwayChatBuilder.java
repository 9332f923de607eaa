package dev.headway.langchain4j;

import dev.headway.serving.tool.ToolParser;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What chat models are made of. One thread.
 *
 * @param <T> the builder
 */
public abstract sealed class HeadwayChatBuilder<T extends HeadwayChatBuilder<T>>
    extends HeadwayModelBuilder<T>
    permits HeadwayChatModel.Builder, HeadwayStreamingChatModel.Builder {

  private List<ChatModelListener> listeners = List.of();
  private @Nullable ToolParser toolParser;

  HeadwayChatBuilder() {}

  /** Listeners of all requests. */
  public T listeners(List<ChatModelListener> all) {
    listeners = List.copyOf(all);
    return self();
  }

  /** Listeners of all requests. */
  public T listeners(ChatModelListener... all) {
    return listeners(List.of(all));
  }

  /**
   * How the model writes calls of its own accord. Unless set, tools need {@code
   * ToolChoice.REQUIRED} or {@code NONE}: calls that have to be made are kept by a grammar,
   * whatever the model has learned.
   */
  public T toolParser(ToolParser parser) {
    toolParser = parser;
    return self();
  }

  final List<ChatModelListener> listeners() {
    return listeners;
  }

  final @Nullable ToolParser toolParser() {
    return toolParser;
  }
}
