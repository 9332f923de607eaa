package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left out of a load is said. */
class LoadTest {

  private static final String HEADER = "Timestamp,Request tokens,Response tokens\n";

  private final List<String> remarks = new ArrayList<>();
  @TempDir private Path dir;

  @Test
  void shouldSayOnceWhatWasLeftOut() throws IOException {
    final Load load = load("5,472,18\n45,1087,0\n118,417,276\n120,0,0\n", false);

    assertThat(requests(load)).isEqualTo(2);

    assertThat(remarks)
        .containsExactly(
            "trace.csv: 2 of 4 rows left out: 1 without request tokens, 1 without response"
                + " tokens");
  }

  @Test
  void shouldSayNothingOfAWholeLoad() throws IOException {
    assertThat(requests(load("5,472,18\n", true))).isEqualTo(1);

    assertThat(remarks).isEmpty();
  }

  @Test
  void shouldCountNoRowBehindTheLimit() throws IOException {
    final Load load = load("5,472,18\n45,1087,0\n118,417,276\n120,0,0\n", false).withLimit(2);

    assertThat(requests(load)).isEqualTo(2);

    assertThat(remarks)
        .containsExactly("trace.csv: 1 of 3 rows left out: 1 without response tokens");
  }

  @Test
  void shouldRefuseWithFileAndLineWhereStrict() throws IOException {
    final Load load = load("5,472,18\n45,1087,0\n", true);

    assertThatThrownBy(() -> requests(load))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage(
            "with --strict every row must be a request: file=%s, line=3, row without response tokens"
                .formatted(dir.resolve("trace.csv")));
  }

  @Test
  void shouldRefuseALoadWithoutRequests() throws IOException {
    final Load failed = load("5,472,0\n", false);

    assertThatThrownBy(() -> requests(failed))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage(
            "a load must have at least one request: load=%s; 1 of 1 rows left out: 1 without"
                + " response tokens",
            dir.resolve("trace.csv"));
    assertThatThrownBy(() -> requests(load("", false)))
        .hasMessage("a load must have at least one request: load=" + dir.resolve("trace.csv"));
  }

  private Load load(String rows, boolean strict) throws IOException {
    final Path file = Files.writeString(dir.resolve("trace.csv"), HEADER + rows);
    return new Load(file.toString(), TraceFormat.AUTO, 1, -1, 0).reading(strict, remarks::add);
  }

  private static int requests(Load load) throws IOException {
    int requests = 0;
    try (Workload workload = load.open()) {
      while (workload.next() != null) {
        requests++;
      }
    }
    return requests;
  }
}
