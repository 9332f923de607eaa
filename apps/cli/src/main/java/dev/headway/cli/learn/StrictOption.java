package dev.headway.cli.learn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** What becomes of recorded rows that are wrong, or of requests that failed. */
final class StrictOption {

  @Option(
      names = "--strict",
      description =
          "Refuse recordings with rows of failed requests, and rows that are wrong; otherwise they"
              + " are left out and counted, but calibrate always refuses wrong ones.")
  private boolean strict;

  /**
   * Refuses what was left out, if it is to be refused.
   *
   * @param recorded where the rows are
   * @param wrong how many rows, by reason; empty if none
   * @param label the reason in words
   * @throws IOException names the reasons and how many rows
   */
  <T> void require(Path recorded, Map<T, Integer> wrong, Function<T, String> label)
      throws IOException {
    if (strict && !wrong.isEmpty()) {
      throw new IOException(
          "with --strict every row must be usable: "
              + recorded
              + " has "
              + wrong.entrySet().stream()
                  .map(each -> each.getValue() + " " + label.apply(each.getKey()))
                  .collect(Collectors.joining(", "))
              + "; leave --strict out to count them");
    }
  }
}
