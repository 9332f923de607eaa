package dev.headway.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class QuickstartTest {

  @Test
  void shouldPrintTokensAndTheOutcome() throws InterruptedException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      Quickstart.main(new String[0]);
    } finally {
      System.setOut(before);
    }

    final String[] lines = bytes.toString(StandardCharsets.UTF_8).split("\\R");
    assertThat(lines).hasSize(17);
    for (int i = 0; i < 16; i++) {
      assertThat(lines[i]).matches("token " + i + ": \\d+");
    }
    assertThat(lines[16])
        .isEqualTo("Finished[id=hello, reason=LENGTH, outputTokens=16, preemptions=0]");
  }
}
