package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.FinishedEvent;
import org.jspecify.annotations.Nullable;

/**
 * FINISHED, type 12: a request ended.
 *
 * <pre>
 * 16  stepId        i64
 * 24  requestNumber i64
 * 32  atNs          i64
 * 40  reason        i32  code of finish_reason
 * 44  stopTokenId   i32  -1 for none
 * 48  freedBlocks   i32
 * 52  cause         text or none
 *
 *  since 1.1
 *  …  outputTokens  i32
 * </pre>
 *
 * @param stepId the step whose output ended it, or the latest planned one
 * @param stopTokenId the stop token that ended it, or absent
 * @param cause what failed, or null
 * @param outputTokens tokens generated; absent in a journal of schema 1.0
 * @param freedBlocks KV blocks it released
 */
public record FinishedRecord(
    long stepId,
    long requestNumber,
    String reason,
    long stopTokenId,
    @Nullable String cause,
    long outputTokens,
    int freedBlocks,
    long atNs) {

  /** The record of an event, without its bytes. */
  public static FinishedRecord of(FinishedEvent event) {
    return new FinishedRecord(
        event.stepId(),
        event.request().number(),
        event.reason().label(),
        event.stopTokenId(),
        ThrowableText.text(event.cause()),
        event.request().outputTokens(),
        event.freedBlocks(),
        event.atNs());
  }

  static void encode(RecordBuffer out, FinishedEvent event) {
    out.begin(RecordType.FINISHED)
        .putLong(event.stepId())
        .putLong(event.request().number())
        .putLong(event.atNs())
        .putInt(Labels.code(event.reason()))
        .putInt(event.stopTokenId() == ABSENT ? -1 : (int) event.stopTokenId())
        .putInt(event.freedBlocks())
        .putMessage(ThrowableText.text(event.cause()))
        .putInt(event.request().outputTokens());
  }

  static FinishedRecord decode(RecordCursor in, Labels labels) {
    in.seek(52);
    final String cause = in.nextNullableText();
    final int outputTokens = in.remaining() >= 4 ? in.nextCount() : -1;
    final int stopTokenId = in.intAt(44);
    return new FinishedRecord(
        in.longAt(16),
        in.longAt(24),
        labels.word(Labels.FINISH_REASON, in.intAt(40)),
        stopTokenId == -1 ? ABSENT : stopTokenId,
        cause,
        outputTokens < 0 ? ABSENT : outputTokens,
        in.intAt(48),
        in.longAt(32));
  }
}
