package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.EngineHealth.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineHealthTest {

  @ParameterizedTest
  @CsvSource({"IDLE,true", "PROGRESSING,true", "STALLED,false", "FAILED,false"})
  void shouldBeWellUnlessStalledOrFailed(Status status, boolean well) {
    assertThat(new EngineHealth(status, EngineState.RUNNING, 1, 0, "").isWell()).isEqualTo(well);
  }
}
