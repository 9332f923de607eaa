package dev.headway.probes.chronicle;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The records of a journal directory. One thread.
 *
 * <p>What it says of a cut or a damage names runs and files without their directories, so that a
 * journal has the same manifest wherever it is stored.
 */
public final class JournalSource implements RecordSource, AutoCloseable {

  private static final int WHOLE_PERMILLE = 1_000;

  private final JournalReader reader;
  private final Set<Path> beingWritten;
  private boolean exhausted;

  private JournalSource(JournalReader reader) {
    this.reader = reader;
    this.beingWritten = // before anything is read: a writer may end meanwhile
        reader.directories().stream()
            .filter(WriterLock::isHeld)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Opens every run in a journal directory, or a run's own directory. */
  public static JournalSource open(Path journal) throws IOException {
    return new JournalSource(JournalReader.open(journal));
  }

  /** Opens the latest run only, to follow it. */
  public static JournalSource openLatest(Path journal) throws IOException {
    return new JournalSource(JournalReader.openLatest(journal));
  }

  @Override
  public int poll(RecordVisitor visitor, int limit) throws IOException {
    final int fed = reader.poll(visitor, limit);
    if (fed == 0) {
      final List<RunSummary> runs = reader.summary().runs();
      exhausted = !runs.isEmpty() && runs.get(runs.size() - 1).end() != RunEnd.OPEN;
    }
    return fed;
  }

  @Override
  public boolean isExhausted() {
    return exhausted;
  }

  @Override
  public int donePermille() {
    final long total = reader.bytesTotal();
    return total <= 0
        ? -1
        : (int) Math.min(WHOLE_PERMILLE, reader.bytesRead() * WHOLE_PERMILLE / total);
  }

  @Override
  public JournalEnd conclude(RecordVisitor visitor) throws IOException {
    final ReadSummary summary = reader.readAll(visitor);
    final List<String> details = new ArrayList<>();
    JournalEnd.State state = JournalEnd.State.CLEAN;
    for (RunSummary run : summary.runs()) {
      if (run.end() == RunEnd.DAMAGED) {
        state = JournalEnd.State.DAMAGED;
      } else if (run.end() != RunEnd.CLEAN && state != JournalEnd.State.DAMAGED) {
        state =
            isLive(run) && state != JournalEnd.State.CUT
                ? JournalEnd.State.LIVE
                : JournalEnd.State.CUT;
      }
      if (run.end() != RunEnd.CLEAN) {
        details.add(describe(run));
      }
    }
    return new JournalEnd(
        state,
        String.join("; ", details),
        summary.records(),
        summary.unknownRecords(),
        summary.droppedRecords());
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  /** Whether it has no end because its writer is at work. */
  private boolean isLive(RunSummary run) {
    return run.end() == RunEnd.CUT && beingWritten.contains(run.directory());
  }

  private String describe(RunSummary run) {
    if (isLive(run)) {
      return run.directory().getFileName()
          + ": still being written, read up to step "
          + run.lastStepId();
    }
    final JournalDamage damage = run.damage();
    final String what =
        damage != null
            ? "damaged at offset "
                + damage.offset()
                + " of "
                + damage.file().getFileName()
                + ", "
                + damage.problem()
            : run.end() == RunEnd.NOT_STARTED
                ? "its writer died before the start record"
                : "no end record, its writer died here"
                    + (WriterLock.isKnown(run.directory()) ? "" : " or is still at work");
    return run.directory().getFileName()
        + ": "
        + what
        + ": records="
        + run.records()
        + ", lastRecord="
        + run.lastRecord()
        + ", lastStepId="
        + run.lastStepId()
        + ", lastInstantNs="
        + run.lastInstantNs();
  }
}
