package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyParts;
import dev.headway.serving.reply.ReplyRun;
import dev.langchain4j.model.StreamingResponseHandler;
import dev.langchain4j.model.language.StreamingLanguageModel;

/**
 * A model that continues texts, without a chat template, on an engine in the same process, and
 * streams them. Parameters and metadata as of {@link HeadwayLanguageModel}, threads and exceptions
 * as of {@link HeadwayStreamingChatModel}; LangChain4j has no handle to cancel with. What a handler
 * throws ends the answer, and goes to its {@code onError}.
 */
public final class HeadwayStreamingLanguageModel implements StreamingLanguageModel, AutoCloseable {

  private final TextCalls calls;

  private HeadwayStreamingLanguageModel(Builder builder) {
    this.calls = new TextCalls(builder);
  }

  /** Begins to make a model. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins to continue a text, and returns. */
  @Override
  public void generate(String prompt, StreamingResponseHandler<String> handler) {
    Streams.start(
        () -> ReplyRun.begin(calls.model(), calls.make(prompt), new TextParts(handler)),
        reply -> handler.onComplete(ModelAnswer.response(reply, calls.model().served().name())),
        handler::onError);
  }

  /** Text alone is passed on. */
  private record TextParts(StreamingResponseHandler<String> handler) implements ReplyParts {
    @Override
    public void text(String text) {
      if (!text.isEmpty()) {
        handler.onNext(text);
      }
    }
  }

  /** Ends the threads that compile constraints, if they are this model's own. Not the engine. */
  @Override
  public void close() {
    calls.model().close();
  }

  /** Makes a model. One thread. */
  public static final class Builder extends HeadwayModelBuilder<Builder> {

    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /**
     * Returns the model.
     *
     * @throws IllegalArgumentException if the engine or the model is missing
     * @throws dev.langchain4j.exception.UnsupportedFeatureException if a default cannot be
     *     honoured, such as tools
     */
    public HeadwayStreamingLanguageModel build() {
      return new HeadwayStreamingLanguageModel(this);
    }
  }
}
