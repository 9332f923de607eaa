package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files of {@link Scenarios#preemption}, byte for byte. They are rewritten only by {@code mvn
 * test -Dtest=GoldenFilesTest -Dheadway.regenerateGolden=true}; look at every difference.
 */
class GoldenFilesTest {

  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "preemption");

  @TempDir private Path temporary;

  @Test
  void shouldWriteTheGoldenFiles() throws IOException {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.createDirectories(GOLDEN);
      for (Map.Entry<String, String> file : result.allText().entrySet()) {
        Files.writeString(GOLDEN.resolve(file.getKey()), file.getValue());
      }
    }

    final Map<String, String> golden = new CsvResult(GOLDEN).allText();
    assertThat(result.allText().keySet()).isEqualTo(golden.keySet());
    golden.forEach((name, text) -> assertThat(result.text(name)).as(name).isEqualTo(text));
  }
}
