package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A million steps on a page of a few megabytes, in a JVM that could not hold them. */
@Tag("slow")
class BigReportTest {

  @TempDir private Path temporary;

  @Test
  void shouldReportAMillionStepsInASmallHeap() throws IOException, InterruptedException {
    final Path page = temporary.resolve("report.html");
    final Path log = temporary.resolve("log");
    final Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                BigReport.class.getName(),
                page.toString(),
                "1000000")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();

    assertThat(process.waitFor(300, TimeUnit.SECONDS)).as("the report must end").isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(Files.size(page)).isLessThan(5L << 20);
    assertThat(Files.readString(page)).contains("1,000,000 steps");
  }
}
