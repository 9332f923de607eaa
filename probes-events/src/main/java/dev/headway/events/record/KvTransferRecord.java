package dev.headway.events.record;

import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.request.RequestView;

/**
 * KV_TRANSFER, type 21: KV blocks move between tiers. Level full.
 *
 * <pre>
 * 16  transferId   i64
 * 24  number       i64  of the request, or -1
 * 32  stepId       i64
 * 40  nowNs        i64
 * 48  stage        i32  code of kv_transfer_stage
 * 52  blockCount   i32
 * 56  succeeded    i32  0 or 1
 * 60  sourceMedium text
 *  …  targetMedium text
 *  …  reason       text or none
 * </pre>
 */
public final class KvTransferRecord {

  private KvTransferRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, KvTransfer transfer, long nowNs) {
    final RequestView request = transfer.request();
    out.begin(RecordType.KV_TRANSFER)
        .putLong(transfer.transferId())
        .putLong(request == null ? -1 : request.number())
        .putLong(transfer.stepId())
        .putLong(nowNs)
        .putInt(Labels.code(transfer.stage()))
        .putInt(transfer.blockCount())
        .putInt(transfer.succeeded() ? 1 : 0)
        .putText(transfer.sourceMedium())
        .putText(transfer.targetMedium())
        .putText(transfer.reason());
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    in.seek(60);
    final String source = in.nextText();
    final String target = in.nextText();
    final String reason = in.nextNullableText();
    visitor.onKvTransfer(
        new JournalVisitor.MovedBlocks(
            labels.word(Labels.KV_TRANSFER_STAGE, in.intAt(48)),
            in.longAt(16),
            in.longAt(24),
            in.longAt(32),
            source,
            target,
            in.intAt(52),
            reason,
            in.intAt(56) != 0,
            in.longAt(40)));
  }
}
