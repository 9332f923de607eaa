package dev.headway.events.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenStepsTest {

  private final List<String> lost = new ArrayList<>();
  private final OpenSteps<String> steps = new OpenSteps<>(lost::add);

  @Test
  void shouldJoinByNumberWhenStepsOverlap() {
    plan(1, 2, 3);

    assertThat(steps.completed(1)).isEqualTo("step 1");
    assertThat(steps.isSettled(1)).isTrue();
    assertThat(steps.isSettled(2)).isFalse();
    assertThat(steps.completed(2)).isEqualTo("step 2");
    assertThat(lost).isEmpty();
  }

  @Test
  void shouldGiveUpStepsBeforeOneThatIsDone() {
    plan(1, 2, 3);

    assertThat(steps.completed(3)).isEqualTo("step 3");

    assertThat(lost).containsExactly("step 1", "step 2");
    assertThat(steps.isEmpty()).isTrue();
  }

  @Test
  void shouldKnowNothingOfACompletionWithoutAPlan() {
    plan(5);

    assertThat(steps.completed(4)).isNull();
    assertThat(steps.completed(5)).isEqualTo("step 5");
    assertThat(steps.completed(5)).isNull();
    assertThat(lost).isEmpty();
  }

  @Test
  void shouldKeepABoundedNumberWhenNoCompletionComes() {
    plan(LongStream.rangeClosed(1, 100).toArray());

    assertThat(lost).hasSize(36).startsWith("step 1").endsWith("step 36");
    steps.giveUp();
    assertThat(lost).hasSize(100);
  }

  private void plan(long... numbers) {
    for (long number : numbers) {
      steps.planned(number, "step " + number);
    }
  }
}
