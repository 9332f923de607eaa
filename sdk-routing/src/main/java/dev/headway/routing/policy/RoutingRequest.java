package dev.headway.routing.policy;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a router knows of one attempt to serve a request: each attempt has an object of its own, by
 * which policies keep what they expect of it. Immutable; arrays are kept, not copied, and must not
 * change.
 */
public final class RoutingRequest {

  private static final int[] NO_TOKENS = {};

  private final String requestId;
  private final @Nullable String model;
  private final int @Nullable [] tokens;
  private final @Nullable String text;
  private final int promptUnits;
  private final int maxTokens;
  private final @Nullable String routingKey;
  private final @Nullable String targetWorker;
  private final int priority;
  private final int attempt;
  private final Set<String> excluded;
  private final long nowNs;

  private RoutingRequest(Builder builder) {
    requestId = builder.requestId;
    model = builder.model;
    tokens = builder.tokens;
    text = builder.text;
    promptUnits = unitsOf(builder.tokens, builder.text);
    maxTokens = builder.maxTokens;
    routingKey = builder.routingKey;
    targetWorker = builder.targetWorker;
    priority = builder.priority;
    attempt = builder.attempt;
    excluded = builder.excluded;
    nowNs = builder.nowNs;
  }

  private static int unitsOf(int @Nullable [] tokens, @Nullable String text) {
    if (tokens != null) {
      return tokens.length;
    }
    return text == null ? 0 : text.codePointCount(0, text.length());
  }

  /** Begins a request. */
  public static Builder builder(String requestId) {
    return new Builder(requestId);
  }

  /** The request's id, the same for every attempt. */
  public String requestId() {
    return requestId;
  }

  /** The model asked for; null if any worker will do. */
  public @Nullable String model() {
    return model;
  }

  /** Whether the prompt is known as token ids. */
  public boolean hasTokens() {
    return tokens != null;
  }

  /** The prompt as token ids, empty unless {@link #hasTokens}. Not to be changed. */
  public int[] tokens() {
    return tokens == null ? NO_TOKENS : tokens;
  }

  /** The prompt as text; null if it is not known, or known as tokens. */
  public @Nullable String text() {
    return text;
  }

  /** Length of the prompt: tokens, or else code points of its text; 0 if neither is known. */
  public int promptUnits() {
    return promptUnits;
  }

  /** Tokens of the prompt: counted, or taken as a quarter of the text's code points. */
  public int promptTokens() {
    return tokens != null ? tokens.length : (promptUnits() + 3) / 4;
  }

  /** Most tokens of the answer; 0 if unknown. */
  public int maxTokens() {
    return maxTokens;
  }

  /** What requests that belong together have in common, for example a session; null for none. */
  public @Nullable String routingKey() {
    return routingKey;
  }

  /** Id of the one worker that may serve it; null for any. */
  public @Nullable String targetWorker() {
    return targetWorker;
  }

  /** Its priority, smaller is sooner. */
  public int priority() {
    return priority;
  }

  /** The attempt, from 0. */
  public int attempt() {
    return attempt;
  }

  /** Ids of workers that failed it before. */
  public Set<String> excluded() {
    return excluded;
  }

  /** When the decision is made, on the router's clock. */
  public long nowNs() {
    return nowNs;
  }

  /** Collects what is known of a request; everything but its id is optional. */
  public static final class Builder {
    private final String requestId;
    private @Nullable String model;
    private int @Nullable [] tokens;
    private @Nullable String text;
    private int maxTokens;
    private @Nullable String routingKey;
    private @Nullable String targetWorker;
    private int priority;
    private int attempt;
    private Set<String> excluded = Set.of();
    private long nowNs;

    private Builder(String requestId) {
      this.requestId = requestId;
    }

    /** Sets the model asked for. */
    public Builder model(@Nullable String value) {
      model = value;
      return this;
    }

    /** Sets the prompt's token ids, which are kept and must not change. */
    public Builder tokens(int... value) {
      tokens = value;
      return this;
    }

    /** Sets the prompt's text. */
    public Builder text(@Nullable String value) {
      text = value;
      return this;
    }

    /** Sets the most tokens of the answer. */
    public Builder maxTokens(int value) {
      maxTokens = value;
      return this;
    }

    /** Sets what requests that belong together have in common. */
    public Builder routingKey(@Nullable String value) {
      routingKey = value;
      return this;
    }

    /** Sets the one worker that may serve it. */
    public Builder targetWorker(@Nullable String value) {
      targetWorker = value;
      return this;
    }

    /** Sets its priority, smaller is sooner. */
    public Builder priority(int value) {
      priority = value;
      return this;
    }

    /** Sets the attempt, from 0. */
    public Builder attempt(int value) {
      attempt = value;
      return this;
    }

    /** Sets the ids of workers that failed it before. */
    public Builder excluded(Set<String> value) {
      excluded = Set.copyOf(value);
      return this;
    }

    /** Sets when the decision is made, on the router's clock. */
    public Builder nowNs(long value) {
      nowNs = value;
      return this;
    }

    /** Makes the request. */
    public RoutingRequest build() {
      return new RoutingRequest(this);
    }
  }
}
