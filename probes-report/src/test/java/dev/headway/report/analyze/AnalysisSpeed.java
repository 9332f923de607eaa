package dev.headway.report.analyze;

import java.io.IOException;
import java.nio.file.Path;

/**
 * How long it takes to read and analyse a profile, and to compare it with itself.
 *
 * <p>Run it with the file as its argument and {@code -Xmx400m}; a million steps must take less than
 * 10 s and 512 MB.
 */
final class AnalysisSpeed {

  private AnalysisSpeed() {}

  public static void main(String[] arguments) throws IOException {
    final StepTable table = new StepTable();
    final long beganNs = System.nanoTime();
    ProfileReader.read(Path.of(arguments[0]), table);
    final long readNs = System.nanoTime();
    Analysis.of(table, WarmUp.DEFAULT);
    final long analysedNs = System.nanoTime();
    Comparison.of(table, table);
    final long comparedNs = System.nanoTime();
    System.out.println(
        "steps="
            + table.size()
            + ", readMs="
            + (readNs - beganNs) / 1_000_000
            + ", analyseMs="
            + (analysedNs - readNs) / 1_000_000
            + ", compareMs="
            + (comparedNs - analysedNs) / 1_000_000);
  }
}
