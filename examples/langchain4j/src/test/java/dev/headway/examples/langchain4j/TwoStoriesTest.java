package dev.headway.examples.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TwoStoriesTest {

  private static final Path MODEL =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  @Test
  void shouldSayWhyTheSecondStoryWaited() throws Exception {
    final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    final PrintStream console = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      TwoStories.main(MODEL.toString());
    } finally {
      System.setOut(console);
    }

    final String text = printed.toString(StandardCharsets.UTF_8);
    assertThat(text).contains("TokenUsage { inputTokenCount = ").contains("first token after ");
    assertThat(text.lines().toList().getLast()).contains("waited {").contains("max_num_seqs=");
  }
}
