package dev.headway.spring.ai;

import dev.headway.serving.reply.ReplyException;
import dev.headway.serving.reply.ReplyNames;
import dev.headway.serving.reply.ReplyParameters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.DefaultChatOptions;
import org.springframework.ai.model.tool.DefaultStructuredOutputChatOptions;
import org.springframework.ai.model.tool.DefaultToolCallingChatOptions;
import org.springframework.ai.model.tool.StructuredOutputChatOptions;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;

/**
 * What a prompt can ask of an engine beside the options that Spring AI has for all models. What is
 * null is not asked for: the model's default holds, then the engine's. Immutable.
 */
public final class HeadwayChatOptions extends DefaultToolCallingChatOptions
    implements StructuredOutputChatOptions, ReplyParameters {

  private static final ReplyNames NAMES = new ReplyNames("model", "maxTokens", "outputSchema");

  private final Own own;

  private HeadwayChatOptions(Builder builder) {
    super(
        builder.toolCallbacks(),
        builder.toolContext(),
        builder.modelName(),
        builder.frequencyPenalty(),
        builder.maxTokens(),
        builder.presencePenalty(),
        builder.stopSequences(),
        builder.temperature(),
        builder.topK(),
        builder.topP());
    this.own = builder.own();
  }

  /** Whether tools are called. */
  public enum ToolChoice {
    /** As the model chooses; needs a {@code toolParser}, or an {@code outputSchema}. */
    AUTO,
    /** At least one is, which a grammar keeps. */
    REQUIRED,
    /** None is; the chat template shows them. */
    NONE
  }

  /** What Spring AI has no options for. */
  private record Own(
      @Nullable ToolChoice toolChoice,
      @Nullable Boolean parallelToolCalls,
      @Nullable String outputSchema,
      @Nullable String tenant,
      @Nullable Integer priority,
      @Nullable Duration timeout,
      @Nullable Duration queueTimeout,
      @Nullable Duration runTimeout,
      @Nullable Duration ttftTarget,
      @Nullable Long seed,
      @Nullable Integer minOutputTokens,
      @Nullable Double minP,
      @Nullable Double repetitionPenalty,
      @Nullable String cacheSalt,
      @Nullable String traceParent) {

    Own orElse(Own others) {
      return new Own(
          toolChoice == null ? others.toolChoice : toolChoice,
          parallelToolCalls == null ? others.parallelToolCalls : parallelToolCalls,
          outputSchema == null ? others.outputSchema : outputSchema,
          tenant == null ? others.tenant : tenant,
          priority == null ? others.priority : priority,
          timeout == null ? others.timeout : timeout,
          queueTimeout == null ? others.queueTimeout : queueTimeout,
          runTimeout == null ? others.runTimeout : runTimeout,
          ttftTarget == null ? others.ttftTarget : ttftTarget,
          seed == null ? others.seed : seed,
          minOutputTokens == null ? others.minOutputTokens : minOutputTokens,
          minP == null ? others.minP : minP,
          repetitionPenalty == null ? others.repetitionPenalty : repetitionPenalty,
          cacheSalt == null ? others.cacheSalt : cacheSalt,
          traceParent == null ? others.traceParent : traceParent);
    }
  }

  /** Begins to make options. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the given with what these ask for behind.
   *
   * @param given null for none
   * @throws ReplyException if those are of another provider, whose own options would be lost
   */
  HeadwayChatOptions with(@Nullable ChatOptions given) {
    if (given == null) {
      return this;
    }
    final Class<?> type = given.getClass();
    if (type != HeadwayChatOptions.class
        && type != DefaultChatOptions.class
        && type != DefaultToolCallingChatOptions.class
        && type != DefaultStructuredOutputChatOptions.class) {
      throw new ReplyException(
          ReplyException.Kind.UNSUPPORTED,
          "options of another provider are not supported, HeadwayChatOptions are: class="
              + type.getName());
    }
    final Builder builder = builder();
    builder
        .model(or(given.getModel(), getModel()))
        .frequencyPenalty(or(given.getFrequencyPenalty(), getFrequencyPenalty()))
        .maxTokens(or(given.getMaxTokens(), getMaxTokens()))
        .presencePenalty(or(given.getPresencePenalty(), getPresencePenalty()))
        .stopSequences(or(given.getStopSequences(), getStopSequences()))
        .temperature(or(given.getTemperature(), getTemperature()))
        .topK(or(given.getTopK(), getTopK()))
        .topP(or(given.getTopP(), getTopP()));
    final ToolCallingChatOptions calling =
        given instanceof ToolCallingChatOptions tools && !tools(tools).isEmpty() ? tools : this;
    builder.toolCallbacks(tools(calling)).toolContext(calling.getToolContext());
    builder.set(given instanceof HeadwayChatOptions those ? those.own.orElse(own) : own);
    if (given instanceof DefaultStructuredOutputChatOptions structured
        && structured.getOutputSchema() != null) {
      builder.outputSchema(structured.getOutputSchema());
    }
    return builder.build();
  }

  /** The tools of options, none if they have none. */
  static List<ToolCallback> tools(ToolCallingChatOptions options) {
    final List<ToolCallback> tools = options.getToolCallbacks();
    return tools == null ? List.of() : tools;
  }

  private static <V> @Nullable V or(@Nullable V given, @Nullable V otherwise) {
    return given == null ? otherwise : given;
  }

  @Override
  public Builder mutate() {
    final Builder builder = builder();
    builder
        .model(getModel())
        .frequencyPenalty(getFrequencyPenalty())
        .maxTokens(getMaxTokens())
        .presencePenalty(getPresencePenalty())
        .stopSequences(getStopSequences())
        .temperature(getTemperature())
        .topK(getTopK())
        .topP(getTopP())
        .toolContext(getToolContext());
    if (getToolCallbacks() != null) { // none and an empty list are different options to others
      builder.toolCallbacks(getToolCallbacks());
    }
    builder.set(own);
    return builder;
  }

  @Override
  public @Nullable String modelName() {
    return getModel();
  }

  @Override
  public @Nullable Double temperature() {
    return getTemperature();
  }

  @Override
  public @Nullable Double topP() {
    return getTopP();
  }

  @Override
  public @Nullable Integer topK() {
    return getTopK();
  }

  @Override
  public @Nullable Double frequencyPenalty() {
    return getFrequencyPenalty();
  }

  @Override
  public @Nullable Double presencePenalty() {
    return getPresencePenalty();
  }

  @Override
  public @Nullable Integer maxOutputTokens() {
    return getMaxTokens();
  }

  @Override
  public List<String> stopSequences() {
    final List<String> stops = getStopSequences();
    return stops == null ? List.of() : List.copyOf(stops);
  }

  @Override
  public ReplyNames names() {
    return NAMES;
  }

  /** Whether tools may, must or must not be called; {@link ToolChoice#AUTO} unless set. */
  public @Nullable ToolChoice toolChoice() {
    return own.toolChoice();
  }

  /** Whether an answer may have several calls; true unless set. */
  public @Nullable Boolean parallelToolCalls() {
    return own.parallelToolCalls();
  }

  /** The JSON schema that a grammar keeps the answer to; any text unless set. */
  @Override
  public @Nullable String getOutputSchema() {
    return own.outputSchema();
  }

  /** The tenant that the request is accounted to. */
  @Override
  public @Nullable String tenant() {
    return own.tenant();
  }

  /** Smaller is more important; 0 unless set. */
  @Override
  public @Nullable Integer priority() {
    return own.priority();
  }

  /** From the call to the last token; no end unless set. */
  @Override
  public @Nullable Duration timeout() {
    return own.timeout();
  }

  /** From the call to the first admission; no end unless set. */
  @Override
  public @Nullable Duration queueTimeout() {
    return own.queueTimeout();
  }

  /** From the first admission to the last token; no end unless set. */
  @Override
  public @Nullable Duration runTimeout() {
    return own.runTimeout();
  }

  /** Target from the call to the first token, for policies that order by it. */
  @Override
  public @Nullable Duration ttftTarget() {
    return own.ttftTarget();
  }

  /** Equal seeds give equal answers on the same executor; drawn anew for each unless set. */
  @Override
  public @Nullable Long seed() {
    return own.seed();
  }

  /** Tokens before which nothing ends the answer; 0 unless set. */
  @Override
  public @Nullable Integer minOutputTokens() {
    return own.minOutputTokens();
  }

  /** Least probability relative to the most probable token's, in [0, 1]. */
  @Override
  public @Nullable Double minP() {
    return own.minP();
  }

  /** Divisor of the logits of tokens seen before, > 0. */
  @Override
  public @Nullable Double repetitionPenalty() {
    return own.repetitionPenalty();
  }

  /** Prefixes are shared with requests of the same salt alone; none unless set. */
  @Override
  public @Nullable String cacheSalt() {
    return own.cacheSalt();
  }

  /** The W3C trace context that spans of the request belong to. */
  @Override
  public @Nullable String traceParent() {
    return own.traceParent();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other)
        && other instanceof HeadwayChatOptions those
        && own.equals(those.own);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), own);
  }

  /** Makes options. One thread. */
  public static final class Builder extends DefaultToolCallingChatOptions.Builder<Builder>
      implements StructuredOutputChatOptions.Builder<Builder> {

    private @Nullable ToolChoice toolChoice;
    private @Nullable Boolean parallelToolCalls;
    private @Nullable String outputSchema;
    private @Nullable String tenant;
    private @Nullable Integer priority;
    private @Nullable Duration timeout;
    private @Nullable Duration queueTimeout;
    private @Nullable Duration runTimeout;
    private @Nullable Duration ttftTarget;
    private @Nullable Long seed;
    private @Nullable Integer minOutputTokens;
    private @Nullable Double minP;
    private @Nullable Double repetitionPenalty;
    private @Nullable String cacheSalt;
    private @Nullable String traceParent;

    private Builder() {}

    private Own own() {
      return new Own(
          toolChoice,
          parallelToolCalls,
          outputSchema,
          tenant,
          priority,
          timeout,
          queueTimeout,
          runTimeout,
          ttftTarget,
          seed,
          minOutputTokens,
          minP,
          repetitionPenalty,
          cacheSalt,
          traceParent);
    }

    private void set(Own own) {
      toolChoice = own.toolChoice();
      parallelToolCalls = own.parallelToolCalls();
      outputSchema = own.outputSchema();
      tenant = own.tenant();
      priority = own.priority();
      timeout = own.timeout();
      queueTimeout = own.queueTimeout();
      runTimeout = own.runTimeout();
      ttftTarget = own.ttftTarget();
      seed = own.seed();
      minOutputTokens = own.minOutputTokens();
      minP = own.minP();
      repetitionPenalty = own.repetitionPenalty();
      cacheSalt = own.cacheSalt();
      traceParent = own.traceParent();
    }

    private @Nullable List<ToolCallback> toolCallbacks() {
      return toolCallbacks;
    }

    private @Nullable Map<String, Object> toolContext() {
      return toolContext;
    }

    private @Nullable String modelName() {
      return model;
    }

    private @Nullable Double frequencyPenalty() {
      return frequencyPenalty;
    }

    private @Nullable Integer maxTokens() {
      return maxTokens;
    }

    private @Nullable Double presencePenalty() {
      return presencePenalty;
    }

    private @Nullable List<String> stopSequences() {
      return stopSequences;
    }

    private @Nullable Double temperature() {
      return temperature;
    }

    private @Nullable Integer topK() {
      return topK;
    }

    private @Nullable Double topP() {
      return topP;
    }

    /** Whether tools may, must or must not be called; {@link ToolChoice#AUTO} unless set. */
    public Builder toolChoice(@Nullable ToolChoice value) {
      toolChoice = value;
      return this;
    }

    /** Whether an answer may have several calls; true unless set. */
    public Builder parallelToolCalls(@Nullable Boolean value) {
      parallelToolCalls = value;
      return this;
    }

    /** The JSON schema that a grammar keeps the answer to; any text unless set. */
    @Override
    public Builder outputSchema(@Nullable String value) {
      outputSchema = value;
      return this;
    }

    /** The tenant that the request is accounted to. */
    public Builder tenant(@Nullable String value) {
      tenant = value;
      return this;
    }

    /** Smaller is more important; 0 unless set. */
    public Builder priority(@Nullable Integer value) {
      priority = value;
      return this;
    }

    /** From the call to the last token; no end unless set. */
    public Builder timeout(@Nullable Duration value) {
      timeout = value;
      return this;
    }

    /** From the call to the first admission; no end unless set. */
    public Builder queueTimeout(@Nullable Duration value) {
      queueTimeout = value;
      return this;
    }

    /** From the first admission to the last token; no end unless set. */
    public Builder runTimeout(@Nullable Duration value) {
      runTimeout = value;
      return this;
    }

    /** Target from the call to the first token, for policies that order by it. */
    public Builder ttftTarget(@Nullable Duration value) {
      ttftTarget = value;
      return this;
    }

    /** Equal seeds give equal answers on the same executor; drawn anew for each unless set. */
    public Builder seed(@Nullable Long value) {
      seed = value;
      return this;
    }

    /** Tokens before which nothing ends the answer; 0 unless set. */
    public Builder minOutputTokens(@Nullable Integer value) {
      minOutputTokens = value;
      return this;
    }

    /** Least probability relative to the most probable token's, in [0, 1]. */
    public Builder minP(@Nullable Double value) {
      minP = value;
      return this;
    }

    /** Divisor of the logits of tokens seen before, > 0. */
    public Builder repetitionPenalty(@Nullable Double value) {
      repetitionPenalty = value;
      return this;
    }

    /** Prefixes are shared with requests of the same salt alone; none unless set. */
    public Builder cacheSalt(@Nullable String value) {
      cacheSalt = value;
      return this;
    }

    /** The W3C trace context that spans of the request belong to. */
    public Builder traceParent(@Nullable String value) {
      traceParent = value;
      return this;
    }

    @Override
    public Builder clone() {
      final Builder copy = super.clone();
      copy.set(own());
      return copy;
    }

    /** Takes what others ask for, in front of what was set. */
    @Override
    public Builder combineWith(ChatOptions.Builder<?> others) {
      super.combineWith(others);
      if (others instanceof Builder those) {
        set(those.own().orElse(own()));
      }
      return this;
    }

    /** Makes them. What is not as it must be is refused with the prompt. */
    @Override
    public HeadwayChatOptions build() {
      return new HeadwayChatOptions(this);
    }
  }
}
