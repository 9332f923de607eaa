package dev.headway.probes.chronicle;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The records of a journal directory. One thread.
 *
 * <p>What it says of a cut or a damage names runs and files without their directories, so that a
 * journal has the same manifest wherever it is stored.
 */
public final class JournalSource implements RecordSource, AutoCloseable {

  private static final int WHOLE_PERMILLE = 1_000;
  private static final List<JournalEnd.State> BY_WEIGHT =
      List.of(
          JournalEnd.State.CLEAN,
          JournalEnd.State.LIVE,
          JournalEnd.State.CUT,
          JournalEnd.State.DAMAGED);

  private final JournalReader reader;
  private boolean exhausted;

  private JournalSource(JournalReader reader) {
    this.reader = reader;
  }

  /**
   * Whether a directory is a journal or a run of one, by the names in it.
   *
   * @throws IOException if it cannot be listed
   */
  public static boolean isJournal(Path directory) throws IOException {
    return !RunDirectories.list(directory).isEmpty() || JournalStore.dataFile(directory) != null;
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
      state = worse(state, run.end());
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

  /** The state of a journal with one more run: damaged before cut, that before being written. */
  private static JournalEnd.State worse(JournalEnd.State state, RunEnd end) {
    final JournalEnd.State own =
        switch (end) {
          case CLEAN -> JournalEnd.State.CLEAN;
          case LIVE -> JournalEnd.State.LIVE;
          case OPEN, CUT, NOT_STARTED -> JournalEnd.State.CUT;
          case DAMAGED -> JournalEnd.State.DAMAGED;
        };
    return BY_WEIGHT.indexOf(own) > BY_WEIGHT.indexOf(state) ? own : state;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private static String describe(RunSummary run) {
    if (run.end() == RunEnd.LIVE) {
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
