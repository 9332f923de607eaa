package dev.headway.server;

import dev.headway.http.BodyBudget;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a request may ask for. Immutable.
 *
 * @param maxBodyBytes longest body of a request
 * @param bodyMemoryBytes memory for all bodies that are being read, with what is made of them; one
 *     address gets half of it
 * @param maxMessages of a chat
 * @param maxStopTokenIds distinct ones
 * @param maxOutputTokens of all answers to one request; one answer may be as long as the context
 *     whatever this says
 * @param maxUnreadTokens tokens that may wait for a client that takes nothing
 * @param timeout from a request's arrival to its last token; null for no end
 * @param wishes what it may ask of the engine beside its answer
 */
public record RequestLimits(
    int maxBodyBytes,
    long bodyMemoryBytes,
    int maxMessages,
    int maxStopTokenIds,
    int maxOutputTokens,
    int maxUnreadTokens,
    @Nullable Duration timeout,
    WishLimits wishes) {

  private static final int HEAP_SHARE = 8;

  public RequestLimits {
    BodyBudget.requireRoom(maxBodyBytes, bodyMemoryBytes);
  }

  /**
   * Bodies of 8 MiB, an eighth of the heap for all of them (at least 16 MiB), 1,024 messages, 256
   * stop tokens, 131,072 tokens of answers, 4,096 tokens unread, 10 min.
   */
  public static RequestLimits ofHeap(long heapBytes) {
    final int bodyBytes = 8 << 20;
    return new RequestLimits(
        bodyBytes,
        Math.max(heapBytes / HEAP_SHARE, 2L * bodyBytes),
        1_024,
        256,
        131_072,
        4_096,
        Duration.ofMinutes(10),
        WishLimits.DEFAULT);
  }

  /** Returns these with other bodies; their memory holds two of them at least. */
  public RequestLimits withBodyBytes(int bytes) {
    return withBodies(bytes, Math.max(bodyMemoryBytes, 2L * bytes));
  }

  /**
   * Returns these with other bodies.
   *
   * @throws IllegalArgumentException unless the memory holds two of the longest
   */
  public RequestLimits withBodies(int bytes, long memoryBytes) {
    return new RequestLimits(
        bytes,
        memoryBytes,
        maxMessages,
        maxStopTokenIds,
        maxOutputTokens,
        maxUnreadTokens,
        timeout,
        wishes);
  }

  /** Returns these with other numbers. */
  public RequestLimits withNumbers(int messages, int stopTokenIds, int outputTokens) {
    return new RequestLimits(
        maxBodyBytes,
        bodyMemoryBytes,
        messages,
        stopTokenIds,
        outputTokens,
        maxUnreadTokens,
        timeout,
        wishes);
  }

  /** Returns these with another bound on what waits for a client. */
  public RequestLimits withUnreadTokens(int tokens) {
    return with(tokens, timeout, wishes);
  }

  /** Returns these with another time for answers; null for no end. */
  public RequestLimits withTimeout(@Nullable Duration longest) {
    return with(maxUnreadTokens, longest, wishes);
  }

  /** Returns these with other wishes. */
  public RequestLimits withWishes(WishLimits other) {
    return with(maxUnreadTokens, timeout, other);
  }

  private RequestLimits with(int unreadTokens, @Nullable Duration longest, WishLimits others) {
    return new RequestLimits(
        maxBodyBytes,
        bodyMemoryBytes,
        maxMessages,
        maxStopTokenIds,
        maxOutputTokens,
        unreadTokens,
        longest,
        others);
  }
}
