package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyRun;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.List;
import java.util.Set;

/**
 * A chat model on an engine in the same process that streams its answers. The calling thread makes
 * the prompt, in some milliseconds, and submits it, so that requests are queued in the order of the
 * calls. The handler is called on a virtual thread of the answer's own: one that is slow or blocks
 * holds up no other request, and its tokens wait for it. {@code StreamingHandle.cancel} frees the
 * engine before it plans its next step; no callback follows.
 *
 * <p>What cannot be honoured is thrown by {@code chat} itself; every other error goes to the
 * handler, with the exceptions of {@link HeadwayChatModel}. Any thread; the engine must have been
 * started.
 */
public final class HeadwayStreamingChatModel implements StreamingChatModel, AutoCloseable {

  private final ChatCalls calls;

  private HeadwayStreamingChatModel(Builder builder) {
    this.calls = new ChatCalls(builder.replyEngine(), builder);
  }

  /** Begins to make a model. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Begins to answer a request, and returns.
   *
   * @throws dev.langchain4j.exception.UnsupportedFeatureException if it asks for what cannot be
   *     honoured
   */
  @Override
  public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
    final HandlerParts parts = new HandlerParts(handler);
    Streams.start(
        () -> ReplyRun.begin(calls.model(), calls.make(request), parts),
        reply -> parts.complete(ModelAnswer.chatResponse(reply, calls.model().served().name())),
        handler::onError);
  }

  @Override
  public HeadwayChatRequestParameters defaultRequestParameters() {
    return calls.defaults();
  }

  @Override
  public List<ChatModelListener> listeners() {
    return calls.listeners();
  }

  @Override
  public Set<Capability> supportedCapabilities() {
    return ChatCalls.CAPABILITIES;
  }

  /** Ends the threads that compile constraints, if they are this model's own. Not the engine. */
  @Override
  public void close() {
    calls.model().close();
  }

  /** Makes a model. One thread. */
  public static final class Builder extends HeadwayChatBuilder<Builder> {

    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /**
     * Returns the model.
     *
     * @throws IllegalArgumentException if the engine or the model is missing
     * @throws dev.langchain4j.exception.UnsupportedFeatureException if a default cannot be honoured
     */
    public HeadwayStreamingChatModel build() {
      return new HeadwayStreamingChatModel(this);
    }
  }
}
