package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.KvEventDialect;
import org.jspecify.annotations.Nullable;

/**
 * How KV events are published. Immutable.
 *
 * @param endpoint where, in ZeroMQ's notation; it is bound if it contains {@code *} or {@code ::}
 *     or is of ipc or inproc, and else connected to
 * @param replayEndpoint where subscribers ask for what they missed; null for nowhere
 * @param topic first frame of every message; may be empty
 * @param dialect how batches are laid out
 * @param dataParallelRank the engine's rank, from 0
 * @param queuedBatches batches that may wait for the publisher; more are dropped
 * @param replayedBatches batches kept for subscribers that missed them
 * @param highWaterMark messages that may wait for one subscriber; more are dropped
 */
public record KvEventsOptions(
    String endpoint,
    @Nullable String replayEndpoint,
    String topic,
    KvEventDialect dialect,
    int dataParallelRank,
    int queuedBatches,
    int replayedBatches,
    int highWaterMark) {

  private static final int DEFAULT_WAITING = 100_000;
  private static final int DEFAULT_REPLAYED = 10_000;

  /**
   * Checks the counts.
   *
   * @throws IllegalArgumentException naming the one that is out of range
   */
  public KvEventsOptions {
    requireAtLeast("dataParallelRank", dataParallelRank, 0);
    requireAtLeast("queuedBatches", queuedBatches, 1);
    requireAtLeast("replayedBatches", replayedBatches, 1);
    requireAtLeast("highWaterMark", highWaterMark, 1);
  }

  /** vLLM's defaults at an endpoint: no topic, no replay, arrays. */
  public static KvEventsOptions at(String endpoint) {
    return new KvEventsOptions(
        endpoint,
        null,
        "",
        KvEventDialect.ARRAY,
        0,
        DEFAULT_WAITING,
        DEFAULT_REPLAYED,
        DEFAULT_WAITING);
  }

  /** Returns this with replay. */
  public KvEventsOptions withReplay(@Nullable String value) {
    return new KvEventsOptions(
        endpoint,
        value,
        topic,
        dialect,
        dataParallelRank,
        queuedBatches,
        replayedBatches,
        highWaterMark);
  }

  /** Returns this with a topic. */
  public KvEventsOptions withTopic(String value) {
    return new KvEventsOptions(
        endpoint,
        replayEndpoint,
        value,
        dialect,
        dataParallelRank,
        queuedBatches,
        replayedBatches,
        highWaterMark);
  }

  /** Returns this with a dialect. */
  public KvEventsOptions withDialect(KvEventDialect value) {
    return new KvEventsOptions(
        endpoint,
        replayEndpoint,
        topic,
        value,
        dataParallelRank,
        queuedBatches,
        replayedBatches,
        highWaterMark);
  }

  /** Returns this with other bounds. */
  public KvEventsOptions withBounds(int queued, int replayed, int unsent) {
    return new KvEventsOptions(
        endpoint, replayEndpoint, topic, dialect, dataParallelRank, queued, replayed, unsent);
  }

  private static void requireAtLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be >= " + least + ": " + name + "=" + value);
    }
  }
}
