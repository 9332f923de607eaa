package dev.headway.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
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

  @ParameterizedTest
  @CsvSource({
    "h100, '; the nearest: h100-pcie, h100-sxm'",
    "H100, '; the nearest: h100-pcie, h100-sxm'",
    "L40, '; the nearest: l40s'",
    "h10, '; the nearest: h100-pcie, h100-sxm'",
    "a1, '; the nearest: a10'"
  })
  void shouldNameFirstWhatBeginsAsItWasWritten(String written, String hint) {
    assertThat(NearestName.hint(written, List.of("a10", "a40", "h100-pcie", "h100-sxm", "l40s")))
        .isEqualTo(hint);
    assertThat(NearestName.misspelt("h100", List.of("h100-pcie"))).isEmpty();
  }

  @Test
  void shouldNotListAllThatBeginWithALittle() {
    final List<String> names = List.of("max-a", "max-b", "max-c", "max-d", "max-e", "max-f");

    assertThat(NearestName.hint("max", names)).isEqualTo("; the nearest: max-a");
  }
}
