package dev.headway.events.record;

/** KV_CLEARED, type 16: everything cached was forgotten. Level full; no payload. */
public final class KvClearedRecord {

  private KvClearedRecord() {}

  /** Writes the record. */
  static void encode(RecordBuffer out) {
    out.begin(RecordType.KV_CLEARED);
  }
}
