package dev.headway.toolbox.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.Absent;
import org.junit.jupiter.api.Test;

class AbsenceTest {

  @Test
  void shouldBeTheValueOfTheApi() {
    assertThat(Absence.ABSENT).isEqualTo(Absent.ABSENT);
  }
}
