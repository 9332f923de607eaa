package dev.headway.api.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long the prefix cache is to keep the blocks of a request once no request holds them: a
 * priority for each range of its tokens, for a time, as TensorRT-LLM's {@code
 * KvCacheRetentionConfig}.
 *
 * <p>A block that is needed is taken from those of the lowest priority, and of these the one that
 * was held longest ago. Blocks have {@value #DEFAULT_PRIORITY} unless a request asks for another;
 * the last request that asks decides, also for blocks that it shares. A block's range is that of
 * its first token.
 *
 * {@snippet :
 * KvCacheRetention.builder()
 *     .tokens(0, 1_200, 90, Duration.ofMinutes(10)) // system prompt and tools
 *     .decode(KvCacheRetention.DROP) // what is generated is not asked for again
 *     .build();
 * }
 *
 * <p>Immutable; any thread.
 */
public final class KvCacheRetention {

  /** Priority of blocks that no request asks another for. */
  public static final int DEFAULT_PRIORITY = 35;

  /** The highest priority: given up when there is nothing else left. */
  public static final int MAX_PRIORITY = 100;

  /** The lowest priority: given up before anything else. */
  public static final int DROP = 0;

  /**
   * Not given up while it lasts, not even for a running request, which is then preempted. Pinned
   * blocks are not free. As many can be pinned as leave room for one request of {@code
   * maxModelLen}; further ones get {@value #MAX_PRIORITY}. All pins are given up when a request
   * lacks blocks although no other holds any.
   */
  public static final int PINNED = 101;

  /** {@link Range#durationNs} of what has no end. */
  public static final long NO_END = Long.MAX_VALUE;

  /** Most ranges of a request. */
  public static final int MAX_RANGES = 64;

  private final List<Range> ranges;
  private final @Nullable Range decode;

  private KvCacheRetention(Builder builder) {
    ranges = List.copyOf(builder.ranges);
    decode = builder.decode;
  }

  /** Starts without any wish. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns one priority for all tokens, prompt and outputs, without an end. */
  public static KvCacheRetention of(int priority) {
    return builder().tokens(0, Integer.MAX_VALUE, priority).decode(priority).build();
  }

  /** Returns one priority for all tokens, prompt and outputs, for a time after their last use. */
  public static KvCacheRetention of(int priority, Duration duration) {
    return builder()
        .tokens(0, Integer.MAX_VALUE, priority, duration)
        .decode(priority, duration)
        .build();
  }

  /**
   * Returns the range that a token belongs to, or null if nothing is asked for it. O(ranges);
   * allocates nothing.
   *
   * @param token its position, from 0
   * @param promptTokens tokens of the prompt; those behind are decoded
   */
  public @Nullable Range rangeOf(int token, int promptTokens) {
    if (token >= promptTokens) {
      return decode;
    }
    for (int i = 0; i < ranges.size(); i++) {
      final Range range = ranges.get(i);
      if (token >= range.fromToken && token < range.toToken) {
        return range;
      }
    }
    return null;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvCacheRetention that
        && ranges.equals(that.ranges)
        && Objects.equals(decode, that.decode);
  }

  @Override
  public int hashCode() {
    return Objects.hash(ranges, decode);
  }

  @Override
  public String toString() {
    return "KvCacheRetention[ranges=" + ranges + ", decode=" + decode + "]";
  }

  /**
   * What is asked for a range of tokens.
   *
   * @param fromToken position of the first, from 0
   * @param toToken position behind the last
   * @param priority in [{@value #DROP}, {@value #MAX_PRIORITY}], or {@link #PINNED}
   * @param durationNs nanoseconds after the last request gave a block back until it has {@value
   *     #DEFAULT_PRIORITY} again, >= 1; {@link #NO_END} for no end
   */
  public record Range(int fromToken, int toToken, int priority, long durationNs) {

    /** Validates the components. */
    public Range {
      if (fromToken < 0 || toToken <= fromToken) {
        throw new IllegalArgumentException(
            "a range must begin at >= 0 and have tokens: fromToken="
                + fromToken
                + ", toToken="
                + toToken);
      }
      if (priority < DROP || priority > PINNED) {
        throw new IllegalArgumentException(
            "priority must be in [" + DROP + ", " + MAX_PRIORITY + "]: priority=" + priority);
      }
      if (durationNs < 1) {
        throw new IllegalArgumentException("durationNs must be >= 1: durationNs=" + durationNs);
      }
    }
  }

  /** Collects wishes. Not thread-safe. */
  public static final class Builder {

    private final List<Range> ranges = new ArrayList<>();
    private @Nullable Range decode;

    private Builder() {}

    /**
     * A priority for the prompt's tokens in [{@code fromToken}, {@code toToken}), without an end.
     * Where ranges overlap, the first one counts.
     *
     * @throws IllegalArgumentException if a figure is not possible or there are too many ranges
     */
    public Builder tokens(int fromToken, int toToken, int priority) {
      return add(new Range(fromToken, toToken, priority, NO_END));
    }

    /**
     * As {@link #tokens(int, int, int)}, for a time after a block was given back.
     *
     * @throws IllegalArgumentException if a figure is not possible or there are too many ranges
     */
    public Builder tokens(int fromToken, int toToken, int priority, Duration duration) {
      return add(new Range(fromToken, toToken, priority, duration.toNanos()));
    }

    private Builder add(Range range) {
      if (ranges.size() == MAX_RANGES) {
        throw new IllegalArgumentException(
            "there must be at most " + MAX_RANGES + " ranges: range=" + range);
      }
      ranges.add(range);
      return this;
    }

    /** A priority for the outputs, without an end. */
    public Builder decode(int priority) {
      decode = new Range(0, Integer.MAX_VALUE, priority, NO_END);
      return this;
    }

    /** A priority for the outputs, for a time after a block was given back. */
    public Builder decode(int priority, Duration duration) {
      decode = new Range(0, Integer.MAX_VALUE, priority, duration.toNanos());
      return this;
    }

    /** Returns the retention. */
    public KvCacheRetention build() {
      return new KvCacheRetention(this);
    }
  }
}
