package dev.headway.examples.firstengine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FirstEngineTest {

  @Test
  void shouldSayWhatEachRequestWaitedFor() throws InterruptedException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      FirstEngine.main(new String[0]);
    } finally {
      System.setOut(before);
    }

    final String[] lines = bytes.toString(StandardCharsets.UTF_8).split("\\R");
    assertThat(lines).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(lines[i])
          .startsWith("Finished[id=r" + i + ", reason=LENGTH, outputTokens=5, preemptions=0]");
    }
    assertThat(lines[3]).contains("MAX_NUM_SEQS");
  }
}
