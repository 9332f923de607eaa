package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.RunInfo;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.live.LiveCsv;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.testkit.FakeRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A probe writes what its journal would be converted to. */
class LiveCsvTest {

  @TempDir private Path temporary;

  @ParameterizedTest
  @EnumSource(value = JournalLevel.class, names = "OFF", mode = Mode.EXCLUDE)
  void shouldWriteTheBytesThatAJournalIsConvertedTo(JournalLevel level) throws Exception {
    final EventScript script = new RandomRun(61, 700, 1).script;
    final Path journal = temporary.resolve("journal");
    try (JournalProbe probe = JournalProbe.open(journal, level)) {
      script.playTo(new ProbeReplay(probe));
    }
    final Path converted = temporary.resolve("converted");
    try (JournalSource source = JournalSource.open(journal)) {
      new CsvConverter(source, converted, ConvertOptions.DEFAULT, (records, rows, done) -> {})
          .convert();
    }

    final LiveCsv live = LiveCsv.begin(temporary.resolve("live"), ConvertOptions.DEFAULT);
    try (LiveProbe probe = LiveProbe.of(LiveOptions.DEFAULT.withLevel(level), List.of(live))) {
      script.playTo(new ProbeReplay(probe));
    }

    assertThat(live.directory()).isEqualTo(temporary.resolve("live/run-000001"));
    assertThat(new CsvResult(live.directory()).allText())
        .as("seed=61")
        .isEqualTo(new CsvResult(converted).allText());
  }

  @Test
  void shouldFillTheFolderItselfAndLeaveAnEarlierRunAlone() throws Exception {
    final Path folder = Files.createDirectories(temporary.resolve("logs"));
    final EventScript script = new RandomRun(63, 20, 1).script;

    for (int run = 0; run < 2; run++) {
      try (LiveProbe probe = LiveProbe.of(LiveCsv.beginIn(folder, ConvertOptions.DEFAULT))) {
        script.playTo(new ProbeReplay(probe));
      }
    }

    for (String each : List.of("per_request.csv", "per_iteration.csv", "events.csv")) {
      assertThat(folder.resolve("run-000001").resolve(each))
          .as("seed=63")
          .hasSameTextualContentAs(folder.resolve(each));
    }
    assertThat(Files.readAllLines(folder.resolve("per_request.csv"))).hasSizeGreaterThan(1);
  }

  @Test
  void shouldHaveWholeFilesWhileTheEngineRuns() throws Exception {
    final LiveCsv live = LiveCsv.begin(temporary.resolve("live"), ConvertOptions.DEFAULT);
    final EventScript script = new RandomRun(62, 50, 1).script;
    try (LiveProbe probe = LiveProbe.of(live)) {
      script.play(new ProbeReplay(probe), 0, script.size() / 2);
      final CsvResult meanwhile = new CsvResult(live.directory());
      while (!Files.exists(live.directory().resolve("manifest.json"))) {
        Thread.onSpinWait(); // within a second
      }

      assertThat(meanwhile.manifest()).contains("\"end\" : \"live\"");
      assertThat(meanwhile.iterations()).isNotEmpty();
    }

    assertThat(new CsvResult(live.directory()).manifest()).contains("\"end\" : \"clean\"");
  }

  @Test
  void shouldBeFoundByItsNameAndWriteEveryRunToADirectoryOfItsOwn() throws Exception {
    final Path parent = temporary.resolve("runs");
    for (int run = 0; run < 2; run++) {
      try (Probe probe = create(Map.of("dir", parent.toString(), "iterationRequests", "off"))) {
        new RandomRun(63 + run, 20, 1).script.playTo(new ProbeReplay(probe));
      }
    }

    assertThat(new CsvResult(parent.resolve("run-000001")).requests()).isNotEmpty();
    assertThat(new CsvResult(parent.resolve("run-000002")).requests()).isNotEmpty();
    assertThat(new CsvResult(parent.resolve("run-000002")).iterationRequests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "level | loud | csv option level must be among [off, summary, full, debug]: level=loud",
        "level | off | level of a live probe must be summary, full or debug: level=off",
        "ringBytes | many | csv option ringBytes must be a number in [1, 1073741824]:"
            + " ringBytes=many",
        "folder | x | csv options must be among [dir, ids, iterationRequests, level, overflow,"
            + " place, ringBytes, text]: unknown=[folder]"
      })
  void shouldRefuseOptionsThatAreNone(String name, String value, String message) {
    final Map<String, String> options =
        Map.of("dir", temporary.resolve("unused").toString(), name, value);

    assertThatThrownBy(() -> create(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
    assertThat(temporary.resolve("unused")).doesNotExist();
  }

  @Test
  void shouldLeaveNothingOfARunThatNeverBegan() throws Exception {
    final Path live = temporary.resolve("live");
    final LiveCsv csv = LiveCsv.begin(live, ConvertOptions.DEFAULT);
    assertThat(csv.directory()).isDirectory();

    LiveProbe.of(csv).close(); // as the engine does when a later probe cannot be made

    assertThat(live).isEmptyDirectory();
    try (LiveCsv next = LiveCsv.begin(live, ConvertOptions.DEFAULT)) {
      assertThat(next.directory()).isEqualTo(live.resolve("run-000001"));
    }
  }

  @Test
  void shouldSayThatADirectoryIsMissing() {
    assertThatThrownBy(() -> create(Map.of())).hasMessage("csv option dir must be set: options={}");
  }

  private static Probe create(Map<String, String> options) throws Exception {
    final ProbeProvider provider =
        ServiceLoader.load(ProbeProvider.class).stream()
            .map(Provider::get)
            .filter(each -> each.name().equals("csv"))
            .findFirst()
            .orElseThrow();
    final RunInfo run = FakeRun.builder(64).build();
    return provider.create(new ProbeContext(run, options));
  }
}
