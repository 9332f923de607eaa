package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.events.model.RunModel;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.Scenarios;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.profile.ConsoleLines;
import dev.headway.report.profile.ProfileOptions;
import dev.headway.report.profile.ProfileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The profile of an engine that is running. */
class ProfileWriterTest {

  @TempDir private Path temporary;
  private final List<String> messages = new ArrayList<>();

  @Test
  void shouldSayWhereItWritesAndWhatBecameOfIt() throws IOException {
    final Path file = temporary.resolve("deep").resolve("p.jsonl");

    try (RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add)) {
      Scenarios.preemption().dropped(3).playTo(writer);
    }

    assertThat(messages)
        .containsExactly(
            "scheduler profiling: writing: file=" + file + ", writable=true, console=off",
            "scheduler profiling: closed: written=6, dropped=3, emptySteps=0, file=" + file);
    assertThat(Files.readString(file)).isEqualTo(ProfileLines.of(Scenarios.preemption()).text());
  }

  @Test
  void shouldSayWhyNothingWasWritten() throws IOException {
    final Path file = temporary.resolve("p.jsonl");

    ProfileWriter.open(ProfileOptions.of(file), messages::add).close();
    assertThatThrownBy(
            () ->
                ProfileWriter.open(
                    ProfileOptions.of(file.resolve("below-a-file.jsonl")), messages::add))
        .isInstanceOf(IOException.class);

    assertThat(messages.get(2))
        .isEqualTo("scheduler profiling: the file is empty, since no step has scheduled a token");
    assertThat(messages.get(3))
        .startsWith("scheduler profiling: not written, the file must be writable: file=" + file);
  }

  @Test
  void shouldShowAFollowerWholeLinesOnly() throws IOException {
    final Path file = temporary.resolve("p.jsonl");
    final EventScript script = new RandomRun(81, 400, 1).script;
    final String whole = ProfileLines.of(script).text();

    try (RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add)) {
      for (int record = 0; record < script.size(); record++) {
        script.play(writer, record, record + 1);
        if (record % 500 == 0) {
          writer.flush(0);
        }
        final String seen = Files.readString(file);
        assertThat(whole).startsWith(seen);
        assertThat(seen.isEmpty() || seen.endsWith("\n")).isTrue();
      }
      assertThat(Files.readString(file).lines().count()).isGreaterThan(200); // by the hundred
    }
    assertThat(Files.readString(file)).isEqualTo(whole);
  }

  @Test
  void shouldWriteByTheHundredWithoutBeingAsked() throws IOException {
    final Path file = temporary.resolve("p.jsonl");
    final EventScript script = EventScript.full().queued(0, "a", 0, 0, 1_000);
    for (int i = 0; i < 250; i++) {
      final StepScript step =
          new StepScript(i + 1, 10 * i, 10 * i + 1)
              .entry(0, 1, i, false, 1, 1)
              .counts(1, 0, 0, 50)
              .done(10 * i + 2, 10 * i + 3, 10 * i + 4, 0);
      script.planned(step).completed(step);
    }

    try (RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add)) {
      script.playTo(writer);

      assertThat(Files.readString(file).lines()).hasSize(200);
    }
    assertThat(Files.readString(file).lines()).hasSize(250);
  }

  @Test
  void shouldEndALineThatACrashHasCut() throws IOException {
    final Path file = temporary.resolve("p.jsonl");
    Files.writeString(file, "{\"batch_id\":0}\n{\"batch");

    try (RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add)) {
      Scenarios.preemption().playTo(writer);
    }

    assertThat(Files.readString(file))
        .isEqualTo("{\"batch_id\":0}\n{\"batch\n" + ProfileLines.of(Scenarios.preemption()).text());
  }

  @Test
  void shouldCountWhatAFullDiskDidNotTake() throws IOException {
    final Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    final Path file = Files.createSymbolicLink(temporary.resolve("p.jsonl"), full);
    final RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add);

    Scenarios.preemption().playTo(writer);
    assertThatThrownBy(() -> writer.flush(0)).isInstanceOf(IOException.class);
    writer.close();

    assertThat(messages.get(1))
        .isEqualTo("scheduler profiling: closed: written=0, dropped=6, emptySteps=0, file=" + file);
  }

  @Test
  void shouldPutFullFilesAside() throws IOException {
    final Path file = temporary.resolve("p.jsonl");
    final EventScript script = new RandomRun(82, 1_000, 1).script;
    final ProfileOptions options = new ProfileOptions(file, null, ConsoleLines.OFF, 100_000);

    try (RunModel writer = ProfileWriter.open(options, messages::add)) {
      script.playTo(writer);
    }

    final StringBuilder all = new StringBuilder();
    int parts = 1;
    for (; Files.exists(temporary.resolve("p." + parts + ".jsonl")); parts++) {
      all.append(Files.readString(temporary.resolve("p." + parts + ".jsonl")));
    }
    all.append(Files.readString(file));
    assertThat(parts).isGreaterThan(3);
    assertThat(all.toString()).isEqualTo(ProfileLines.of(script).text());
  }

  @Test
  void shouldCompressAndKeepWhatWasThere() throws IOException {
    final Path file = temporary.resolve("p.jsonl.gz");

    for (int run = 0; run < 2; run++) {
      try (RunModel writer = ProfileWriter.open(ProfileOptions.of(file), messages::add)) {
        Scenarios.preemption().playTo(writer);
        writer.flush(0);
        assertThat(Files.size(file)).isGreaterThan(100); // a follower sees it before the end
      }
    }

    final String expected = ProfileLines.of(Scenarios.preemption()).text();
    assertThat(unzip(file)).isEqualTo(expected);
    assertThat(unzip(temporary.resolve("p.1.jsonl.gz"))).isEqualTo(expected);
  }

  @Test
  void shouldGiveEachDayItsDirectory() throws IOException {
    final ProfileOptions options =
        new ProfileOptions(temporary.resolve("logs"), "mine.jsonl", ConsoleLines.OFF, 0);

    ProfileWriter.open(options, messages::add).close();

    try (var files = Files.walk(temporary.resolve("logs"))) {
      final Path file = files.filter(Files::isRegularFile).findFirst().orElseThrow();
      assertThat(file.getFileName()).hasToString("mine.jsonl");
      assertThat(file.getParent().getFileName().toString()).matches("\\d{4}-\\d{2}-\\d{2}");
    }
  }

  @Test
  void shouldPrintOneLinePerSecond() throws IOException {
    final EventScript script =
        new EventScript().run("full", java.util.Map.of()).queued(0, "a", 0, 0, 100_000);
    for (int i = 0; i < 30; i++) { // 30 steps of 100 ms: three lines
      final long begin = i * 100_000_000L;
      final StepScript step =
          new StepScript(i + 1, begin, begin + 1_000_000)
              .entry(0, 100, 100 * i, false, 1, 1)
              .counts(1, 2, 0, 50)
              .done(begin + 1_000_000, begin + 100_000_000, begin + 100_000_000, 0);
      script.planned(step).completed(step);
    }
    final ProfileOptions options =
        new ProfileOptions(temporary.resolve("p.jsonl"), null, ConsoleLines.EVERY_SECOND, 0);

    try (RunModel writer = ProfileWriter.open(options, messages::add)) {
      script.playTo(writer);
    }

    assertThat(messages).hasSize(2 + 3);
    assertThat(messages.get(1))
        .isEqualTo(
            "scheduler profiling: 1.0 s, 10 steps, schedule 1.000/1.000 ms, run 99.000/99.000 ms"
                + " (mean/p95), 1000 tokens/s, running 1, waiting 2, KV 50.0 %, preemptions 0");
  }

  private static String unzip(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
