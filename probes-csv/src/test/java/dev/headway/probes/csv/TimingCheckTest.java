package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.probes.csv.check.MalformedCellException;
import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of timing, on files that keep them and on files with a planted fault. */
class TimingCheckTest {

  @TempDir private Path temporary;
  private Path csv;

  @BeforeEach
  void convert() {
    csv = temporary.resolve("csv");
    CsvResult.of(Scenarios.preemption(), csv);
  }

  @Test
  void shouldPassWhatTheConverterWrites() throws IOException {
    assertThat(TimingCheck.run(csv))
        .allMatch(verdict -> verdict.status() != Verdict.Status.FAIL)
        .filteredOn(verdict -> verdict.status() == Verdict.Status.PASS)
        .hasSize(18);
  }

  @ParameterizedTest
  @ValueSource(longs = {91, 92, 93})
  void shouldPassWhateverARandomRunWrites(long seed) throws IOException {
    final Path random = temporary.resolve("random");
    CsvResult.of(new RandomRun(seed, 2_000, 2).script, random);

    assertThat(TimingCheck.run(random))
        .as("seed=%d", seed)
        .allMatch(verdict -> verdict.status() != Verdict.Status.FAIL);
  }

  /** Rules that one changed cell of request a or b breaks; others may break with it. */
  @ParameterizedTest
  @CsvSource({
    "filled, first_token_time, ''",
    "order, first_token_time, 100",
    "order, queued_time, 5",
    "one clock, arrival_time, 1700000000000000000",
    "no negative duration, waiting_time, -3",
    "e2e_latency, e2e_latency, 411",
    "ttft, ttft, 1",
    "ttft_engine_ns, ttft_engine_ns, 1",
    "queue_first_ns, queue_first_ns, 91",
    "ingress_ns, ingress_ns, 0",
    "I1, execution_time, 309",
    "I2, completion_time, 421",
    "I3, timing_valid, false",
    "I4, wait_count, 2",
    "waits add up, waiting_max_num_batched_tokens_ns, 1",
    "waits add up, waiting_other_ns, '{\"new_reason\":1}'",
    "I5 first, first_scheduled_time, 111",
    "I5 first, first_scheduled_iteration, 1"
  })
  void shouldFindAPlantedFault(String rule, String column, String value) throws IOException {
    change("per_request.csv", row -> row.startsWith("a,"), column, value);

    final Verdict verdict = verdict(rule);

    assertThat(verdict.status()).isEqualTo(Verdict.Status.FAIL);
    assertThat(verdict.violations()).isEqualTo(1);
    assertThat(verdict.detail()).contains("request_id=a");
  }

  @Test
  void shouldFindFaultsInOtherFiles() throws IOException {
    change("state_transitions.csv", row -> row.startsWith("506,b"), "timestamp", "507");
    change("state_transitions.csv", row -> row.startsWith("420,a"), "duration_in_from_state", "9");

    assertThat(verdict("I5 every").detail())
        .isEqualTo(
            "request_id=b, run=0, request_number=1, timestamp=507, iteration_id=4,"
                + " to_state=running");
    assertThat(verdict("I2").detail()).contains("request_id=a");
  }

  @Test
  void shouldFindALongWaitUnderLowLoad() throws IOException {
    final Path calm = temporary.resolve("calm");
    final EventScript script = EventScript.full();
    for (int i = 0; i < 3; i++) {
      final long begin = 1_000_000_000L * (i + 1);
      final long waited = i == 1 ? 200_000_000 : 10;
      final StepScript step =
          new StepScript(i + 1, begin - 5, begin)
              .entry(i, 4, 0, true, 1, 1)
              .counts(1, 0, 0, 99)
              .done(begin, begin + 9, begin + 10, 1);
      script
          .queued(i, "r" + i, begin - waited, begin - waited, 4)
          .admitted(i + 1, i, 0)
          .planned(step)
          .firstToken(i + 1, i, begin + 9)
          .finished(i + 1, i, "length", 1, begin + 9)
          .completed(step);
    }
    CsvResult.of(script.runEnded(9_000_000_000L), calm);

    csv = calm;
    assertThat(verdict("low load").status()).isEqualTo(Verdict.Status.FAIL);
    assertThat(verdict("low load").detail()).contains("request_id=r1", "queue_first_ns=200000000");
  }

  @Test
  void shouldSkipRulesWhoseFilesOrColumnsAreMissing() throws IOException {
    Files.delete(csv.resolve("state_transitions.csv"));
    final Path file = csv.resolve("per_request.csv");
    Files.writeString(file, Files.readString(file).replaceFirst("wait_count", "other"));
    csv = file;

    assertThat(verdict("columns").detail()).isEqualTo("missing=[wait_count]");
    assertThat(verdict("columns").status()).isEqualTo(Verdict.Status.FAIL);
    assertThat(verdict("I4").detail()).isEqualTo("the file has no column wait_count");
    assertThat(verdict("I2").detail()).isEqualTo("no state_transitions.csv beside it");
    assertThat(verdict("I5 every").status()).isEqualTo(Verdict.Status.SKIP);
    assertThat(verdict("order").status()).isEqualTo(Verdict.Status.PASS);
  }

  @Test
  void shouldNameTheCellThatIsNoNumber() throws IOException {
    change("per_request.csv", row -> row.startsWith("a,"), "queued_time", "20.5");

    assertThatThrownBy(() -> TimingCheck.run(csv))
        .isInstanceOf(MalformedCellException.class)
        .hasMessage("cell must be a whole number of ns: line=4, queued_time=20.5");
  }

  @Test
  void shouldRefuseAFileThatIsNoPerRequestCsv() throws IOException {
    final Path file = Files.writeString(temporary.resolve("other.csv"), "name,size\na,1\n");

    assertThatThrownBy(() -> TimingCheck.run(file))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot read %s: a per_request.csv must begin with a line of its columns:"
                + " found=[name, size]",
            file);
  }

  private Verdict verdict(String rule) throws IOException {
    return TimingCheck.run(csv).stream()
        .filter(verdict -> verdict.rule().equals(rule))
        .findFirst()
        .orElseThrow();
  }

  /** Changes a cell of the row that is wanted; the rows of these files have no quoted commas. */
  private void change(String name, Predicate<String> wanted, String column, String value)
      throws IOException {
    final Path file = csv.resolve(name);
    final List<String> lines = Files.readAllLines(file);
    final List<String> header = List.of(lines.get(0).split(",", -1));
    final StringBuilder changed = new StringBuilder();
    for (String line : lines) {
      changed.append(wanted.test(line) ? replace(line, header.indexOf(column), value) : line);
      changed.append('\n');
    }
    Files.writeString(file, changed);
  }

  private static String replace(String line, int index, String value) {
    final List<String> cells =
        new java.util.ArrayList<>(List.of(line.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1)));
    cells.set(index, value.contains("\"") ? "\"" + value.replace("\"", "\"\"") + "\"" : value);
    return String.join(",", cells);
  }
}
