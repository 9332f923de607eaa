package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finding the first byte behind a hole, whatever part of the file the window holds. */
final class FileWindowTest {

  private static final int FILE_BYTES = 20_000;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "0, 0, 8192",
    "4095, 0, 8192",
    "4096, 0, 8192",
    "4097, 1, 8192",
    "8191, 8191, 8192",
    "8192, 1, 8192",
    "12300, 4, 5000",
    "19999, 0, 3000",
    "19999, 19999, 8192"
  })
  void given_aByteBehindZeros_when_searched_then_itsPositionIsFound(
      int at, int from, int windowBytes) throws IOException {
    final byte[] content = new byte[FILE_BYTES];
    content[at] = -1;
    try (FileWindow window = FileWindow.open(file(content), windowBytes)) {
      assertThat(window.firstNonZero(from)).isEqualTo(at);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 8192", "4097, 8192", "20000, 3000", "30000, 8192"})
  void given_nothingButZeros_when_searched_then_nothingIsFound(int from, int windowBytes)
      throws IOException {
    final byte[] content = new byte[FILE_BYTES];
    content[0] = (byte) (from > 0 ? 1 : 0); // before where it begins
    try (FileWindow window = FileWindow.open(file(content), windowBytes)) {
      assertThat(window.firstNonZero(from)).isEqualTo(-1);
    }
  }

  private Path file(byte[] content) throws IOException {
    return Files.write(directory.resolve("file"), content);
  }
}
