package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.events.record.JournalLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "HEADWAY_JOURNAL=full, journal, HEADWAY_JOURNAL=full",
    "HEADWAY_JOURNAL=summary|HEADWAY_JOURNAL_DIR=/j, /j,"
        + " HEADWAY_JOURNAL=summary|HEADWAY_JOURNAL_DIR=/j"
  })
  void shouldBeAskedForByTheEnvironment(String set, String directory, String switches) {
    final ProbeRequest request = new ChronicleProbeProvider().requested(environment(set));

    assertThat(request.options())
        .containsEntry("dir", directory)
        .containsEntry("level", set.substring(16).split("\\|")[0]);
    assertThat(request.switches()).containsExactly(switches.split("\\|"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HEADWAY_JOURNAL=off", "HEADWAY_JOURNAL_DIR=/j", "HEADWAY_JOURNAL= "})
  void shouldNotBeAskedForByLess(String set) {
    assertThat(new ChronicleProbeProvider().requested(environment(set))).isNull();
  }

  private static ProbeEnvironment environment(String set) {
    final Map<String, String> variables = new HashMap<>();
    for (String each : set.split("\\|")) {
      variables.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
    }
    return new ProbeEnvironment() {
      @Override
      public String variable(String name) {
        return variables.get(name);
      }

      @Override
      public String property(String name) {
        return null;
      }
    };
  }

  private static final Map<String, String> NONE = Map.of();

  @TempDir Path directory;

  @Test
  void shouldUseDefaultsForWhatIsNotSet() {
    final JournalOptions options = resolve(Map.of("dir", "/j"), NONE, NONE);

    assertThat(options).isEqualTo(JournalOptions.of(Path.of("/j"), JournalLevel.FULL));
    assertThat(options.flushIterations()).isEqualTo(100);
    assertThat(options.flushSeconds()).isEqualTo(60);
  }

  @Test
  void shouldPreferOptionThenPropertyThenEnvironment() {
    final Map<String, String> option = Map.of("dir", "/option");
    final Map<String, String> property = Map.of("headway.journal.dir", "/property");
    final Map<String, String> environment = Map.of("HEADWAY_JOURNAL_DIR", "/environment");

    assertThat(resolve(option, property, environment).directory()).hasToString("/option");
    assertThat(resolve(NONE, property, environment).directory()).hasToString("/property");
    assertThat(resolve(NONE, NONE, environment).directory()).hasToString("/environment");
  }

  @ParameterizedTest
  @CsvSource({
    "HEADWAY_JOURNAL, '', FULL",
    "HEADWAY_JOURNAL, off, OFF",
    "HEADWAY_JOURNAL, summary, SUMMARY",
    "HEADWAY_JOURNAL, full, FULL"
  })
  void shouldReadTheLevelFromTheEnvironment(String name, String value, JournalLevel level) {
    final Map<String, String> environment = Map.of(name, value, "HEADWAY_JOURNAL_DIR", "/j");

    assertThat(resolve(NONE, NONE, environment).level()).isEqualTo(level);
  }

  @Test
  void shouldTakeEverySettingFromEveryPlace() {
    final JournalOptions expected =
        new JournalOptions(Path.of("/j"), JournalLevel.SUMMARY, 7, 8, 33_554_432, 2_097_152);

    assertThat(
            resolve(
                Map.of(
                    "dir", "/j",
                    "level", "summary",
                    "flushIterations", "7",
                    "flushSeconds", "8",
                    "blockSizeBytes", "33554432",
                    "aheadBytes", "2097152"),
                NONE,
                NONE))
        .isEqualTo(expected);
    assertThat(
            resolve(
                NONE,
                Map.of(
                    "headway.journal.dir", "/j",
                    "headway.journal.level", "summary",
                    "headway.journal.flushIterations", "7",
                    "headway.journal.flushSeconds", "8",
                    "headway.journal.blockSizeBytes", "33554432",
                    "headway.journal.aheadBytes", "2097152"),
                NONE))
        .isEqualTo(expected);
    assertThat(
            resolve(
                NONE,
                NONE,
                Map.of(
                    "HEADWAY_JOURNAL_DIR", "/j",
                    "HEADWAY_JOURNAL", "summary",
                    "HEADWAY_JOURNAL_FLUSH_ITERATIONS", "7",
                    "HEADWAY_JOURNAL_FLUSH_SECONDS", "8",
                    "HEADWAY_JOURNAL_BLOCK_SIZE_BYTES", "33554432",
                    "HEADWAY_JOURNAL_AHEAD_BYTES", "2097152")))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "level | ful | journal level must be off, summary, full or debug: option level=ful",
        "level | 1 | journal level must be off, summary, full or debug: option level=1",
        "flushIterations | 0 | flushIterations must be a number in [1, 2147483647]:"
            + " option flushIterations=0",
        "flushSeconds | 1m | flushSeconds must be a number in [1, 86400]: option flushSeconds=1m",
        "blockSizeBytes | 65536 | blockSizeBytes must be a number in [33554432, 1073741824]:"
            + " option blockSizeBytes=65536",
        "blockSizeBytes | 33554433 | blockSizeBytes must be a multiple of 1048576:"
            + " blockSizeBytes=33554433",
        "aheadBytes | 0 | aheadBytes must be a number in [1048576, 17179869184]:"
            + " option aheadBytes=0",
        "flush | 1 | journal options must be among [aheadBytes, blockSizeBytes, dir,"
            + " flushIterations, flushSeconds, level]: unknown=[flush]"
      })
  void shouldRefuseABadOption(String name, String value, String message) {
    assertThatThrownBy(() -> resolve(Map.of("dir", "/j", name, value), NONE, NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldNameTheSettingAsItWasWritten() {
    assertThatThrownBy(() -> resolve(NONE, NONE, Map.of("HEADWAY_JOURNAL", "on")))
        .hasMessage("journal level must be off, summary, full or debug: HEADWAY_JOURNAL=on");
    assertThatThrownBy(() -> resolve(NONE, Map.of("headway.journal.level", "on"), NONE))
        .hasMessage("journal level must be off, summary, full or debug: headway.journal.level=on");
    assertThatThrownBy(() -> resolve(Map.of("dir", "a\0b"), NONE, NONE))
        .hasMessage("journal directory must be a path: option dir=a\0b");
  }

  @Test
  void shouldAskForADirectoryUnlessOff() {
    assertThatThrownBy(() -> resolve(Map.of("level", "full"), NONE, NONE))
        .hasMessage(
            "journal directory must be set unless level is off: level=full; set option dir, system"
                + " property headway.journal.dir or HEADWAY_JOURNAL_DIR");
    assertThat(resolve(Map.of("level", "off"), NONE, NONE).directory()).isNull();
  }

  @Test
  void shouldBeFoundByName() throws Exception {
    final ProbeProvider provider =
        ServiceLoader.load(ProbeProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.name().equals("chronicle"))
            .findFirst()
            .orElseThrow();
    final Map<String, String> options =
        Map.of("dir", directory.toString(), "level", "summary", "aheadBytes", "1048576");

    try (Probe probe = provider.create(new ProbeContext(Journals.run(true), options))) {
      assertThat(probe).isInstanceOf(JournalProbe.class).isInstanceOf(MappedMemoryProbe.class);
      probe.onRunStarted(Journals.run(true));
    }

    assertThat(Journals.read(directory).told().get(0)).contains("level=summary");
  }

  @Test
  void shouldMakeNothingWhenOff() throws Exception {
    final Path unused = directory.resolve("unused");
    final Map<String, String> options = Map.of("dir", unused.toString(), "level", "off");

    try (Probe probe =
        new ChronicleProbeProvider().create(new ProbeContext(Journals.run(true), options))) {
      assertThat(probe.interests()).isEmpty();
      Journals.playEverything(probe);
    }

    assertThat(Files.exists(unused)).isFalse();
    assertThatThrownBy(() -> JournalProbe.open(unused, JournalLevel.OFF))
        .hasMessage("journal level must be summary, full or debug to open one: level=off");
  }

  private static JournalOptions resolve(
      Map<String, String> options, Map<String, String> properties, Map<String, String> variables) {
    return JournalOptions.resolve(options, properties::get, variables);
  }
}
