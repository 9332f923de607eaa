package dev.headway.langchain4j;

import dev.headway.api.schedule.WaitTimes;
import dev.langchain4j.model.chat.response.ChatResponseMetadata;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What an answer says of its request: what it waited for, when things happened, and how much of its
 * prompt was cached. Instants are nanoseconds of the engine's clock. Immutable.
 */
public final class HeadwayChatResponseMetadata extends ChatResponseMetadata {

  private final WaitTimes waits;
  private final int preemptions;
  private final long arrivalNs;
  private final OptionalLong queuedNs;
  private final OptionalLong scheduledNs;
  private final OptionalLong firstTokenNs;
  private final long finishedNs;
  private final OptionalInt cachedPromptTokens;

  private HeadwayChatResponseMetadata(Builder builder) {
    super(builder);
    this.waits = builder.waits;
    this.preemptions = builder.preemptions;
    this.arrivalNs = builder.arrivalNs;
    this.queuedNs = builder.queuedNs;
    this.scheduledNs = builder.scheduledNs;
    this.firstTokenNs = builder.firstTokenNs;
    this.finishedNs = builder.finishedNs;
    this.cachedPromptTokens = builder.cachedPromptTokens;
  }

  /** Begins to make metadata. */
  public static Builder builder() {
    return new Builder();
  }

  /** How long the request waited in the queue, by reason, as the scheduler decided it. */
  public WaitTimes waits() {
    return waits;
  }

  /** How often it was preempted. */
  public int preemptions() {
    return preemptions;
  }

  /** When it was asked for, before its prompt was made. */
  public long arrivalNs() {
    return arrivalNs;
  }

  /** When it was in the waiting queue; only of models with {@code engineTimes}. */
  public OptionalLong queuedNs() {
    return queuedNs;
  }

  /** When its first step was planned; only of models with {@code engineTimes}. */
  public OptionalLong scheduledNs() {
    return scheduledNs;
  }

  /** When its first token was there; empty if it has none. */
  public OptionalLong firstTokenNs() {
    return firstTokenNs;
  }

  /** When the engine ended it. */
  public long finishedNs() {
    return finishedNs;
  }

  /**
   * Tokens of its prompt that the prefix cache had, of {@code tokenUsage().inputTokenCount()}; only
   * of models with {@code engineTimes}.
   */
  public OptionalInt cachedPromptTokens() {
    return cachedPromptTokens;
  }

  @Override
  public ChatResponseMetadata.Builder<?> toBuilder() {
    return toBuilder(
        builder()
            .waits(waits, preemptions)
            .arrivalNs(arrivalNs)
            .queued(queuedNs, scheduledNs, cachedPromptTokens)
            .firstTokenNs(firstTokenNs)
            .finishedNs(finishedNs));
  }

  private Object[] own() {
    return new Object[] {
      waits.byReason(),
      preemptions,
      arrivalNs,
      queuedNs,
      scheduledNs,
      firstTokenNs,
      finishedNs,
      cachedPromptTokens
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other)
        && other instanceof HeadwayChatResponseMetadata those
        && Arrays.equals(own(), those.own());
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), Arrays.hashCode(own()));
  }

  @Override
  public String toString() {
    return "HeadwayChatResponseMetadata{"
        + super.toString()
        + ", waits="
        + waits
        + ", preemptions="
        + preemptions
        + ", arrivalNs="
        + arrivalNs
        + ", queuedNs="
        + queuedNs
        + ", scheduledNs="
        + scheduledNs
        + ", firstTokenNs="
        + firstTokenNs
        + ", finishedNs="
        + finishedNs
        + ", cachedPromptTokens="
        + cachedPromptTokens
        + "}";
  }

  /** Makes metadata. One thread. */
  public static final class Builder extends ChatResponseMetadata.Builder<Builder> {

    private WaitTimes waits = WaitTimes.NONE;
    private int preemptions;
    private long arrivalNs;
    private OptionalLong queuedNs = OptionalLong.empty();
    private OptionalLong scheduledNs = OptionalLong.empty();
    private OptionalLong firstTokenNs = OptionalLong.empty();
    private long finishedNs;
    private OptionalInt cachedPromptTokens = OptionalInt.empty();

    private Builder() {}

    /** What it waited for, and how often it was preempted. */
    public Builder waits(WaitTimes times, int preempted) {
      waits = times;
      preemptions = preempted;
      return this;
    }

    /** When it was asked for. */
    public Builder arrivalNs(long ns) {
      arrivalNs = ns;
      return this;
    }

    /** What the engine's probe knows of it. */
    public Builder queued(OptionalLong queued, OptionalLong scheduled, OptionalInt cachedTokens) {
      queuedNs = queued;
      scheduledNs = scheduled;
      cachedPromptTokens = cachedTokens;
      return this;
    }

    /** When its first token was there. */
    public Builder firstTokenNs(OptionalLong ns) {
      firstTokenNs = ns;
      return this;
    }

    /** When the engine ended it. */
    public Builder finishedNs(long ns) {
      finishedNs = ns;
      return this;
    }

    /** Makes it. */
    @Override
    public HeadwayChatResponseMetadata build() {
      return new HeadwayChatResponseMetadata(this);
    }
  }
}
