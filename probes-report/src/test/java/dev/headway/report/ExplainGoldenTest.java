package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.Scenarios;
import dev.headway.report.explain.ExplainFixture;
import dev.headway.report.explain.Explanation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code explain} prints, character for character. The files are rewritten only by {@code mvn
 * test -Dtest=ExplainGoldenTest -Dheadway.regenerateGolden=true}; look at every difference.
 */
class ExplainGoldenTest {

  private static final Path GOLDEN = Path.of("src", "test", "resources", "explained");

  private static final Map<String, ExplainFixture> GIVEN =
      Map.of(
          "preemption", new ExplainFixture(Scenarios.preemption()::playTo),
          "ranked", new ExplainFixture(Scenarios.ranked()::playTo),
          "summary", new ExplainFixture(Scenarios.summary()::playTo),
          "stall", new ExplainFixture(Scenarios.behindAHead()::playTo),
          "cut",
              new ExplainFixture(
                  visitor -> Scenarios.preemption().play(visitor, 0, 24),
                  new JournalEnd(JournalEnd.State.CUT, "run-000001: no end record", 24, 0)));

  @ParameterizedTest
  @CsvSource({
    "preemption, a", // runs and ends
    "preemption, b", // is preempted and resumes
    "preemption, c", // is aborted in the queue
    "preemption, big", // is rejected
    "ranked, late", // is passed over by a policy
    "summary, b", // in a journal without waits
    "stall, last", // behind heads that were refused, and in a seat without tokens
    "cut, b" // alive when the journal is cut
  })
  void shouldPrintTheGoldenText(String scenario, String id) throws IOException {
    final Explanation.Answer answer = (Explanation.Answer) GIVEN.get(scenario).explain(id);

    assertGolden(scenario + "-" + id + ".txt", answer.text());
    assertGolden(scenario + "-" + id + ".json", answer.json());
    assertThat(answer.text().lines())
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(92));
    assertThat(answer.text()).matches("[\\x20-\\x7E\\n]*");
  }

  private static void assertGolden(String name, String text) throws IOException {
    final Path file = GOLDEN.resolve(name);
    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.createDirectories(GOLDEN);
      Files.writeString(file, text);
    }
    assertThat(text).as(name).isEqualTo(Files.readString(file));
  }
}
