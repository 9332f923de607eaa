package dev.headway.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditDistanceTest {

  @ParameterizedTest
  @CsvSource({
    "'',      '',        0",
    "'',      abc,       3",
    "abc,     '',        3",
    "abc,     abc,       0",
    "abc,     abd,       1",
    "abc,     xbc,       1",
    "abc,     abcd,      1",
    "abc,     bc,        1",
    "abc,     acb,       2",
    "kitten,  sitting,   3",
    "sunday,  saturday,  3"
  })
  void shouldCountWhatIsInsertedDeletedAndReplaced(String from, String to, int distance) {
    assertThat(new EditDistance(from).to(to)).isEqualTo(distance);
    assertThat(new EditDistance(to).to(from)).as("the same way back").isEqualTo(distance);
  }

  @Test
  void shouldForgetTheWordBefore() {
    final EditDistance distance = new EditDistance("abc");

    assertThat(distance.to("something long")).isEqualTo(14);
    assertThat(distance.to("ab")).isEqualTo(1);
    assertThat(distance.to("abcdef")).isEqualTo(3);
  }
}
