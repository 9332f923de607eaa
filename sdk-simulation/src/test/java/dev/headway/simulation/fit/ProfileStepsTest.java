package dev.headway.simulation.fit;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.RecordedSteps.Omission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileStepsTest {

  private static final String OURS =
      "{\"batch_id\":0,\"schedule_duration_ms\":0.1,\"num_decode_reqs\":2,\"mode\":\"sync\","
          + "\"chunk_sizes\":[1,100,1],\"computed_tokens\":[50,0,60],\"launch_ns\":1000,"
          + "\"result_ns\":901000,\"sched_begin_ns\":500,\"step\":4,\"num_running_reqs\":3,"
          + "\"num_admitted\":1,\"produced_tokens\":3}";

  private static final String NEXT =
      OURS.replace(":500,", ":1250500,").replace("\"step\":4", "\"step\":5");

  @TempDir private Path directory;

  @Test
  void shouldReadWhatHeadwayWrites() throws IOException {
    final RecordedSteps steps = read(OURS, NEXT);

    assertThat(steps.size()).isEqualTo(1);
    final StepFeatures step = new StepFeatures();
    steps.features(0, step);
    assertThat(step.decodeRequests()).isEqualTo(2);
    assertThat(step.decodeContextTokens()).isEqualTo(110);
    assertThat(step.decodeContextSquares()).isEqualTo(50 * 50 + 60 * 60);
    assertThat(step.prefillTokens()).isEqualTo(100);
    assertThat(step.twicePrefillPairs()).isEqualTo(100 * 100);
    assertThat(step.newRequests()).isEqualTo(1);
    assertThat(step.samplingRequests()).isEqualTo(3);
    assertThat(steps.stepNs(0)).isEqualTo(1_250_000);
    assertThat(steps.forwardNs(0)).isEqualTo(900_000);
  }

  @Test
  void shouldReadTheFormsOfTheFork() throws IOException {
    final String second =
        "{\"schedule_duration_ms\":0.5,\"model_run_duration_ms\":9.5,\"timestamp\":17.5,"
            + "\"total_step_duration_ms\":10.0,\"chunk_sizes\":[1],\"all_computed_tokens\":[7]}";
    final String third =
        "{\"time\":\"x\",\"schedule_ms\":\"0.5\",\"model_run_ms\":\"9.5\",\"sched_tokens\":[8],"
            + "\"computed_tokens\":[0]}";

    for (String form : List.of(second, third)) {
      final RecordedSteps steps = read(form);
      assertThat(steps.stepNs(0)).isEqualTo(10_000_000);
      assertThat(steps.forwardNs(0)).isEqualTo(9_500_000);
    }
  }

  @Test
  void shouldNotTakeTheTimeOfTwoStepsForOne() throws IOException {
    final RecordedSteps steps = read(OURS.replace("sync", "overlap"), NEXT);

    assertThat(steps.forwardNs(0)).isEqualTo(ABSENT);
  }

  @Test
  void shouldTimeStepsThatOverlapByTheirResults() throws IOException {
    final String first = OURS.replace("sync", "overlap");
    final String second =
        first
            .replace("\"step\":4", "\"step\":5")
            .replace("\"sched_begin_ns\":500", "\"sched_begin_ns\":2000")
            .replace("901000", "5901000");
    final String third =
        second
            .replace("\"step\":5", "\"step\":6")
            .replace("\"sched_begin_ns\":2000", "\"sched_begin_ns\":902000")
            .replace("5901000", "6901000");

    final RecordedSteps steps = read(first, second, third);

    assertThat(steps.stepNs(0)).isEqualTo(900_500);
    assertThat(steps.stepNs(1)).as("not the 900 us from begin to begin").isEqualTo(5_000_000);
  }

  @Test
  void shouldSayWhatItLeavesOut() throws IOException {
    final RecordedSteps steps =
        read(
            OURS.replace("\"num_decode_reqs\":2", "\"num_decode_reqs\":1"),
            NEXT.replace("\"step\":5", "\"step\":5,\"num_preempted\":1"),
            OURS.replace("[50,0,60]", "null"),
            OURS,
            NEXT.replace("\"step\":5", "\"step\":5,\"num_finished\":3"),
            NEXT.replace("\"step\":5", "\"step\":6"),
            OURS.substring(0, 50));

    assertThat(steps.size()).isEqualTo(1);
    assertThat(steps.omitted())
        .containsEntry(Omission.WARM_UP, 10)
        .containsEntry(Omission.NO_ENTRIES, 2)
        .containsEntry(Omission.PREEMPTION, 1)
        .containsEntry(Omission.NO_NEXT_STEP, 2);
  }

  @Test
  void shouldNameALineThatIsNoJson() {
    assertThatThrownBy(() -> read(OURS.substring(0, 50), OURS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 11: must be a JSON object");
  }

  /** Behind ten lines of warm-up. */
  private RecordedSteps read(String... lines) throws IOException {
    final List<String> all = new ArrayList<>(Collections.nCopies(10, OURS));
    all.addAll(List.of(lines));
    final Path file = Files.write(directory.resolve("profile.jsonl"), all);
    final RecordedSteps steps = new RecordedSteps("profile");
    steps.read(file);
    return steps;
  }
}
