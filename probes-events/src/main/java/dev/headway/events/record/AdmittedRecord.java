package dev.headway.events.record;

import dev.headway.api.probe.AdmittedEvent;

/**
 * ADMITTED, type 4: a decision, a request was admitted.
 *
 * <pre>
 * 16  stepId           i64
 * 24  requestNumber    i64
 * 32  kind             i32  code of kind: new or resumed
 * 36  cachedTokens     i32
 * 40  evictedTokens    i32
 * 44  hostCachedTokens i32  since 1.2
 * 48  externalTokens   i32  since 2.5
 * 52  prefixHash       i64  since 2.8
 * </pre>
 *
 * @param kind {@code new} or {@code resumed}
 * @param cachedTokens tokens found in the prefix cache, in both tiers, or loaded from outside
 * @param hostCachedTokens those of them found in the host tier only, and loaded
 * @param externalTokens those of them that a KV connector has loaded
 * @param evictedTokens tokens of full blocks that it had computed and that are no longer there
 * @param prefixHash content hash of the last block that was found, as {@link KvStoredRecord} has
 *     it; 0 if there is none or it is not known
 */
public record AdmittedRecord(
    long stepId,
    long requestNumber,
    String kind,
    int cachedTokens,
    int hostCachedTokens,
    int externalTokens,
    int evictedTokens,
    long prefixHash) {

  /** One without a KV connector. */
  public AdmittedRecord(
      long stepId,
      long requestNumber,
      String kind,
      int cachedTokens,
      int hostCachedTokens,
      int evictedTokens) {
    this(stepId, requestNumber, kind, cachedTokens, hostCachedTokens, 0, evictedTokens, 0);
  }

  /** The record of an event, without its bytes. */
  public static AdmittedRecord of(AdmittedEvent event) {
    return new AdmittedRecord(
        event.stepId(),
        event.request().number(),
        Labels.wordOf(event.kind()),
        event.cachedTokens(),
        event.hostCachedTokens(),
        event.externalTokens(),
        event.evictedTokens(),
        event.prefixHash());
  }

  static void encode(RecordBuffer out, AdmittedEvent event) {
    out.begin(RecordType.ADMITTED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putInt(Labels.code(event.kind()))
        .putInt(event.cachedTokens())
        .putInt(event.evictedTokens())
        .putInt(event.hostCachedTokens())
        .putInt(event.externalTokens())
        .putLong(event.prefixHash());
  }

  static AdmittedRecord decode(RecordCursor in, Labels labels) {
    in.seek(44);
    final int hostCachedTokens = in.remaining() >= 4 ? in.nextCount() : 0;
    final int externalTokens = in.remaining() >= 4 ? in.nextCount() : 0;
    final long prefixHash = in.remaining() >= 8 ? in.nextLong() : 0;
    return new AdmittedRecord(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.KIND, in.intAt(32)),
        in.intAt(36),
        hostCachedTokens,
        externalTokens,
        in.intAt(40),
        prefixHash);
  }
}
