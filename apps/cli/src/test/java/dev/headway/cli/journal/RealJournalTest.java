package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.ProbeReplay;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.Scenarios;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a probe through a journal on disk to CSV, by the command line. */
class RealJournalTest {

  @TempDir private Path temporary;
  private final StringWriter err = new StringWriter();

  @Test
  void shouldSayThroughAJournalWhatTheRecordsSay() throws IOException {
    final int steps = 1_000;
    final EventScript script = new RandomRun(51, steps, 2).script;
    final CsvResult direct = CsvResult.of(script, temporary.resolve("direct"));
    final Path journal = journal("journal", script);

    final CsvResult converted = new CsvResult(temporary.resolve("converted"));
    assertThat(convert(journal, converted.directory())).isZero();

    for (String file :
        List.of("per_request.csv", "per_iteration_requests.csv", "state_transitions.csv")) {
      assertThat(converted.text(file)).as("seed=51, file=%s", file).isEqualTo(direct.text(file));
    }
    assertThat(withoutEnds(converted.events()))
        .as("seed=51")
        .isEqualTo(withoutEnds(direct.events()));
    assertThat(converted.iterations()).as("seed=51").hasSize(steps);
  }

  @Test
  void shouldConvertAJournalToTheSameBytesWhereverItStands() throws IOException {
    final JournalProbe probe = JournalProbe.open(temporary.resolve("journal"), JournalLevel.FULL);
    Scenarios.preemption().playTo(new ProbeReplay(probe));
    final Path here = copyRun(probe.directory(), "here");
    final Path there = copyRun(probe.directory(), "there");
    probe.close();

    assertThat(convert(here, temporary.resolve("a"))).isEqualTo(3);
    assertThat(convert(there, temporary.resolve("b"))).isEqualTo(3);

    final Map<String, String> files = new CsvResult(temporary.resolve("a")).allText();
    assertThat(new CsvResult(temporary.resolve("b")).allText()).isEqualTo(files);
    assertThat(files.get("manifest.json"))
        .contains("\"end\" : \"cut\"", "run-000001: no end record", "lastStepId=6");
    assertThat(err.toString()).contains("headway convert: the journal is cut: run-000001: no end");
  }

  @Test
  void shouldSayOfALoadThatItsJournalIsCut() throws IOException {
    final JournalProbe probe = JournalProbe.open(temporary.resolve("journal"), JournalLevel.FULL);
    Scenarios.preemption().playTo(new ProbeReplay(probe));
    final Path cut = copyRun(probe.directory(), "cut");
    final CliRun live = CliRun.of("workload", probe.directory());
    probe.close();

    assertThat(CliRun.of("workload", cut).err())
        .contains("1 journal that is cut: what came behind its last record is missing");
    assertThat(live.err()).contains("1 journal that is still being written: read up to here");
    assertThat(CliRun.of("workload", probe.directory()).err()).doesNotContain("journal that is");
  }

  @Test
  void shouldConvertASummary() throws IOException {
    final Path journal = temporary.resolve("journal");
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.SUMMARY)) {
      Scenarios.preemption().playTo(new ProbeReplay(probe));
    }

    final CsvResult result = new CsvResult(temporary.resolve("csv"));
    assertThat(convert(journal, result.directory(), "--quiet")).isZero();

    assertThat(result.iterationRequests()).isEmpty();
    assertThat(result.request("b"))
        .containsEntry("waiting_time", "373")
        .containsEntry("execution_time", "207")
        .containsEntry("output_tokens", "")
        .containsEntry("timing_valid", "true");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldFollowAWriterUntilItCloses() throws IOException, InterruptedException {
    final Path journal = temporary.resolve("journal");
    final CsvResult result = new CsvResult(temporary.resolve("csv"));
    final EventScript script = new RandomRun(54, 300, 1).script;
    final int[] exitCode = {-1};
    final Thread follower;

    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL)) {
      final ProbeReplay replay = new ProbeReplay(probe);
      script.play(replay, 0, 10);
      follower = new Thread(() -> exitCode[0] = convert(journal, result.directory(), "--follow"));
      follower.start();
      while (!Files.exists(result.directory())) {
        Thread.onSpinWait();
      }
      assertThat(result.manifest()).contains("\"end\" : \"live\"");
      script.play(replay, 10, script.size());
    }
    follower.join();

    assertThat(exitCode[0]).isZero();
    final CsvResult direct = CsvResult.of(script, temporary.resolve("direct"));
    assertThat(result.text("per_request.csv")).isEqualTo(direct.text("per_request.csv"));
    assertThat(result.manifest()).contains("\"end\" : \"clean\"");
  }

  @Test
  void shouldSayWhereAJournalIsDamaged() throws IOException {
    final Path journal = journal("journal", new RandomRun(55, 100, 1).script);
    final Path file;
    try (var files = Files.walk(journal)) {
      file = files.filter(path -> path.toString().endsWith(".cq4")).findFirst().orElseThrow();
    }
    final byte[] bytes = Files.readAllBytes(file);
    final int middle = indexOf(bytes, "r60".getBytes(StandardCharsets.US_ASCII));
    bytes[middle] ^= 0x10;
    Files.write(file, bytes);

    final CsvResult result = new CsvResult(temporary.resolve("csv"));
    assertThat(convert(journal, result.directory())).isEqualTo(3);

    assertThat(err.toString()).contains("the journal is damaged: run-000001: damaged at offset ");
    assertThat(result.manifest()).contains("\"end\" : \"damaged\"");
    assertThat(result.requests()).hasSizeGreaterThan(30);
    assertThat(result.requests())
        .filteredOn(row -> row.get("status").equals("unfinished"))
        .isNotEmpty();
  }

  private Path journal(String name, EventScript script) throws IOException {
    final Path directory = temporary.resolve(name);
    try (JournalProbe probe = JournalProbe.open(directory, JournalLevel.FULL)) {
      script.playTo(new ProbeReplay(probe));
    }
    return directory;
  }

  /** Copies a run in the state it is in, as if its writer had died now. */
  private Path copyRun(Path run, String name) throws IOException {
    final Path copy = temporary.resolve(name).resolve("run-000001");
    Files.createDirectories(copy);
    try (var files = Files.list(run)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy.getParent();
  }

  private int convert(Path journal, Path target, String... options) {
    final List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(journal.toString());
    arguments.add(target.toString());
    return ConvertCommand.commandLine(new ConvertCommand())
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(new String[0]));
  }

  private static List<Map<String, String>> withoutEnds(List<Map<String, String>> events) {
    return events.stream().filter(row -> !row.get("event_type").startsWith("run_")).toList();
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int i = 0; i < bytes.length - wanted.length; i++) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    throw new AssertionError("the journal must hold the id");
  }
}
