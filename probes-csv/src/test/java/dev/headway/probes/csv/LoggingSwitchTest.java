package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.probes.csv.live.CsvProbeProvider;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the environment asks of the CSV files. */
class LoggingSwitchTest {

  @Test
  void shouldWriteToTheFolderThatIsNamed() {
    final ProbeRequest request =
        requested(Map.of("VLLM_SCHEDULER_LOGGING", "1", "VLLM_SCHEDULER_LOG_DIR", "/logs"));

    assertThat(request.options()).containsEntry("dir", "/logs").containsEntry("place", "dir");
    assertThat(request.options()).doesNotContainKey("iterationRequests");
    assertThat(request.switches())
        .containsExactly("VLLM_SCHEDULER_LOGGING=1", "VLLM_SCHEDULER_LOG_DIR=/logs");
  }

  @Test
  void shouldTakeOurNamesFirst() {
    final ProbeRequest request =
        requested(
            Map.of(
                "HEADWAY_SCHEDULER_LOGGING", "summary",
                "VLLM_SCHEDULER_LOGGING", "0",
                "HEADWAY_SCHEDULER_LOG_DIR", "/ours",
                "VLLM_SCHEDULER_LOG_DIR", "/theirs"));

    assertThat(request.options())
        .containsEntry("dir", "/ours")
        .containsEntry("iterationRequests", "off");
  }

  @Test
  void shouldHaveAFolderOfItsOwnUnlessNamed() {
    assertThat(requested(Map.of("VLLM_SCHEDULER_LOGGING", "true")).options())
        .containsEntry("dir", "scheduler_logs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "false", "off", " "})
  void shouldWriteNothingWhenOff(String value) {
    assertThat(requested(Map.of("VLLM_SCHEDULER_LOGGING", value))).isNull();
    assertThat(requested(Map.of("VLLM_SCHEDULER_LOG_DIR", "/logs"))).isNull();
  }

  @Test
  void shouldNameASwitchThatIsWrong() {
    assertThatThrownBy(() -> requested(Map.of("VLLM_SCHEDULER_LOGGING", "maybe")))
        .hasMessage("the switch must be 1, 0 or summary: VLLM_SCHEDULER_LOGGING=maybe");
  }

  private static ProbeRequest requested(Map<String, String> variables) {
    return new CsvProbeProvider()
        .requested(
            new ProbeEnvironment() {
              @Override
              public String variable(String name) {
                return variables.get(name);
              }

              @Override
              public String property(String name) {
                return null;
              }
            });
  }
}
