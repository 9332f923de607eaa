package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.FirstOfKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/**
 * STEP_COMPLETED, type 13: what came of a step.
 *
 * <pre>
 *  16  stepId                    i64
 *  24  submitNs                  i64
 *  32  outputNs                  i64
 *  40  endNs                     i64
 *  48  prepareNs                 i64  smallest i64 if not measured; so the next four
 *  56  forwardNs                 i64
 *  64  sampleNs                  i64
 *  72  deviceMemoryUsedBytes     i64
 *  80  deviceUtilizationPermille i64
 *  88  producedTotal             i32
 *  92  executed                  i32  0 or 1; since 2.2 plus 2 if it was the first of its kind,
 *                                     plus 4 if it was not
 *  96  batchSize                 i32
 * 100  producedBytes             i32  -1 not recorded, 0 every entry has producedEach, 1 or 4
 * 104  producedEach              i32
 * 108  producedTokens            batchSize times producedBytes, u8 or i32
 *   …  failure                   text or none
 *
 *  since 1.1
 *   …  drafts                    i32  entries with draft tokens
 *   …  draftTokens               i32
 *   …  acceptedTokens            i32  of those
 *
 *  since 2.1, only where it is not the time from beginNs to endNs of the plan
 *   …  scheduleNs                i64  that scheduling took on the machine, in virtual time
 *
 *  since 2.5, only where drafts were accepted; scheduleNs comes before it then, smallest i64 for none
 *   …  positions                 i32  at which any was
 *   …  acceptedTokens            i32  for each position
 *
 *  since 2.7, only where known; scheduleNs and positions come before it then, the latter may be 0
 *   …  activatedExperts          i64  summed over the layers
 * </pre>
 */
public final class StepCompletedRecord {

  static final int PRODUCED_OFFSET = 108;

  static final int EXECUTED = 1;
  private static final int FIRST = 2;
  private static final int NOT_FIRST = 4;
  private static final int TOTAL_OFFSET = 88;
  private static final int PRODUCED_BYTES_OFFSET = 100;

  private StepCompletedRecord() {}

  /** Writes the record without figures per entry. */
  static void encodeSummary(RecordBuffer out, StepCompletedEvent result, DraftCounts counts) {
    header(out, result);
    int total = 0;
    final int size = result.plan().size();
    for (int entry = 0; entry < size; entry++) {
      total += result.plan().producedTokens(entry);
    }
    RecordBuffer.I32.set(out.array(), TOTAL_OFFSET, total);
    putTail(out, result, counts);
  }

  /** Writes the record with the tokens produced per entry. */
  static void encode(RecordBuffer out, StepCompletedEvent result, DraftCounts counts) {
    final int size = result.plan().size();
    if (size > PlannedRecord.MAX_ENTRIES) {
      encodeSummary(out, result, counts);
      return;
    }
    header(out, result);
    final int start = out.reserve(size);
    final int width = putProduced(out.array(), start, result, size);
    if (width != 1) {
      out.rewind(start);
    }
    if (width == 4) {
      for (int entry = 0; entry < size; entry++) {
        out.putInt(result.plan().producedTokens(entry));
      }
    }
    RecordBuffer.I32.set(out.array(), PRODUCED_BYTES_OFFSET, width);
    putTail(out, result, counts);
  }

  private static void header(RecordBuffer out, StepCompletedEvent result) {
    final StepOutput output = result.output();
    out.begin(RecordType.STEP_COMPLETED)
        .putLong(result.plan().stepId())
        .putLong(result.submitNs())
        .putLong(result.outputNs())
        .putLong(result.endNs())
        .putLong(output.prepareNs())
        .putLong(output.forwardNs())
        .putLong(output.sampleNs())
        .putLong(output.deviceMemoryUsedBytes())
        .putLong(output.deviceUtilizationPermille())
        .putInt(0)
        .putInt(flags(result))
        .putInt(result.plan().size())
        .putInt(-1)
        .putInt(0);
  }

  private static int flags(StepCompletedEvent result) {
    final int executed = result.wasExecuted() ? EXECUTED : 0;
    return switch (result.output().firstOfKind()) {
      case UNKNOWN -> executed;
      case FIRST -> executed | FIRST;
      case NOT_FIRST -> executed | NOT_FIRST;
    };
  }

  static FirstOfKind firstOfKind(int flags) {
    return (flags & FIRST) != 0
        ? FirstOfKind.FIRST
        : (flags & NOT_FIRST) != 0 ? FirstOfKind.NOT_FIRST : FirstOfKind.UNKNOWN;
  }

  private static void putTail(RecordBuffer out, StepCompletedEvent result, DraftCounts counts) {
    final StepPlan plan = result.plan();
    counts.count(plan);
    out.putMessage(ThrowableText.text(result.failure()))
        .putInt(counts.drafts())
        .putInt(counts.draftTokens())
        .putInt(counts.acceptedTokens());
    final boolean measures = plan.scheduleNs() != plan.endNs() - plan.beginNs();
    final long experts = result.output().activatedExperts();
    final boolean positions = counts.positions() > 0 || experts != ABSENT;
    if (measures || positions) {
      out.putLong(measures ? plan.scheduleNs() : ABSENT);
    }
    if (positions) {
      out.putInt(counts.positions());
      for (int position = 0; position < counts.positions(); position++) {
        out.putInt(counts.acceptedAt(position));
      }
    }
    if (experts != ABSENT) {
      out.putLong(experts);
    }
  }

  /** Writes one byte per entry and the total; returns the width that is needed. */
  private static int putProduced(byte[] bytes, int start, StepCompletedEvent result, int size) {
    final int each = size == 0 ? 0 : result.plan().producedTokens(0);
    int total = 0;
    int different = 0;
    int all = 0;
    for (int entry = 0; entry < size; entry++) {
      final int produced = result.plan().producedTokens(entry);
      bytes[start + entry] = (byte) produced;
      different |= produced ^ each;
      all |= produced;
      total += produced;
    }
    RecordBuffer.I32.set(bytes, TOTAL_OFFSET, total);
    RecordBuffer.I32.set(bytes, PRODUCED_BYTES_OFFSET + 4, each);
    return different == 0 ? 0 : (all & ~0xFF) == 0 ? 1 : 4;
  }
}
