package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.RecordedSteps.Omission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans of a few steps, joined by hand. */
class OtlpStepsTest {

  @TempDir private Path folder;

  private static String attribute(String key, long value) {
    return "{\"key\":\"" + key + "\",\"value\":{\"intValue\":\"" + value + "\"}}";
  }

  private static String summary(long id, long beginNs, int running, int finished, int... batch) {
    return "{\"name\":\"step.BATCH_SUMMARY\",\"attributes\":["
        + String.join(
            ",",
            attribute("step.id", id),
            attribute("step.ts_start_ns", beginNs),
            attribute("queue.running_depth", running),
            attribute("batch.num_finished", finished),
            attribute("batch.num_preempted", 0),
            attribute("batch.num_prefill_reqs", batch[0]),
            attribute("batch.prefill_tokens", batch[1]),
            attribute("batch.num_decode_reqs", batch[2]),
            attribute("batch.decode_tokens", batch[3]))
        + "]}";
  }

  private static String journey(String event, long step, int prompt) {
    return "{\"name\":\"journey."
        + event
        + "\",\"attributes\":["
        + attribute("scheduler.step", step)
        + ","
        + attribute("prefill.total_tokens", prompt)
        + "]}";
  }

  private static String span(String id, String... events) {
    return "{\"name\":\"s\",\"attributes\":[{\"key\":\"gen_ai.request.id\",\"value\":{\"stringValue\":\""
        + id
        + "\"}}],\"events\":["
        + String.join(",", events)
        + "]}";
  }

  private static String line(String... spans) {
    return "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
        + String.join(",", spans)
        + "]}]}]}\n";
  }

  @Test
  void shouldJoinStepsAndRequestsByTheNumberOfTheStep() throws IOException {
    final String spans =
        line(
                span(
                    "a",
                    journey("SCHEDULED", 1, 100),
                    journey("FIRST_TOKEN", 2, 100),
                    journey("FINISHED", 4, 100)))
            + line(
                span(
                    "b",
                    journey("SCHEDULED", 3, 40),
                    journey("FIRST_TOKEN", 3, 40),
                    journey("FINISHED", 4, 40)))
            + line(
                span(
                    "",
                    summary(1, 1_000, 1, 0, 1, 50, 0, 0),
                    summary(2, 3_000, 1, 0, 1, 50, 0, 0),
                    summary(3, 6_000, 2, 0, 1, 40, 1, 1),
                    summary(4, 10_000, 2, 0, 0, 0, 2, 2),
                    summary(5, 99_000, 1, 2, 1, 7, 0, 0),
                    summary(7, 200_000, 1, 0, 1, 7, 0, 0)));
    final Path file = Files.writeString(folder.resolve("spans.jsonl"), spans);
    final RecordedSteps steps = new RecordedSteps("spans");

    steps.read(file);

    assertThat(steps.size()).isEqualTo(3);
    assertThat(steps.omitted())
        .as("the engine was empty after step 4; steps 6 and 8 were not sampled")
        .containsEntry(Omission.NO_NEXT_STEP, 3);
    assertThat(steps.hasForward()).isFalse();
    final StepFeatures step = new StepFeatures();
    steps.features(1, step);
    assertThat(step.prefillContextTokens()).as("the second half of a").isEqualTo(50);
    assertThat(step.twicePrefillPairs()).isEqualTo(50 * (2 * 50 + 50));
    assertThat(step.samplingRequests()).isOne();
    assertThat(steps.stepNs(1)).isEqualTo(3_000);
    steps.features(2, step);
    assertThat(step.prefillTokens()).isEqualTo(40);
    assertThat(step.decodeContextTokens()).as("a, whose prompt is computed").isEqualTo(100);
    assertThat(step.decodeContextSquares()).isEqualTo(10_000);
    assertThat(step.newRequests()).isOne();
  }

  @Test
  void shouldSayWhatIsMissing() throws IOException {
    final Path noSteps = Files.writeString(folder.resolve("a.json"), line(span("a")));
    final Path noJson = Files.writeString(folder.resolve("b.json"), "{\"spans\":[{");

    assertThatThrownBy(() -> new RecordedSteps("a").read(noSteps))
        .hasMessageContaining("a.json must have events step.BATCH_SUMMARY");
    assertThatThrownBy(() -> new RecordedSteps("b").read(noJson))
        .hasMessageContaining("b.json must be OTLP JSON");
  }
}
