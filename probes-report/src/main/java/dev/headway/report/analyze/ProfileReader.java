package dev.headway.report.analyze;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Reads profiles: ours, the original's, and its two later shapes. Unknown members are ignored, a
 * line that is no record is counted and skipped, a last line that was cut as well.
 */
public final class ProfileReader {

  private static final int CHUNK = 1 << 16;

  private ProfileReader() {}

  /**
   * What reading came to.
   *
   * @param records lines taken
   * @param malformed lines that are no record
   * @param truncated whether the last line was cut, as by a crash
   */
  public record Summary(long records, long malformed, boolean truncated) {}

  /** Appends all steps of {@code file}, plain or gzip, to {@code table}. */
  public static Summary read(Path file, StepTable table) throws IOException {
    try (InputStream in = open(file)) {
      return read(in, table);
    }
  }

  static Summary read(InputStream in, StepTable table) throws IOException {
    final LineBytes lines = new LineBytes(in);
    final ProfileRecordParser parser = new ProfileRecordParser();
    final StepFigures figures = new StepFigures();
    long records = 0;
    long malformed = 0;
    boolean truncated = false;
    try {
      while (lines.next()) {
        if (isBlank(lines)) {
          continue;
        }
        if (parser.parse(lines.buffer(), lines.start(), lines.length(), figures)) {
          table.add(figures);
          records++;
        } else if (lines.isWhole()) {
          malformed++;
        } else {
          truncated = true;
        }
      }
    } catch (EOFException cutInsideACompressedBlock) {
      truncated = true;
    }
    return new Summary(records, malformed, truncated);
  }

  private static InputStream open(Path file) throws IOException {
    final InputStream raw = new BufferedInputStream(Files.newInputStream(file), CHUNK);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(raw, CHUNK) : raw;
  }

  private static boolean isBlank(LineBytes lines) {
    for (int i = 0; i < lines.length(); i++) {
      if (lines.buffer()[lines.start() + i] > ' ') {
        return false;
      }
    }
    return true;
  }
}
