package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.testkit.files.FaultyFiles;
import dev.headway.testkit.files.FileCall;
import dev.headway.testkit.files.FileFault;
import dev.headway.testkit.files.FilePlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every file call of a writer and of a reader fails once, and from then on; one at a time. */
class FailingFileCallsTest {

  private static final int EVENTS = 480;
  private static final int LARGE_EVERY = 20;

  @TempDir Path directory;

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private PrintStream standardError;
  private int journals;

  @BeforeEach
  void catchTheLog() {
    standardError = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void releaseTheLog() {
    System.setErr(standardError);
  }

  @Test
  void shouldKeepAValidPrefixWhicheverCallOfTheWriterFindsTheDiskFull() throws IOException {
    failEachCall(FileFault.DISK_FULL, false);
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(FileFault.class)
  void shouldKeepAValidPrefixWhicheverCallOfTheWriterFails(FileFault fault) throws IOException {
    failEachCall(fault, false);
    failEachCall(fault, true);
  }

  private void failEachCall(FileFault fault, boolean virtualTime) throws IOException {
    final Map<String, Integer> outcomes = new TreeMap<>();
    for (boolean goesOn : new boolean[] {false, true}) {
      long n = 1;
      while (writeWithFault(n, fault, goesOn, virtualTime, outcomes)) {
        n++;
      }
      assertThat(n).as("calls of a writer").isGreaterThan(50);
    }
    standardError.println(fault + ", virtualTime=" + virtualTime + ": " + outcomes);
    assertThat(outcomes).containsKeys("not opened", "CLEAN, whole");
  }

  @Test
  void shouldKeepAValidPrefixWhicheverAppendFails() throws IOException {
    for (long n = 2; n < 40; n++) { // without the first there is no journal
      final long failing = n;
      final Path journal = directory.resolve("append" + n);
      final JournalProbe probe =
          InlineJournals.open(
              journal,
              JournalLevel.FULL,
              1,
              InlineJournals.Room.AHEAD,
              append -> append == failing);

      run(probe, true);

      assertThat(probe.recordsWritten()).isEqualTo(n - 1);
      final RunSummary read = read(journal, probe);
      assertThat(read.end()).isEqualTo(RunEnd.CUT);
    }
  }

  /** Two runs, so that one could be left out. */
  @ParameterizedTest
  @EnumSource(FileFault.class)
  void shouldReadAllOrSayWhyNotWhicheverCallOfTheReaderFails(FileFault fault) throws IOException {
    final Path journal = directory.resolve("journal");
    for (int run = 0; run < 2; run++) {
      run(InlineJournals.open(journal, JournalLevel.FULL), true);
    }
    final long records = Journals.read(journal).summary().records();
    final Map<FileCall, Integer> refused = new EnumMap<>(FileCall.class);
    boolean failed = true;
    for (long n = 1; failed; n++) {
      final FaultyFiles files = FaultyFiles.over(directory, FilePlan.once(n, fault));
      String outcome = "";
      try (JournalReader reader = JournalReader.open(files.root().resolve("journal"))) {
        final ReadSummary summary = reader.readAll(new RecordVisitor() {});
        // a run that is listed and then gone was removed
        final boolean removed = fault == FileFault.VANISHED && summary.runs().size() == 1;
        assertThat(summary.records())
            .as("call %d of %s", n, files.faults())
            .isEqualTo(removed ? records / 2 : records);
        assertThat(summary.isComplete()).as("call %d of %s", n, files.faults()).isTrue();
      } catch (IOException e) {
        outcome = String.valueOf(e.getMessage());
        assertThat(outcome).as("call %d of %s", n, files.faults()).contains("journal");
      }
      failed = !files.faults().isEmpty();
      if (!outcome.isEmpty()) {
        refused.merge(files.faults().get(0).call(), 1, Integer::sum);
      }
    }
    assertThat(refused).containsKeys(FileCall.LIST, FileCall.OPEN, FileCall.READ, FileCall.RESIZE);
  }

  /** Returns whether a call failed. */
  private boolean writeWithFault(
      long n, FileFault fault, boolean goesOn, boolean virtualTime, Map<String, Integer> outcomes)
      throws IOException {
    log.reset();
    final Path parent = Files.createDirectory(directory.resolve("writer" + journals++));
    final FaultyFiles files =
        FaultyFiles.over(parent, goesOn ? FilePlan.from(n, fault) : FilePlan.once(n, fault));
    final Path journal = parent.resolve("journal");
    final String outcome = write(files, journal, virtualTime);
    final String of =
        String.format(
            "%s, call %d of %s, %s, virtualTime=%s, log=%s",
            outcome, n, files.faults(), fault, virtualTime, log);
    outcomes.merge(outcome, 1, Integer::sum);
    final boolean failed = !files.faults().isEmpty();
    assertThat(outcome.equals("CLEAN, whole") || failed).as(of).isTrue();
    if (!outcome.equals("CLEAN, whole") && !outcome.equals("not opened")) {
      assertThat(log.toString(StandardCharsets.UTF_8)).as(of).contains("ERROR").contains("dir=");
    }
    assertThat(log.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains("ERROR")))
        .as(of)
        .hasSizeLessThanOrEqualTo(goesOn ? 4 : 2);
    if (!outcome.equals("CLEAN, whole")) {
      shouldTakeTheNextRun(journal, of);
    }
    delete(parent);
    return failed;
  }

  /** Writes a run in which a call may fail, and says what came of it. */
  private String write(FaultyFiles files, Path journal, boolean virtualTime) throws IOException {
    final JournalProbe probe;
    try {
      probe = InlineJournals.open(files.root().resolve("journal"), JournalLevel.FULL);
    } catch (JournalException e) {
      assertThat(e)
          .hasMessageStartingWith(
              "journal directory must be writable and have room: dir=" + journal)
          .hasMessageContaining(", cause=");
      return "not opened";
    }
    run(probe, virtualTime);
    final RunSummary read = read(journal, probe);
    return read.end()
        + (read.droppedRecords() > 0 || probe.recordsDropped() > 0 ? ", drops" : ", whole");
  }

  /** What an engine does; nothing comes out of it. */
  private static void run(JournalProbe probe, boolean virtualTime) {
    final FakePlan plan = FakePlan.decodes(8_000);
    final FakePlan small = FakePlan.decodes(1);
    final FakeResult result = new FakeResult(small);
    probe.onRunStarted(Journals.run(virtualTime));
    for (int event = 0; event < EVENTS; event++) {
      new KvCacheEvents(probe).removed(event, Journals.ALONE);
      if (event % LARGE_EVERY == 0) {
        plan.stepId++;
        probe.onPlanned(plan);
        probe.onStepCompleted(result);
      }
    }
    probe.close();
  }

  /** What was acknowledged is there, in order, and nothing else. */
  private static RunSummary read(Path journal, JournalProbe probe) throws IOException {
    final Increasing increasing = new Increasing();
    try (JournalReader reader = JournalReader.open(journal)) {
      final RunSummary run = reader.readAll(increasing).runs().get(0);
      assertThat(run.records()).as(run.message()).isEqualTo(probe.recordsWritten());
      assertThat(run.damage()).isNull();
      if (run.end() == RunEnd.CLEAN) {
        assertThat(run.droppedRecords()).isEqualTo(probe.recordsDropped());
      }
      assertThat(increasing.gaps == 0 || probe.recordsDropped() > 0).isTrue();
      return run;
    }
  }

  /** Whatever was left behind. */
  private static void shouldTakeTheNextRun(Path journal, String of) throws IOException {
    final JournalProbe next = InlineJournals.open(journal, JournalLevel.FULL);
    next.onRunStarted(Journals.run(true));
    next.close();
    try (JournalReader reader = JournalReader.open(journal)) {
      final ReadSummary all = reader.readAll(new RecordVisitor() {});
      assertThat(all.runs().getLast().end()).as(of).isEqualTo(RunEnd.CLEAN);
      assertThat(all.runs()).as(of).noneMatch(run -> run.end() == RunEnd.LIVE);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /** Sees numbers in order. */
  private static final class Increasing implements RecordVisitor {
    private long last = -1;
    private long gaps;

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      assertThat(removed.contentHash()).isGreaterThan(last);
      gaps += removed.contentHash() == last + 1 ? 0 : 1;
      last = removed.contentHash();
    }
  }
}
