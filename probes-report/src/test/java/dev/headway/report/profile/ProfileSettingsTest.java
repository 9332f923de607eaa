package dev.headway.report.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileSettingsTest {

  private static final String ENABLED = "VLLM_ENABLE_SCHEDULER_PROFILING";
  private static final String LOG = "VLLM_SCHEDULER_PROFILING_LOG";

  @Test
  void shouldBeOffUntilSomebodyAsks() {
    final ProfileSettings settings = settings(Map.of(), Map.of(), Map.of());

    assertThat(settings.enabled()).isFalse();
    assertThat(settings.options())
        .isEqualTo(ProfileOptions.of(Path.of("scheduler_profiling.jsonl")));
    assertThat(settings.warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "true,true",
    "TRUE,true",
    "1,true",
    "yes,true",
    "On,true",
    "false,false",
    "0,false",
    "no,false",
    "off,false",
    "' true ',true"
  })
  void shouldUnderstandEveryWayToSaySo(String value, boolean enabled) {
    final ProfileSettings settings = settings(Map.of(), Map.of(), Map.of(ENABLED, value));

    assertThat(settings.enabled()).isEqualTo(enabled);
    assertThat(settings.warnings()).isEmpty();
  }

  @Test
  void shouldWarnOfWhatItDoesNotUnderstand() {
    final ProfileSettings settings = settings(Map.of(), Map.of(), Map.of(ENABLED, "ture"));

    assertThat(settings.enabled()).isFalse();
    assertThat(settings.warnings())
        .containsExactly(
            "VLLM_ENABLE_SCHEDULER_PROFILING must be one of true, 1, yes, on, false, 0, no, off,"
                + " so it counts as off: VLLM_ENABLE_SCHEDULER_PROFILING=ture");
  }

  @Test
  void shouldTakeApiThenPropertyThenOurVariableThenTheirs() {
    final Map<String, String> environment =
        Map.of(LOG, "theirs.jsonl", "HEADWAY_SCHEDULER_PROFILING_LOG", "ours.jsonl");
    final Map<String, String> properties =
        Map.of("headway.scheduler.profiling.log", "property.jsonl");

    assertThat(log(Map.of(ProfileSwitch.LOG, "api.jsonl"), properties, environment))
        .isEqualTo("api.jsonl");
    assertThat(log(Map.of(), properties, environment)).isEqualTo("property.jsonl");
    assertThat(log(Map.of(), Map.of(), environment)).isEqualTo("ours.jsonl");
    assertThat(log(Map.of(), Map.of(), Map.of(LOG, "theirs.jsonl"))).isEqualTo("theirs.jsonl");
  }

  @Test
  void shouldWarnOfSettingsThatHaveNoEffect() {
    final ProfileSettings settings =
        settings(
            Map.of(),
            Map.of(),
            Map.of(
                LOG,
                "a.jsonl",
                "VLLM_SCHEDULER_PROFILING_LOG_FILENAME",
                "b.jsonl",
                "VLLM_SCHEDULER_PROFILING_CONSOLE",
                "1"));

    assertThat(settings.options().fileName()).isNull();
    assertThat(settings.warnings())
        .containsExactly(
            "VLLM_SCHEDULER_PROFILING_LOG_FILENAME counts for a directory only and is ignored:"
                + " VLLM_SCHEDULER_PROFILING_LOG_FILENAME=b.jsonl, log=a.jsonl",
            "no console lines come, since profiling is off: switch it on with"
                + " HEADWAY_ENABLE_SCHEDULER_PROFILING=true");
  }

  @Test
  void shouldRefuseAFileNameThatLeavesTheDirectory() {
    final ProfileSettings settings =
        settings(
            Map.of(ProfileSwitch.LOG, "logs", ProfileSwitch.FILE_NAME, "../x.jsonl"),
            Map.of(),
            Map.of());

    assertThat(settings.options().fileName()).isNull();
    assertThat(settings.warnings())
        .containsExactly("file_name must be a name without directories and is ignored: ../x.jsonl");
  }

  @ParameterizedTest
  @CsvSource({
    "a/p.jsonl,,a/p.jsonl",
    "a/p.jsonl.gz,,a/p.jsonl.gz",
    "logs,,logs/2026-11-21/profiling_20261121T102203Z.jsonl",
    "logs,mine.jsonl.gz,logs/2026-11-21/mine.jsonl.gz"
  })
  void shouldTakeAFileOrADirectory(String log, String fileName, String file) {
    final Path resolved =
        ProfilePath.resolve(Path.of(log), fileName, Instant.parse("2026-11-21T10:22:03.5Z"));

    assertThat(resolved).isEqualTo(Path.of(file).toAbsolutePath());
  }

  private static String log(
      Map<ProfileSwitch, String> api, Map<String, String> properties, Map<String, String> env) {
    return settings(api, properties, env).options().log().toString();
  }

  private static ProfileSettings settings(
      Map<ProfileSwitch, String> api, Map<String, String> properties, Map<String, String> env) {
    return ProfileSettings.resolve(api, properties::get, env::get);
  }
}
