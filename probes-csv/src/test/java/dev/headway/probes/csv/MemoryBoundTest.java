package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Converts millions of rows in a JVM that could not hold them. */
@Tag("slow")
class MemoryBoundTest {

  @TempDir private Path temporary;

  @Test
  void shouldConvertAnyNumberOfRowsInASmallHeap() throws IOException, InterruptedException {
    final Path log = temporary.resolve("log");
    final Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                ConversionSpeed.class.getName(),
                temporary.resolve("out").toString(),
                "12000")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();

    assertThat(process.waitFor(300, TimeUnit.SECONDS)).as("the conversion must end").isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(Files.size(temporary.resolve("out").resolve("per_iteration_requests.csv")))
        .as("more than the heap could hold")
        .isGreaterThan(100L << 20);
  }
}
