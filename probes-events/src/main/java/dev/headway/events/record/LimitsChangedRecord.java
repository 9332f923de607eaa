package dev.headway.events.record;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.probe.LimitsChangedEvent;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * LIMITS_CHANGED, type 23, since 2.5: the engine plans with other limits from the next step on.
 *
 * <pre>
 * 16  atNs    i64
 * 24  before  limits, 40 bytes
 * 64  after   limits, 40 bytes
 *
 * of limits:
 *  0  maxNumActiveSeqs           i32
 *  4  maxNumScheduledTokens      i32
 *  8  longPrefillTokenThreshold  i32
 * 12  maxNumPartialPrefills      i32
 * 16  maxLongPartialPrefills     i32
 * 20  maxNumQueuedReqs           i32
 * 24  maxNumQueuedTokens         i64
 * 32  watermark                  f64
 * </pre>
 *
 * @param atNs when
 * @param before the limits up to then
 * @param after the limits from then on
 */
public record LimitsChangedRecord(long atNs, Limits before, Limits after) {

  private static final int BEFORE = 24;
  private static final int AFTER = 64;

  /** Limits under the names that the start record has; 0 for none, as in {@link EngineLimits}. */
  public record Limits(
      int maxNumActiveSeqs,
      int maxNumScheduledTokens,
      int longPrefillTokenThreshold,
      int maxNumPartialPrefills,
      int maxLongPartialPrefills,
      int maxNumQueuedReqs,
      long maxNumQueuedTokens,
      double watermark) {

    /** The limits of an engine. */
    public static Limits of(EngineLimits limits) {
      final QueueLimits queue = limits.queueLimits();
      return new Limits(
          limits.maxNumActiveSeqs(),
          limits.maxNumScheduledTokens(),
          limits.longPrefillTokenThreshold(),
          limits.maxNumPartialPrefills(),
          limits.maxLongPartialPrefills(),
          queue.maxNumQueuedReqs(),
          queue.maxNumQueuedTokens(),
          limits.watermark());
    }

    /** The settings of a start record with these limits in place of its own. */
    public Map<String, String> in(Map<String, String> settings) {
      final Map<String, String> changed = new LinkedHashMap<>(settings);
      changed.put("maxNumActiveSeqs", String.valueOf(maxNumActiveSeqs));
      changed.put("maxNumScheduledTokens", String.valueOf(maxNumScheduledTokens));
      changed.put("longPrefillTokenThreshold", String.valueOf(longPrefillTokenThreshold));
      changed.put("maxNumPartialPrefills", String.valueOf(maxNumPartialPrefills));
      changed.put("maxLongPartialPrefills", String.valueOf(maxLongPartialPrefills));
      changed.put("maxNumQueuedReqs", String.valueOf(maxNumQueuedReqs));
      changed.put("maxNumQueuedTokens", String.valueOf(maxNumQueuedTokens));
      changed.put("watermark", String.valueOf(watermark));
      return changed;
    }

    private void put(RecordBuffer out) {
      out.putInt(maxNumActiveSeqs)
          .putInt(maxNumScheduledTokens)
          .putInt(longPrefillTokenThreshold)
          .putInt(maxNumPartialPrefills)
          .putInt(maxLongPartialPrefills)
          .putInt(maxNumQueuedReqs)
          .putLong(maxNumQueuedTokens)
          .putLong(Double.doubleToRawLongBits(watermark));
    }

    private static Limits read(RecordCursor in, int at) {
      return new Limits(
          in.intAt(at),
          in.intAt(at + 4),
          in.intAt(at + 8),
          in.intAt(at + 12),
          in.intAt(at + 16),
          in.intAt(at + 20),
          in.longAt(at + 24),
          Double.longBitsToDouble(in.longAt(at + 32)));
    }
  }

  /** The record of an event, without its bytes. */
  public static LimitsChangedRecord of(LimitsChangedEvent event) {
    return new LimitsChangedRecord(
        event.atNs(), Limits.of(event.oldLimits()), Limits.of(event.newLimits()));
  }

  static void encode(RecordBuffer out, LimitsChangedEvent event) {
    out.begin(RecordType.LIMITS_CHANGED).putLong(event.atNs());
    Limits.of(event.oldLimits()).put(out);
    Limits.of(event.newLimits()).put(out);
  }

  static LimitsChangedRecord decode(RecordCursor in) {
    return new LimitsChangedRecord(in.longAt(16), Limits.read(in, BEFORE), Limits.read(in, AFTER));
  }
}
