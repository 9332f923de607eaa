package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyRun;
import dev.langchain4j.model.language.LanguageModel;
import dev.langchain4j.model.output.Response;

/**
 * A model that continues texts, without a chat template, on an engine in the same process. What is
 * asked for beside the text are the model's default parameters; the metadata of a response has a
 * {@link HeadwayChatResponseMetadata} as {@code headway}. Threads and exceptions as of {@link
 * HeadwayChatModel}.
 */
public final class HeadwayLanguageModel implements LanguageModel, AutoCloseable {

  private final TextCalls calls;

  private HeadwayLanguageModel(Builder builder) {
    this.calls = new TextCalls(builder);
  }

  /** Begins to make a model. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Continues a text.
   *
   * @throws dev.langchain4j.exception.LangChain4jException if there is no answer; its kind says why
   */
  @Override
  public Response<String> generate(String prompt) {
    return ModelAnswer.response(
        Replies.of(() -> ReplyRun.whole(calls.model(), calls.make(prompt))),
        calls.model().served().name());
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
    public HeadwayLanguageModel build() {
      return new HeadwayLanguageModel(this);
    }
  }
}
