package dev.headway.api.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class JourneyStageTest {

  @Test
  void shouldKeepTheWordsThatStandInFilesInTheOrderOfTheStages() {
    assertThat(Arrays.stream(JourneyStage.values()).map(JourneyStage::label))
        .containsExactly(
            "arrived",
            "tokenize_started",
            "tokenize_ended",
            "handoff_to_core",
            "first_response_from_core",
            "departed",
            "aborted");
  }

  @Test
  void shouldEndAJourneyByDepartingOrAborting() {
    assertThat(Arrays.stream(JourneyStage.values()).filter(JourneyStage::isTerminal))
        .containsExactly(JourneyStage.DEPARTED, JourneyStage.ABORTED);
  }
}
