package dev.headway.api.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {

  private static final List<String> NAMES = List.of("fcfs", "priority", "round-robin", "vtc");

  @ParameterizedTest
  @CsvSource({
    "prioritty, '; the nearest: priority'",
    "vtcc, '; the nearest: vtc'",
    "robin-round, ''",
    "round_robbin, '; the nearest: round-robin'",
    "lifo, ''"
  })
  void shouldNameWhatWasMeantIfAnythingIsNear(String written, String hint) {
    assertThat(NearestName.hint(written, NAMES)).isEqualTo(hint);
  }
}
