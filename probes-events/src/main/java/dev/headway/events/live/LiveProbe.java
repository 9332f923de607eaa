package dev.headway.events.live;

import dev.headway.events.record.EventRecorder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes the records of a running engine to consumers, through memory and on a separate thread: a
 * journal and its reader without the file. A consumer gets exactly the records that a journal of
 * the same level would contain.
 *
 * <p>On the engine thread an event costs one copy and no allocation, and never waits except with
 * {@link Overflow#BLOCK} or in virtual time. A consumer that throws is detached, counted and
 * logged; when none is left, events are counted as dropped. Closing the probe, which the engine
 * does, waits until the consumers have received all records and are closed, at most a minute.
 */
public final class LiveProbe extends EventRecorder {

  private final RingSink sink;
  private final Relay relay;

  private LiveProbe(LiveOptions options, RingSink sink, Relay relay) {
    super(options.level(), sink);
    this.sink = sink;
    this.relay = relay;
  }

  /**
   * Makes a probe for one engine; its thread starts with the run.
   *
   * @param consumers at least one; closed with the probe
   * @throws IllegalArgumentException if there is none
   */
  public static LiveProbe of(LiveOptions options, List<? extends RecordConsumer> consumers) {
    if (consumers.isEmpty()) {
      throw new IllegalArgumentException("a live probe must have a consumer: consumers=0");
    }
    final RecordRing ring = new RecordRing(options.ringBytes());
    final Relay relay = new Relay(ring, consumers, options.threads());
    return new LiveProbe(options, new RingSink(ring, relay, options.overflow()), relay);
  }

  /** Makes a probe with default options and one consumer. */
  public static LiveProbe of(RecordConsumer consumer) {
    return of(LiveOptions.DEFAULT, List.of(consumer));
  }

  /**
   * Asks something of the consumers between two records, when none of them is at work: on their
   * thread, before and after the run on the caller's. They know what happened before the question,
   * unless thousands of records are still under way. A question holds up the records behind it, so
   * it must be short. Any thread.
   *
   * @param question must not ask another and wait for it
   * @return completes with its answer, or with what it throws
   */
  public <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, relay::ask);
  }

  /** Records handed over so far. Any thread. */
  public long recordsWritten() {
    return sink.written();
  }

  /** Events without a record because the consumers were too slow, or all detached. Any thread. */
  public long recordsDropped() {
    return sink.dropped();
  }

  /** Consumers detached because they threw. Any thread. */
  public long consumersFailed() {
    return relay.failedConsumers();
  }
}
