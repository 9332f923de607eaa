package dev.headway.sweep.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.sweep.SweepJob;
import dev.headway.simulation.sweep.SweepColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The question of {@code sql/} that names all wait reasons. */
class WaitByReasonTest {

  @TempDir private Path directory;

  @Test
  void shouldSumAndListEveryReasonOfASweep() throws IOException {
    final Path plan =
        Files.writeString(
            directory.resolve("plan.yaml"),
            "load: short-long(requests=5)\ngrid: {policy: [fcfs]}\n");
    final List<String> question =
        Files.readAllLines(Path.of("sql", "wait-by-reason.sql")).stream()
            .map(line -> line.strip().replaceFirst(",$", ""))
            .toList();

    final List<String> reasons =
        SweepJob.read(plan).table().columns().stream()
            .map(SweepColumn::name)
            .filter(name -> name.startsWith("wait_"))
            .map(name -> name.replaceFirst("^wait_(.*)_ns$", "$1"))
            .toList();

    assertThat(reasons).hasSizeGreaterThan(30);
    assertThat(question)
        .containsAll(reasons)
        .containsAll(reasons.stream().map("SUM(wait_%1$s_ns) AS %1$s"::formatted).toList());
  }
}
