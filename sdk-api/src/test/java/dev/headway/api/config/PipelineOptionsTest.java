package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PipelineOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "DISABLED, 1, V1, 1",
    "DISABLED, 4, V1, 4",
    "DISABLED, 4, V2, 4",
    "ENABLED,  1, V1, 2",
    "ENABLED,  2, V1, 2",
    "ENABLED,  4, V1, 4",
    "ENABLED,  1, V2, 2",
    "ENABLED,  4, V2, 5"
  })
  void shouldKnowHowManyStepsCanBeOut(
      AsyncScheduling async, int stages, ModelRunner runner, int steps) {
    assertThat(new PipelineOptions(async, stages, runner).maxStepsInFlight()).isEqualTo(steps);
  }

  @Test
  void shouldPlanAheadOnlyIfAskedTo() {
    assertThat(PipelineOptions.DEFAULT.maxStepsInFlight()).isEqualTo(1);
    assertThat(PipelineOptions.ASYNC.maxStepsInFlight()).isEqualTo(2);
  }

  @Test
  void shouldRefuseAPipelineWithoutAStage() {
    assertThatThrownBy(() -> new PipelineOptions(AsyncScheduling.DISABLED, 0, ModelRunner.V1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pipelineParallelSize must be >= 1: pipelineParallelSize=0");
  }
}
