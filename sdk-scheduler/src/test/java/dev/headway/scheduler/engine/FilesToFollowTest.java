package dev.headway.scheduler.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A reader who follows a default request opens as many files as run for it. A feature that is off
 * by default is not among them: it is null then, or is made when it is first needed.
 */
class FilesToFollowTest {

  /** Most files, those of sdk-api included. */
  private static final int MOST = 77;

  /** Most of sdk-kvcache and sdk-scheduler. */
  private static final int MOST_OF_IMPLEMENTATION = 59;

  @Test
  void shouldRunADefaultRequestThroughFewFiles() throws IOException, InterruptedException {
    final List<String> files = filesOfADefaultRequest();

    assertThat(files)
        .as("a request runs through the engine, the scheduler, the KV cache and the API")
        .contains(
            "dev.headway.scheduler.engine.HeadwayEngine",
            "dev.headway.scheduler.core.ContinuousBatchingScheduler",
            "dev.headway.kvcache.PagedKvCacheManager",
            "dev.headway.api.step.StepOutput");
    final String advice =
        "a default request runs through more files than it may: keep what is new off its path"
            + " while its option is off, or raise the number here and say in its commit why:\n"
            + String.join("\n", files);
    assertThat(files).as(advice).hasSizeLessThanOrEqualTo(MOST);
    assertThat(files.stream().filter(file -> !file.startsWith("dev.headway.api.")))
        .as(advice)
        .hasSizeLessThanOrEqualTo(MOST_OF_IMPLEMENTATION);
  }

  private static List<String> filesOfADefaultRequest() throws IOException, InterruptedException {
    final Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-Xlog:disable", // taking the counters out again may fail, when all is counted
                "-cp",
                System.getProperty("java.class.path"),
                DefaultRequest.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    final String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(process.waitFor()).as("printed: %s", printed).isZero();
    return printed.lines().toList();
  }
}
