package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page of the documentation is what the column definitions say. */
class CsvReferenceTest {

  @Test
  void shouldEqualTheCommittedPage() throws IOException {
    final String committed = Files.readString(Path.of("../site/reference/csv.md"));

    assertThat(CsvReference.markdown())
        .as("run site/scripts/csv-reference.sh to write site/reference/csv.md anew")
        .isEqualTo(committed);
  }
}
