package dev.headway.events.record;

import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepPlan;

/**
 * PLANNED, type 10: the decision of a step.
 *
 * <pre>
 * 16  stepId                i64
 * 24  beginNs               i64
 * 32  endNs                 i64
 * 40  batchSize             i32
 * 44  totalTokens           i32
 * 48  prefillRequests       i32
 * 52  prefillTokens         i32
 * 56  runningCount          i32
 * 60  waitingCount          i32
 * 64  preemptedWaitingCount i32
 * 68  freeBlocks            i32
 * 72  commonPrefixBlocks    i32
 * 76  entryBytes            i32  0 no entries, 16 compact, 28 wide
 * 80  baseNumber            i64  request number of the first entry; 0 without entries
 * 88  entries               batchSize times entryBytes
 *
 * compact entry                                wide entry
 *  0  number - baseNumber  i32                  0  number          i64
 *  4  computedTokens       bits 0-30 of a u32   8  computedTokens  bits 0-30 of a u32
 *     decode               bit 31                 decode          bit 31
 *  8  scheduledTokens      bits 0-30 of a u32  12  scheduledTokens i32
 *     samples              bit 31              16  samples         i32  0 or 1
 * 12  blockCount           bits 0-19 of a u32  20  blockCount      i32
 *     newBlocks            bits 20-31; 4095    24  newBlocks       i32
 *                          says all of them
 *
 * since 2.3, behind the entries, only where items are encoded
 *  …  encodedItems      i32
 *  …  encodedEmbeddings i32
 * </pre>
 *
 * <p>A record is compact unless a figure of one of its entries does not fit. A step of more than
 * {@link #MAX_ENTRIES} requests is recorded without entries.
 *
 * <p>An entry is a decode as {@link StepPlan#isDecode} defines; everything else is prefill:
 * prompts, chunks, recomputation.
 */
public final class PlannedRecord {

  /** Most entries that are recorded one by one. */
  public static final int MAX_ENTRIES = 100_000;

  static final int ENTRIES_OFFSET = 88;
  static final int COMPACT_BYTES = 16;
  static final int WIDE_BYTES = 28;
  static final int ALL_BLOCKS = 0xFFF;
  static final int BLOCK_COUNT_BITS = 20;

  private static final int DECODE = 1 << 31;
  private static final int PREFILL_OFFSET = 48;
  private static final int ENTRY_BYTES_OFFSET = 76;
  private static final int MAX_BLOCK_COUNT = (1 << BLOCK_COUNT_BITS) - 1;

  private PlannedRecord() {}

  /** Writes the record without entries. */
  static void encodeSummary(RecordBuffer out, PlannedEvent event) {
    header(out, event);
    putPrefill(out, event.plan());
    putEncoded(out, event.plan());
  }

  /** Writes the record with its entries. */
  static void encode(RecordBuffer out, PlannedEvent event) {
    final StepPlan plan = event.plan();
    header(out, event);
    putPrefill(out, plan);
    putEntries(out, plan);
    putEncoded(out, plan);
  }

  private static void putEncoded(RecordBuffer out, StepPlan plan) {
    if (!plan.encoderInputs().isEmpty()) {
      out.putInt(plan.encoderInputs().total()).putInt(plan.encoderInputs().embeddings());
    }
  }

  private static void putEntries(RecordBuffer out, StepPlan plan) {
    final int size = plan.size();
    if (size == 0 || size > MAX_ENTRIES) {
      return;
    }
    final int start = out.reserve(size * COMPACT_BYTES);
    RecordBuffer.I64.set(out.array(), ENTRY_BYTES_OFFSET + 4, plan.request(0).number());
    if (putCompact(out.array(), start, plan, size)) {
      RecordBuffer.I32.set(out.array(), ENTRY_BYTES_OFFSET, COMPACT_BYTES);
    } else {
      out.rewind(start);
      out.reserve(size * WIDE_BYTES);
      putWide(out.array(), start, plan, size);
      RecordBuffer.I32.set(out.array(), ENTRY_BYTES_OFFSET, WIDE_BYTES);
    }
  }

