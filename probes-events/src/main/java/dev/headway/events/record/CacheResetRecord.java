package dev.headway.events.record;

import dev.headway.api.probe.CacheResetEvent;

/**
 * CACHE_RESET, type 9: a prefix-cache reset began.
 *
 * <pre>
 * 16  atNs  i64
 * 24  scope i32  code of reset_scope
 * </pre>
 *
 * @param scope {@code idle_only} or {@code preempt_running}
 */
public record CacheResetRecord(String scope, long atNs) {

  /** The record of an event, without its bytes. */
  public static CacheResetRecord of(CacheResetEvent event) {
    return new CacheResetRecord(Labels.wordOf(event.scope()), event.atNs());
  }

  static void encode(RecordBuffer out, CacheResetEvent event) {
    out.begin(RecordType.CACHE_RESET).putLong(event.atNs()).putInt(Labels.code(event.scope()));
  }

  static CacheResetRecord decode(RecordCursor in, Labels labels) {
    return new CacheResetRecord(labels.word(Labels.RESET_SCOPE, in.intAt(24)), in.longAt(16));
  }
}
