package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.csv.CsvExport;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.LiveRun;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.report.explain.ExplainFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests say of how long they may wait and run, out of a journal. */
class PhaseTimeoutsTest {

  @TempDir private Path temporary;

  @BeforeEach
  void record() throws IOException {
    try (LiveRun run = new LiveRun(temporary.resolve("journal"), 22)) {
      run.submit(LiveRun.request("usual", 5).maxTokens(2));
      run.submit(LiveRun.request("waits", 5).maxTokens(2).queueTimeout(Duration.ofMillis(2)));
      run.submit(
          LiveRun.request("both", 5)
              .maxTokens(2)
              .timeout(Duration.ofSeconds(9))
              .queueTimeout(Duration.ofSeconds(3))
              .runTimeout(Duration.ofSeconds(5)));
      run.steps(1).finish();
    }
  }

  private void read(RecordVisitor visitor) {
    try (JournalReader reader = JournalReader.open(temporary.resolve("journal"))) {
      reader.readAll(visitor);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldBeColumns() throws IOException {
    try (CsvExport export = CsvExport.begin(temporary.resolve("csv"), ConvertOptions.DEFAULT)) {
      read(export.visitor());
      export.finish(JournalEnd.clean(0));
    }

    final CsvResult csv = new CsvResult(temporary.resolve("csv"));
    assertThat(csv.request("usual"))
        .containsEntry("timeout_ns", "")
        .containsEntry("queue_timeout_ns", "")
        .containsEntry("run_timeout_ns", "")
        .containsEntry("items", "0");
    assertThat(csv.request("waits"))
        .containsEntry("queue_timeout_ns", "2000000")
        .containsEntry("run_timeout_ns", "");
    assertThat(csv.request("both"))
        .containsEntry("timeout_ns", "9000000000")
        .containsEntry("queue_timeout_ns", "3000000000")
        .containsEntry("run_timeout_ns", "5000000000");
  }

  @Test
  void shouldBeExplained() {
    final ExplainFixture explain = new ExplainFixture(this::read);

    assertThat(explain.text("usual")).doesNotContain("waits at", "runs at");
    assertThat(explain.text("waits"))
        .containsPattern("waits\\s+at\\s+most\\s+2")
        .doesNotContain("runs at");
    assertThat(explain.text("both"))
        .containsPattern("times\\s+out\\s+after\\s+9")
        .containsPattern("waits\\s+at\\s+most\\s+3")
        .containsPattern("runs\\s+at\\s+most\\s+5");
  }
}