  private static void header(RecordBuffer out, PlannedEvent event) {
    final StepPlan plan = event.plan();
    out.begin(RecordType.PLANNED)
        .putLong(plan.stepId())
        .putLong(plan.beginNs())
        .putLong(plan.endNs())
        .putInt(plan.size())
        .putInt(plan.totalTokens())
        .putInt(0)
        .putInt(0)
        .putInt(event.runningCount())
        .putInt(event.waitingCount())
        .putInt(event.preemptedWaitingCount())
        .putInt(event.freeBlocks())
        .putInt(plan.blocks().commonPrefix(0))
        .putInt(0)
        .putLong(0);
  }

  private static void putPrefill(RecordBuffer out, StepPlan plan) {
    int requests = 0;
    int tokens = 0;
    final int size = plan.size();
    for (int entry = 0; entry < size; entry++) {
      if (!plan.isDecode(entry)) {
        requests++;
        tokens += plan.scheduledTokens(entry);
      }
    }
    RecordBuffer.I32.set(out.array(), PREFILL_OFFSET, requests);
    RecordBuffer.I32.set(out.array(), PREFILL_OFFSET + 4, tokens);
  }

  /** The computed tokens, with the mark of a decode. */
  private static int computed(StepPlan plan, int entry) {
    final int tokens = plan.computedTokens(entry);
    return plan.isDecode(entry) ? tokens | DECODE : tokens;
  }

  /**
   * Checks an index of the entries of a step, for the views of what was planned and completed.
   *
   * @throws IndexOutOfBoundsException if there is no such entry, or none was recorded
   */
  static void requireEntry(int entry, int batchSize, boolean hasEntries) {
    if (!hasEntries || entry < 0 || entry >= batchSize) {
      throw new IndexOutOfBoundsException(
          "entry must be in [0, batchSize) and entries recorded: entry="
              + entry
              + ", batchSize="
              + batchSize
              + ", hasEntries="
              + hasEntries);
    }
  }

  /** Returns whether every figure fitted. */
  private static boolean putCompact(byte[] bytes, int start, StepPlan plan, int size) {
    final PlannedBlocks tables = plan.blocks();
    final long base = plan.request(0).number();
    boolean fits = true;
    int at = start;
    for (int entry = 0; entry < size; entry++) {
      final long offset = plan.request(entry).number() - base;
      final int blocks = tables.count(entry, 0);
      final int from = tables.newFrom(entry, 0);
      final int fresh = from == 0 ? ALL_BLOCKS : blocks - from;
      fits &= offset == (int) offset && blocks <= MAX_BLOCK_COUNT;
      fits &= from == 0 || fresh < ALL_BLOCKS;
      RecordBuffer.I64.set(
          bytes, at, (offset & 0xFFFF_FFFFL) | ((long) computed(plan, entry) << 32));
      final long tokens =
          plan.samples(entry)
              ? plan.scheduledTokens(entry) | 0x8000_0000L
              : plan.scheduledTokens(entry);
      RecordBuffer.I64.set(
          bytes, at + 8, tokens | ((long) (blocks | (fresh << BLOCK_COUNT_BITS)) << 32));
      at += COMPACT_BYTES;
    }
    return fits;
  }

  private static void putWide(byte[] bytes, int start, StepPlan plan, int size) {
    final PlannedBlocks tables = plan.blocks();
    int at = start;
    for (int entry = 0; entry < size; entry++) {
      final int blocks = tables.count(entry, 0);
      RecordBuffer.I64.set(bytes, at, plan.request(entry).number());
      RecordBuffer.I32.set(bytes, at + 8, computed(plan, entry));
      RecordBuffer.I32.set(bytes, at + 12, plan.scheduledTokens(entry));
      RecordBuffer.I32.set(bytes, at + 16, plan.samples(entry) ? 1 : 0);
      RecordBuffer.I32.set(bytes, at + 20, blocks);
      RecordBuffer.I32.set(bytes, at + 24, blocks - tables.newFrom(entry, 0));
      at += WIDE_BYTES;
    }
  }
}
