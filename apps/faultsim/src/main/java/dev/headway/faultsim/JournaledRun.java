package dev.headway.faultsim;

import dev.headway.api.probe.Probe;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.InlineJournals;
import dev.headway.probes.chronicle.JournalException;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.chronicle.RunEnd;
import dev.headway.probes.chronicle.RunSummary;
import dev.headway.testkit.files.FaultyFiles;
import dev.headway.testkit.files.FileFault;
import dev.headway.testkit.files.FilePlan;
import dev.headway.toolbox.output.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One run with its journal, and what was reported to another probe meanwhile. */
final class JournaledRun {

  private static final int[] FLUSH_ITERATIONS = {1, 50, 1_000};
  private static final int FIRST_CALLS = 120;

  private final Path directory;
  private final FaultyFiles files;
  private final @Nullable JournalProbe journal;
  private final Told.ByEvents events = new Told.ByEvents();
  private final long failingAppend;
  private boolean becameFull;

  private JournaledRun(
      Path directory, FaultyFiles files, @Nullable JournalProbe journal, long failingAppend) {
    this.directory = directory;
    this.files = files;
    this.journal = journal;
    this.failingAppend = failingAppend;
  }

  static JournaledRun begin(Path parent, long seed, boolean failing) throws IOException {
    final SplittableRandom dice = new SplittableRandom(seed);
    final Path directory = Files.createDirectory(parent.resolve("journal-of-" + seed));
    final FaultyFiles files = FaultyFiles.over(directory, plan(dice, failing));
    final long failingAppend = failing && dice.nextInt(4) == 0 ? 2L + dice.nextInt(5_000) : 0;
    JournalProbe journal = null;
    try {
      journal =
          InlineJournals.open(
              files.root(),
              dice.nextBoolean() ? JournalLevel.FULL : JournalLevel.DEBUG,
              FLUSH_ITERATIONS[dice.nextInt(FLUSH_ITERATIONS.length)],
              dice.nextBoolean() ? InlineJournals.Room.AHEAD : InlineJournals.Room.LATE,
              append -> append == failingAppend);
    } catch (JournalException e) {
      if (files.faults().isEmpty()) {
        throw e;
      }
    }
    return new JournaledRun(directory, files, journal, failingAppend);
  }

  private static FilePlan plan(SplittableRandom dice, boolean failing) {
    if (!failing) {
      return FilePlan.none();
    }
    final FileFault[] faults = FileFault.values();
    final FileFault fault = faults[dice.nextInt(faults.length)];
    final long call = 1L + dice.nextInt(dice.nextBoolean() ? FIRST_CALLS : 20 * FIRST_CALLS);
    return dice.nextBoolean() ? FilePlan.once(call, fault) : FilePlan.from(call, fault);
  }

  List<Probe> probes() {
    final JournalProbe recorded = journal;
    return recorded == null ? List.of() : List.of(events, recorded);
  }

  /** Whether anything has failed. */
  boolean hasFailed() {
    final JournalProbe recorded = journal;
    return !files.faults().isEmpty()
        || (recorded != null
            && failingAppend > 0
            && failingAppend <= recorded.recordsWritten() + 1);
  }

  /** Whether records were dropped for want of room, and the end of the run was recorded. */
  boolean becameFull() {
    return becameFull;
  }

  /** Returns how the journal differs from what has happened, or null. */
  @Nullable String check() throws IOException {
    final JournalProbe recorded = journal;
    if (recorded == null) {
      return null;
    }
    recorded.close();
    if (recorded.recordsWritten() == 0) { // without a run there is no journal
      return hasFailed() || events.facts().isEmpty() ? null : "nothing was recorded";
    }
    final Told.ByRecords records = new Told.ByRecords();
    try (JournalReader reader = JournalReader.open(directory)) {
      final RunSummary run = reader.readAll(records).runs().getLast();
      becameFull = run.end() == RunEnd.CLEAN && recorded.recordsDropped() > 0;
      final String differs = differs(run, recorded, records.facts());
      return differs == null ? null : differs + ": " + run + ", faults=" + files.faults();
    }
  }

  private @Nullable String differs(RunSummary run, JournalProbe recorded, List<Object> read) {
    if (run.damage() != null) {
      return "a journal must not be damaged by a disk that fails";
    }
    if (run.records() != recorded.recordsWritten()) {
      return "all that was written must be read: written=" + recorded.recordsWritten();
    }
    if (!hasFailed() && (run.end() != RunEnd.CLEAN || recorded.recordsDropped() > 0)) {
      return "where nothing fails all is recorded: dropped=" + recorded.recordsDropped();
    }
    if (run.end() == RunEnd.CLEAN && run.droppedRecords() != recorded.recordsDropped()) {
      return "drops must be recorded: dropped=" + recorded.recordsDropped();
    }
    final List<Object> happened = events.facts();
    int at = 0;
    for (Object fact : read) {
      while (at < happened.size() && !happened.get(at).equals(fact) && hasFailed()) {
        at++; // was dropped
      }
      if (at == happened.size() || !happened.get(at).equals(fact)) {
        return "what is recorded must have happened, in that order: recorded="
            + fact
            + ", happened="
            + (at == happened.size() ? "nothing more" : happened.get(at));
      }
      at++;
    }
    return hasFailed() || at == happened.size()
        ? null
        : "what happened must be recorded: " + happened.get(at);
  }

  void remove() throws IOException {
    final JournalProbe recorded = journal;
    if (recorded != null) {
      recorded.close();
    }
    FileTree.delete(directory);
  }
}
