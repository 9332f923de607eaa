package dev.headway.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SafeTextTest {

  @Test
  void shouldKeepAnIdOnItsLine() {
    final String forged = "r1\r\n12:00:00 INFO all is well\u001b[2K\u0000\u2028\u2029\u202e";

    assertThat(SafeText.of(forged))
        .isEqualTo(
            "r1\\u000d\\u000a12:00:00 INFO all is well\\u001b[2K\\u0000\\u2028\\u2029\\u202e");
  }

  @Test
  void shouldShowTagsAndHalfCharacters() {
    assertThat(SafeText.of("a\tb\uD800c\uDB40\uDC41\uDC00"))
        .as("a tag is a format character outside the basic plane")
        .isEqualTo("a\\u0009b\\ud800c\\udb40\\udc41\\udc00");
  }

  @Test
  void shouldLeaveHarmlessNamesAlone() {
    final String name = "r-1 \u00fc\u6f22\uD83D\uDE80";

    assertThat(SafeText.of(name)).isSameAs(name);
    assertThat(SafeText.of("")).isEmpty();
    assertThat(SafeText.of(name + "\n" + name)).isEqualTo(name + "\\u000a" + name);
  }
}
