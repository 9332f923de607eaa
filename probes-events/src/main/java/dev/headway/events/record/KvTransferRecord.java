package dev.headway.events.record;

import dev.headway.api.kvcache.KvTransfer;
import org.jspecify.annotations.Nullable;

/**
 * KV_TRANSFER, type 21: KV blocks move between tiers; see {@link KvTransfer}. Level full.
 *
 * <pre>
 * 16  transferId    i64
 * 24  requestNumber i64  or -1
 * 32  stepId        i64
 * 40  atNs          i64
 * 48  stage         i32  code of kv_transfer_stage
 * 52  blockCount    i32
 * 56  succeeded     i32  0 or 1
 * 60  sourceMedium  text
 *  …  targetMedium  text
 *  …  reason        text or none
 * </pre>
 *
 * @param requestNumber the request it is for, or absent
 */
public record KvTransferRecord(
    String stage,
    long transferId,
    long requestNumber,
    long stepId,
    String sourceMedium,
    String targetMedium,
    int blockCount,
    @Nullable String reason,
    boolean succeeded,
    long atNs) {

  /** The record of an event, without its bytes. */
  public static KvTransferRecord of(KvTransfer transfer) {
    return new KvTransferRecord(
        transfer.stage().label(),
        transfer.transferId(),
        Numbers.of(transfer.request()),
        transfer.stepId(),
        transfer.sourceMedium(),
        transfer.targetMedium(),
        transfer.blockCount(),
        transfer.reason(),
        transfer.succeeded(),
        transfer.atNs());
  }

  static void encode(RecordBuffer out, KvTransfer transfer) {
    out.begin(RecordType.KV_TRANSFER)
        .putLong(transfer.transferId())
        .putNumber(Numbers.of(transfer.request()))
        .putLong(transfer.stepId())
        .putLong(transfer.atNs())
        .putInt(Labels.code(transfer.stage()))
        .putInt(transfer.blockCount())
        .putInt(transfer.succeeded() ? 1 : 0)
        .putText(transfer.sourceMedium())
        .putText(transfer.targetMedium())
        .putText(transfer.reason());
  }

  static KvTransferRecord decode(RecordCursor in, Labels labels) {
    in.seek(60);
    final String source = in.nextText();
    final String target = in.nextText();
    final String reason = in.nextNullableText();
    return new KvTransferRecord(
        labels.word(Labels.KV_TRANSFER_STAGE, in.intAt(48)),
        in.longAt(16),
        in.numberAt(24),
        in.longAt(32),
        source,
        target,
        in.intAt(52),
        reason,
        in.intAt(56) != 0,
        in.longAt(40));
  }
}
