package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.DecodedBatch;
import dev.headway.routing.kvevents.codec.KvEventDecoder;
import dev.headway.routing.kvevents.codec.KvEventFormatException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Makes the messages of one publisher, of which some may be missing, late or repeated, one gapless
 * sequence of batches for a {@link KvEventSink}. One thread.
 *
 * <ul>
 *   <li>The next number is applied.
 *   <li>A number that was seen with the same bytes is a repetition and ignored.
 *   <li>A number that was seen with other bytes, or is lower than all that is remembered, is of a
 *       publisher that was started again: the sink is reset.
 *   <li>A gap, or a connection made again, is bridged by a replay that begins with the last message
 *       applied. If that is not in it as it was applied, the publisher is another one, or has
 *       forgotten too much: the sink is reset and everything the publisher has is applied.
 * </ul>
 *
 * <p>So the sink never has what the publisher's engine does not, as far as its messages say, and
 * has all of it unless messages were lost for good.
 */
public final class KvEventStream {

  private static final long NONE = -1;
  private static final int REMEMBERED = 1 << 14;

  private final KvEventSink sink;
  private final KvReplay replay;
  private final long[] digests = new long[REMEMBERED];
  private long first = NONE;
  private long last = NONE;
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final AtomicLong replays = new AtomicLong();
  private final AtomicLong resets = new AtomicLong();
  private final AtomicLong unreadable = new AtomicLong();

  /** Feeds {@code sink}; asks {@code replay} for what is missing. */
  public KvEventStream(KvEventSink sink, KvReplay replay) {
    this.sink = sink;
    this.replay = replay;
  }

  /** A message came. */
  public void receive(KvMessage message) {
    final long sequence = message.sequence();
    if (sequence == last + 1) {
      apply(message);
    } else if (isRepetition(message)) {
      repeated.incrementAndGet();
    } else if (last != NONE && sequence <= last) {
      startAnew(message);
    } else {
      recover(ask());
      if (sequence > last) {
        if (last != NONE && sequence != last + 1) {
          reset();
        }
        apply(message);
      }
    }
  }

  /** The connection was lost and made again: the publisher may be another one by now. */
  public void reconnected() {
    recover(ask());
  }

  /** Nothing came for a while: what was lost last shows no gap. Without an answer all stays. */
  public void idle() {
    final List<KvMessage> messages = ask();
    if (messages != null) {
      recover(messages);
    }
  }

  /** Asks for the last message applied and those behind it. */
  private @Nullable List<KvMessage> ask() {
    replays.incrementAndGet();
    return replay.from(last == NONE ? 0 : last);
  }

  /** Closes a gap as far as the publisher can. */
  private void recover(@Nullable List<KvMessage> messages) {
    if (last == NONE) {
      applyAll(messages);
    } else if (messages != null && !messages.isEmpty() && isRepetition(messages.get(0))) {
      applyAll(messages.subList(1, messages.size()));
    } else {
      reset();
      applyAll(ask());
    }
  }

  private void startAnew(KvMessage message) {
    reset();
    recover(ask());
    if (last == NONE || message.sequence() == last + 1) {
      apply(message);
    } else if (message.sequence() > last) {
      reset();
      apply(message);
    }
  }

  private void applyAll(@Nullable List<KvMessage> messages) {
    if (messages == null) {
      return;
    }
    for (KvMessage message : messages) {
      if (last != NONE && message.sequence() != last + 1) {
        reset(); // a replay with a hole in it
      }
      apply(message);
    }
  }

  private boolean isRepetition(KvMessage message) {
    final long sequence = message.sequence();
    return last != NONE
        && sequence >= Math.max(first, last - REMEMBERED + 1)
        && sequence <= last
        && digests[(int) (sequence % REMEMBERED)] == digest(message.payload());
  }

  private void apply(KvMessage message) {
    if (last == NONE) {
      first = message.sequence();
    }
    last = message.sequence();
    digests[(int) (last % REMEMBERED)] = digest(message.payload());
    try {
      final DecodedBatch decoded = KvEventDecoder.decode(message.payload());
      unreadable.addAndGet(decoded.badEvents());
      sink.apply(decoded.batch());
      applied.incrementAndGet();
    } catch (KvEventFormatException e) {
      unreadable.incrementAndGet();
    }
  }

  private void reset() {
    first = NONE;
    last = NONE;
    resets.incrementAndGet();
    sink.reset();
  }

  private static long digest(byte[] payload) {
    final CRC32C crc = new CRC32C();
    crc.update(payload);
    return (crc.getValue() << Integer.SIZE) | (Arrays.hashCode(payload) & 0xffff_ffffL);
  }

  /** Batches applied. Any thread. */
  public long applied() {
    return applied.get();
  }

  /** Messages ignored as repetitions. Any thread. */
  public long repeated() {
    return repeated.get();
  }

  /** How often a replay was asked for. Any thread. */
  public long replays() {
    return replays.get();
  }

  /** How often all was forgotten. Any thread. */
  public long resets() {
    return resets.get();
  }

  /** Batches and events that could not be read. Any thread. */
  public long unreadable() {
    return unreadable.get();
  }
}
