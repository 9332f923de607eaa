package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many files of events, journal and CSV there are between an event and its row. */
class FilesOfAnEventTest {

  private static final int MOST = 122;

  @TempDir private Path temporary;

  @Test
  void shouldNotNeedMoreFilesThanItDoes() throws IOException, InterruptedException {
    final List<String> files =
        InitializedFiles.of(OneRequest.class, temporary, temporary.toString()).stream()
            .filter(file -> file.matches("dev/headway/(events|probes)/.*"))
            .toList();

    assertThat(files)
        .as(
            "files that one request runs through on its way into a journal and CSV files: can a new"
                + " one be left out where it is not asked for, or is it part of another? If not,"
                + " raise MOST; if there are fewer now, lower it")
        .contains("dev/headway/probes/csv/projection/EventRows")
        .hasSizeLessThanOrEqualTo(MOST);
  }
}
