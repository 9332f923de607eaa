package dev.headway.scheduler.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogTextTest {

  @Test
  void shouldKeepAnIdOnItsLine() {
    final String forged = "r1\r\n12:00:00 INFO all is well\u001b[2K\u0000\u2028\u202e";

    assertThat(LogText.of(forged))
        .isEqualTo("r1\\u000d\\u000a12:00:00 INFO all is well\\u001b[2K\\u0000\\u2028\\u202e");
  }

  @Test
  void shouldLeaveHarmlessNamesAlone() {
    final String name = "r-1 \u00fc\u6f22\uD83D\uDE80";

    assertThat(LogText.of(name)).isSameAs(name);
  }
}
