package dev.headway.events.record;

import dev.headway.api.schedule.ResetScope;

/**
 * CACHE_RESET, type 9: a prefix-cache reset began.
 *
 * <pre>
 * 16  nowNs i64
 * 24  scope i32  code of reset_scope
 * </pre>
 */
public final class CacheResetRecord {

  private CacheResetRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, ResetScope scope, long nowNs) {
    out.begin(RecordType.CACHE_RESET).putLong(nowNs).putInt(Labels.code(scope));
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    visitor.onCacheReset(labels.word(Labels.RESET_SCOPE, in.intAt(24)), in.longAt(16));
  }
}
