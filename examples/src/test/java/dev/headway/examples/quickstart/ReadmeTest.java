package dev.headway.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README shows code that compiles: the region of {@link Quickstart}. */
class ReadmeTest {

  @Test
  void shouldShowTheQuickstartAsItIs() throws IOException {
    final String source =
        Files.readString(Path.of("src/main/java/dev/headway/examples/quickstart/Quickstart.java"));
    final String region =
        source.substring(
            source.indexOf('\n', source.indexOf("@start region")) + 1,
            source.indexOf("    // @end"));

    final String readme = Files.readString(Path.of("../README.md"));

    assertThat(readme).contains("```java\n" + region.stripTrailing().stripIndent() + "\n```");
  }
}
