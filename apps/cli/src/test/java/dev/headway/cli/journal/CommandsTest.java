package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.otel.fixture.OtlpReceiver;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CommandsTest {

  private static final String DAMAGE = "the journal is damaged: run-000001: damaged at offset ";

  @TempDir private static Path temporary;
  private static Path journal;
  @TempDir private Path out;
  private final StringWriter printed = new StringWriter();
  private final StringWriter said = new StringWriter();

  @BeforeAll
  static void record() throws IOException {
    journal = RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL);
  }

  @Test
  void shouldPrintAScrape() {
    assertThat(metrics(journal.toString(), "--served-model-name", "my model", "--engine", "3"))
        .isZero();

    final PrometheusText scrape = PrometheusText.parse(printed.toString());
    assertThat(scrape.sum("vllm:request_success_total", "model_name", "my model", "engine", "3"))
        .isEqualTo(RecordedRun.REQUESTS + 4);
    assertThat(said.toString()).isEmpty();
  }

  @Test
  void shouldPrintNamesOfSglangBesideThoseOfVllm() {
    assertThat(metrics(journal.toString(), "--metrics-compat", "sglang")).isZero();

    final PrometheusText scrape = PrometheusText.parse(printed.toString());
    assertThat(scrape.sum("sglang:num_requests_total"))
        .isEqualTo(scrape.sum("vllm:request_success_total"));
  }

  @Test
  void shouldWriteSpansToAFile() throws IOException {
    final Path file = out.resolve("spans.jsonl");

    assertThat(otlp(journal.toString(), "--output", file.toString())).isZero();

    assertThat(Files.readString(file)).contains("llm_core", "llm_request", "journey.PREEMPTED");
    assertThat(said.toString())
        .contains("exported spans=", "requests=45, journeys=1,", "not sampled=0");
  }

  @Test
  void shouldGiveTheSameFileAgain() throws IOException {
    final Path once = out.resolve("once");
    final Path again = out.resolve("again");
    final String[] options = {"--journey-rate", "0.5", "--step-rate", "0.5", "--seed", "3", "-q"};

    assertThat(otlp(options, journal.toString(), "--output", once.toString())).isZero();
    assertThat(otlp(options, journal.toString(), "--output", again.toString())).isZero();

    assertThat(again).hasSameBinaryContentAs(once);
    assertThat(said.toString()).isEmpty();
  }

  @Test
  void shouldExportOnlyWhatWasAskedFor() throws IOException {
    final Path file = out.resolve("spans.jsonl");
    final String[] options = {
      "--journey-rate", "0", "--step-rate", "0", "--no-tail", "--request", "r7"
    };

    assertThat(otlp(options, journal.toString(), "--output", file.toString())).isZero();

    assertThat(said.toString()).contains("exported spans=1 (requests=1, journeys=0, steps=0)");
    assertThat(Files.readString(file)).contains("\"r7\"");
  }

  @Test
  void shouldSendSpansToACollector() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.open()) {
      assertThat(
              otlp(
                  journal.toString(),
                  "--endpoint",
                  receiver.endpoint(),
                  "--header",
                  "authorization=Bearer x",
                  "--service-name",
                  "mine"))
          .isZero();

      assertThat(receiver.spans()).hasSizeGreaterThan(RecordedRun.REQUESTS);
      assertThat(receiver.headers()).containsEntry("authorization", "Bearer x");
    }
  }

  @Test
  void shouldSayThatSpansDidNotArrive() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.open(400)) {
      assertThat(otlp(journal.toString(), "--endpoint", receiver.endpoint())).isEqualTo(1);
    }

    assertThat(said.toString())
        .contains("headway otlp: not all spans arrived: exported=0, failed=");
  }

  @Test
  void shouldNotWriteOverAFile() throws IOException {
    final Path file = Files.writeString(out.resolve("mine"), "precious");

    assertThat(otlp(journal.toString(), "--output", file.toString())).isEqualTo(1);

    assertThat(said.toString())
        .isEqualToIgnoringNewLines(
            "headway otlp: " + file + ": the output exists; --overwrite replaces it");
    assertThat(file).hasContent("precious");
  }

  @Test
  void shouldWriteOverAFileIfToldToAndOnlyWhenTheNewOneIsComplete() throws IOException {
    final Path file = Files.writeString(out.resolve("spans.jsonl"), "old");
    final Path none = out.resolve("none");

    assertThat(otlp(none.toString(), "-o", file.toString(), "--overwrite")).isEqualTo(1);
    assertThat(file).hasContent("old");
    assertThat(otlp(journal.toString(), "-o", file.toString(), "--overwrite")).isZero();

    assertThat(Files.readString(file)).startsWith("{").contains("llm_request");
    try (var left = Files.list(out)) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void shouldMakeNoFileWithoutAJournal() {
    final Path file = out.resolve("spans.jsonl");

    assertThat(otlp(out.resolve("none").toString(), "--output", file.toString())).isEqualTo(1);

    assertThat(said.toString()).contains("there is no journal at ");
    assertThat(file).doesNotExist();
  }

  @Test
  void shouldSayWhereAJournalIsDamaged() throws IOException {
    final Path cut = damagedCopy();

    assertThat(otlp(cut.toString(), "--output", out.resolve("spans").toString())).isEqualTo(3);
    assertThat(metrics(cut.toString())).isEqualTo(3);

    assertThat(said.toString().lines().filter(line -> line.contains("damaged")).toList())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("headway otlp: " + DAMAGE),
            line -> assertThat(line).startsWith("headway metrics: " + DAMAGE));
    assertThat(Files.readString(out.resolve("spans"))).contains("journey.UNFINISHED");
    PrometheusText.parse(printed.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          JOURNAL                                           | --endpoint or --output must be given
          JOURNAL --endpoint http://a --output b            | mutually exclusive
          JOURNAL --endpoint a                              | --endpoint must be an http or https URL such as http://localhost:4318: --endpoint=a
          JOURNAL --output b --step-rate 2                  | --step-rate must be in [0, 1]: --step-rate=2
          JOURNAL --output b --journey-rate -1              | --journey-rate must be in [0, 1]: --journey-rate=-1
          JOURNAL --output b --first-steps -1               | --first-steps must be >= 0: --first-steps=-1
          JOURNAL --output b --closure-interval 1           | --closure-interval must be in [10, 10000]
          JOURNAL --output b --timeout 0                    | --timeout must be >= 1: --timeout=0
          """)
  void shouldRefuseAWrongCommandLine(String line, String message) {
    final String words = "otlp " + line.strip().replace("JOURNAL", journal.toString());
    final CliRun run = CliRun.of((Object[]) words.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  private Path damagedCopy() throws IOException {
    final Path copy = Files.createDirectories(out.resolve("cut").resolve("run-000001"));
    try (var files = Files.walk(journal)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        final byte[] bytes = Files.readAllBytes(file);
        if (file.toString().endsWith(".cq4")) {
          int end = bytes.length;
          while (bytes[end - 1] == 0) {
            end--;
          }
          bytes[end / 2] ^= 1;
        }
        Files.write(copy.resolve(file.getFileName()), bytes);
      }
    }
    return copy.getParent();
  }

  private int metrics(String... arguments) {
    return run(JournalCommand.commandLine(new MetricsCommand()), arguments);
  }

  private int otlp(String... arguments) {
    return run(JournalCommand.commandLine(new OtlpCommand()), arguments);
  }

  private int otlp(String[] options, String... arguments) {
    final List<String> all = new java.util.ArrayList<>(List.of(arguments));
    all.addAll(List.of(options));
    return otlp(all.toArray(new String[0]));
  }

  private int run(CommandLine line, String... arguments) {
    return line.setOut(new PrintWriter(printed, true))
        .setErr(new PrintWriter(said, true))
        .execute(arguments);
  }
}
