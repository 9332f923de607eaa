package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyParameters;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.DefaultChatRequestParameters;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a request can ask of an engine beside the parameters that LangChain4j has for all models.
 * What is null is not asked for: the model's default holds, then the engine's. Immutable.
 */
public final class HeadwayChatRequestParameters extends DefaultChatRequestParameters
    implements ReplyParameters {

  /** Asks for nothing. */
  public static final HeadwayChatRequestParameters EMPTY = builder().build();

  private final @Nullable String tenant;
  private final @Nullable Integer priority;
  private final @Nullable Duration timeout;
  private final @Nullable Duration queueTimeout;
  private final @Nullable Duration runTimeout;
  private final @Nullable Duration ttftTarget;
  private final @Nullable Long seed;
  private final @Nullable Integer minOutputTokens;
  private final @Nullable Double minP;
  private final @Nullable Double repetitionPenalty;
  private final @Nullable String cacheSalt;
  private final @Nullable String traceParent;
  private final @Nullable Boolean parallelToolCalls;

  private HeadwayChatRequestParameters(Builder builder) {
    super(builder);
    this.tenant = builder.tenant;
    this.priority = builder.priority;
    this.timeout = builder.timeout;
    this.queueTimeout = builder.queueTimeout;
    this.runTimeout = builder.runTimeout;
    this.ttftTarget = builder.ttftTarget;
    this.seed = builder.seed;
    this.minOutputTokens = builder.minOutputTokens;
    this.minP = builder.minP;
    this.repetitionPenalty = builder.repetitionPenalty;
    this.cacheSalt = builder.cacheSalt;
    this.traceParent = builder.traceParent;
    this.parallelToolCalls = builder.parallelToolCalls;
  }

  /** Begins to make parameters. */
  public static Builder builder() {
    return new Builder();
  }

  /** The tenant that the request is accounted to. */
  @Override
  public @Nullable String tenant() {
    return tenant;
  }

  /** Smaller is more important; 0 unless set. */
  @Override
  public @Nullable Integer priority() {
    return priority;
  }

  /** From the call to the last token; no end unless set. */
  @Override
  public @Nullable Duration timeout() {
    return timeout;
  }

  /** From the call to the first admission; no end unless set. */
  @Override
  public @Nullable Duration queueTimeout() {
    return queueTimeout;
  }

  /** From the first admission to the last token; no end unless set. */
  @Override
  public @Nullable Duration runTimeout() {
    return runTimeout;
  }

  /** Target from the call to the first token, for policies that order by it. */
  @Override
  public @Nullable Duration ttftTarget() {
    return ttftTarget;
  }

  /**
   * Equal seeds give equal answers on the same executor; drawn anew for each request unless set.
   */
  @Override
  public @Nullable Long seed() {
    return seed;
  }

  /** Tokens before which nothing ends the answer; 0 unless set. */
  @Override
  public @Nullable Integer minOutputTokens() {
    return minOutputTokens;
  }

  /** Least probability relative to the most probable token's, in [0, 1]. */
  @Override
  public @Nullable Double minP() {
    return minP;
  }

  /** Divisor of the logits of tokens seen before, > 0. */
  @Override
  public @Nullable Double repetitionPenalty() {
    return repetitionPenalty;
  }

  /** Prefixes are shared with requests of the same salt alone; none unless set. */
  @Override
  public @Nullable String cacheSalt() {
    return cacheSalt;
  }

  /** The W3C trace context that spans of the request belong to. */
  @Override
  public @Nullable String traceParent() {
    return traceParent;
  }

  /** Whether an answer may have several calls; true unless set. */
  public @Nullable Boolean parallelToolCalls() {
    return parallelToolCalls;
  }

  /**
   * Returns these with what the others ask for in front.
   *
   * @throws UnsupportedFeatureException if those are of another provider, whose own parameters
   *     would be lost
   */
  @Override
  public HeadwayChatRequestParameters overrideWith(ChatRequestParameters others) {
    return builder().overrideWith(this).overrideWith(others).build();
  }

  /** Returns these with what the others ask for behind. */
  @Override
  public HeadwayChatRequestParameters defaultedBy(ChatRequestParameters others) {
    return builder().overrideWith(others).overrideWith(this).build();
  }

  private Object[] own() {
    return new Object[] {
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
      traceParent,
      parallelToolCalls
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other)
        && other instanceof HeadwayChatRequestParameters those
        && Arrays.equals(own(), those.own());
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), Arrays.hashCode(own()));
  }

  @Override
  public String toString() {
    return "HeadwayChatRequestParameters{"
        + super.toString()
        + ", tenant="
        + tenant
        + ", priority="
        + priority
        + ", timeout="
        + timeout
        + ", queueTimeout="
        + queueTimeout
        + ", runTimeout="
        + runTimeout
        + ", ttftTarget="
        + ttftTarget
        + ", seed="
        + seed
        + ", minOutputTokens="
        + minOutputTokens
        + ", minP="
        + minP
        + ", repetitionPenalty="
        + repetitionPenalty
        + ", cacheSalt="
        + cacheSalt
        + ", traceParent="
        + traceParent
        + ", parallelToolCalls="
        + parallelToolCalls
        + "}";
  }

  /** Makes parameters. One thread. */
  public static final class Builder extends DefaultChatRequestParameters.Builder<Builder> {

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
    private @Nullable Boolean parallelToolCalls;

    private Builder() {}

    /**
     * Takes what others ask for, in front of what was set.
     *
     * @throws UnsupportedFeatureException if those are of another provider
     */
    @Override
    public Builder overrideWith(ChatRequestParameters others) {
      if (others.getClass() != DefaultChatRequestParameters.class
          && !(others instanceof HeadwayChatRequestParameters)) {
        throw new UnsupportedFeatureException(
            "parameters of another provider are not supported, HeadwayChatRequestParameters are:"
                + " class="
                + others.getClass().getName());
      }
      super.overrideWith(others);
      if (others instanceof HeadwayChatRequestParameters those) {
        tenant = those.tenant == null ? tenant : those.tenant;
        priority = those.priority == null ? priority : those.priority;
        timeout = those.timeout == null ? timeout : those.timeout;
        queueTimeout = those.queueTimeout == null ? queueTimeout : those.queueTimeout;
        runTimeout = those.runTimeout == null ? runTimeout : those.runTimeout;
        ttftTarget = those.ttftTarget == null ? ttftTarget : those.ttftTarget;
        seed = those.seed == null ? seed : those.seed;
        minOutputTokens = those.minOutputTokens == null ? minOutputTokens : those.minOutputTokens;
        minP = those.minP == null ? minP : those.minP;
        repetitionPenalty =
            those.repetitionPenalty == null ? repetitionPenalty : those.repetitionPenalty;
        cacheSalt = those.cacheSalt == null ? cacheSalt : those.cacheSalt;
        traceParent = those.traceParent == null ? traceParent : those.traceParent;
        parallelToolCalls =
            those.parallelToolCalls == null ? parallelToolCalls : those.parallelToolCalls;
      }
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

    /**
     * Equal seeds give equal answers on the same executor; drawn anew for each request unless set.
     */
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

    /** Whether an answer may have several calls; true unless set. */
    public Builder parallelToolCalls(@Nullable Boolean value) {
      parallelToolCalls = value;
      return this;
    }

    /** Makes them. What is not as it must be is refused with the request. */
    @Override
    public HeadwayChatRequestParameters build() {
      return new HeadwayChatRequestParameters(this);
    }
  }
}
