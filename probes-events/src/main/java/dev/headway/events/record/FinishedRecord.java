package dev.headway.events.record;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * FINISHED, type 12: a request ended.
 *
 * <pre>
 * 16  stepId      i64
 * 24  number      i64
 * 32  nowNs       i64
 * 40  reason      i32  code of finish_reason
 * 44  stopTokenId i32  -1 for none
 * 48  freedBlocks i32
 * 52  cause       text or none
 *
 *  since minor 1
 *  …  outputTokens i32
 * </pre>
 */
public final class FinishedRecord {

  private FinishedRecord() {}

  /** Writes the record. */
  public static void encode(
      RecordBuffer out,
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {
    out.begin(RecordType.FINISHED)
        .putLong(stepId)
        .putLong(request.number())
        .putLong(nowNs)
        .putInt(Labels.code(reason))
        .putInt(stopTokenId)
        .putInt(freedBlocks)
        .putText(Causes.text(cause))
        .putInt(request.outputTokens());
  }

  static void decode(RecordCursor in, Labels labels, JournalVisitor visitor) {
    in.seek(52);
    final String cause = in.nextNullableText();
    final int outputTokens = in.remaining() >= 4 ? in.nextCount() : -1;
    visitor.onFinished(
        new JournalVisitor.FinishedRequest(
            in.longAt(16),
            in.longAt(24),
            labels.word(Labels.FINISH_REASON, in.intAt(40)),
            in.intAt(44),
            cause,
            outputTokens,
            in.intAt(48),
            in.longAt(32)));
  }
}
