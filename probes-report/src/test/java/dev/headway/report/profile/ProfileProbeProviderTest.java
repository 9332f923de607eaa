package dev.headway.report.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.RunInfo;
import dev.headway.probes.csv.RecordedSteps;
import dev.headway.testkit.FakeRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileProbeProviderTest {

  @TempDir private Path temporary;

  @Test
  void shouldPutTheFileAsideAtTheSizeThatAVariableNames() {
    final Map<String, String> environment =
        Map.of(
            "VLLM_SCHEDULER_PROFILING_LOG_ROTATE_BYTES", "5000",
            "HEADWAY_SCHEDULER_PROFILING_LOG_ROTATE_BYTES", "many");

    final ProfileSettings vllm =
        ProfileSettings.resolve(
            Map.of(), name -> null, name -> name.startsWith("VLLM") ? environment.get(name) : null);
    final ProfileSettings wrong = ProfileSettings.resolve(Map.of(), name -> null, environment::get);

    assertThat(vllm.options().rotateBytes()).isEqualTo(5_000);
    assertThat(vllm.warnings()).isEmpty();
    assertThat(wrong.options().rotateBytes()).isZero();
    assertThat(wrong.warnings())
        .containsExactly(
            "HEADWAY_SCHEDULER_PROFILING_LOG_ROTATE_BYTES must be a number of bytes, 0 for never,"
                + " so the file is not put aside:"
                + " HEADWAY_SCHEDULER_PROFILING_LOG_ROTATE_BYTES=many");
  }

  @Test
  void shouldWantNothingUnlessSomebodySwitchesItOn() throws IOException {
    try (Probe probe = create(Map.of(), Map.of(), Map.of())) {
      assertThat(probe.interests()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "option, enabled, log",
    "property, headway.scheduler.profiling, headway.scheduler.profiling.log",
    "variable, HEADWAY_ENABLE_SCHEDULER_PROFILING, HEADWAY_SCHEDULER_PROFILING_LOG",
    "variable, VLLM_ENABLE_SCHEDULER_PROFILING, VLLM_SCHEDULER_PROFILING_LOG"
  })
  void shouldWriteALinePerStepWhenSwitchedOn(String where, String enabled, String log)
      throws IOException {
    final Path file = temporary.resolve("p.jsonl");
    final Map<String, String> given = Map.of(enabled, "true", log, file.toString());

    try (Probe probe =
        create(
            where.equals("option") ? given : Map.of(),
            where.equals("property") ? given : Map.of(),
            where.equals("variable") ? given : Map.of())) {
      RecordedSteps.play(probe, 25);
    }

    assertThat(Files.readAllLines(file)).hasSize(25);
    assertThat(Files.readString(file)).startsWith("{\"batch_id\":0,");
  }

  @Test
  void shouldRefuseAnOptionThatIsNone() {
    assertThatThrownBy(() -> create(Map.of("path", "x"), Map.of(), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "profile options must be among [console, enabled, fileName, level, log, overflow,"
                + " ringBytes, rotateBytes]: unknown=[path]");
  }

  private static Probe create(
      Map<String, String> options, Map<String, String> properties, Map<String, String> variables)
      throws IOException {
    final RunInfo run = FakeRun.builder(64).build();
    return new ProfileProbeProvider(properties::get, variables::get)
        .create(new ProbeContext(run, options));
  }
}
