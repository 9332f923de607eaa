package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyRun;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.List;
import java.util.Set;

/**
 * A chat model on an engine in the same process. The calling thread renders the prompt, submits it
 * and waits for the answer; an interrupt cancels the request. Any thread, and as many at a time as
 * the engine lets in; the engine must have been started.
 *
 * <p>Errors are those of LangChain4j: {@code UnsupportedFeatureException} for what cannot be
 * honoured, {@code InvalidRequestException} for what can never be answered, such as a prompt that
 * is too long, {@code RateLimitException} where the engine has too much to do, {@code
 * TimeoutException} where a time has passed, {@code NonRetriableException} where the engine is
 * closed and {@code InternalServerException} where the executor has failed.
 */
public final class HeadwayChatModel implements ChatModel, AutoCloseable {

  private final ChatCalls calls;

  private HeadwayChatModel(Builder builder) {
    this.calls = new ChatCalls(builder.replyEngine(), builder);
  }

  /** Begins to make a model. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Answers a request.
   *
   * @throws dev.langchain4j.exception.LangChain4jException if there is no answer; its kind says why
   */
  @Override
  public ChatResponse doChat(ChatRequest request) {
    return ModelAnswer.chatResponse(
        Replies.of(() -> ReplyRun.whole(calls.model(), calls.make(request))),
        calls.model().served().name());
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
    public HeadwayChatModel build() {
      return new HeadwayChatModel(this);
    }
  }
}
