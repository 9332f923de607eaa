package dev.headway.probes.csv;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps books of a journal in the plainest way: the terminal events of each request, and the KV
 * blocks that each holds. Faults are written down as sentences.
 */
final class JournalBooks implements RecordVisitor {

  /** Terminal events by id, as {@code length} or {@code rejected: context_length_limit}. */
  final Map<String, List<String>> ends = new LinkedHashMap<>();

  /** What does not add up. */
  final List<String> faults = new ArrayList<>();

  private final Map<Long, String> ids = new HashMap<>();
  private final Map<Long, Integer> held = new HashMap<>();
  private int usableBlocks;
  private int missingBlocks;

  static JournalBooks of(Path journal) throws IOException {
    final JournalBooks books = new JournalBooks();
    try (JournalReader reader = JournalReader.open(journal)) {
      reader.readAll(books);
    }
    return books;
  }

  /** Blocks that nobody held and that were not free either, in the latest plan. */
  int missingBlocks() {
    return missingBlocks;
  }

  /** Blocks held now by requests that have not ended. */
  int heldBlocks() {
    return held.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void onRunStarted(RunStartedRecord run) {
    usableBlocks = run.numBlocks() - 1;
  }

  @Override
  public void onQueued(QueuedRecord request) {
    ids.put(request.requestNumber(), request.requestId());
    ends.putIfAbsent(request.requestId(), new ArrayList<>());
  }

  @Override
  public void onRejected(RejectedRecord record) {
    ends.computeIfAbsent(record.requestId(), id -> new ArrayList<>())
        .add("rejected: " + record.reason());
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    freed("preempted", record.requestNumber(), record.freedBlocks());
  }

  @Override
  public void onPlanned(PlannedStep step) {
    for (int entry = 0; entry < step.batchSize(); entry++) {
      held.put(step.number(entry), step.blockCount(entry));
    }
    missingBlocks = usableBlocks - step.freeBlocks() - heldBlocks();
  }

  @Override
  public void onFinished(FinishedRecord request) {
    ends.get(ids.get(request.requestNumber())).add(request.reason());
    freed("finished", request.requestNumber(), request.freedBlocks());
  }

  private void freed(String how, long number, int blocks) {
    final Integer before = held.remove(number);
    if (blocks != (before == null ? 0 : before)) {
      faults.add(ids.get(number) + " " + how + ": held=" + before + ", freed=" + blocks);
    }
  }
}
