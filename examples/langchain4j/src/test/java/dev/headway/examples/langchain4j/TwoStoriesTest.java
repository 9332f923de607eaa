package dev.headway.examples.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TwoStoriesTest {

  private static final Path MODEL =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  @Test
  void shouldStreamAStoryAndSayWhyTheNextWaitedAsTheMetricsDo() throws Exception {
    // when
    final List<String> printed = printedBy(() -> TwoStories.main(MODEL.toString()));

    // then
    final String waited = printed.get(printed.size() - 2);
    final String metrics = printed.getLast();
    final List<String> tokens = printed.subList(0, printed.size() - 2);
    assertThat(tokens).hasSizeGreaterThan(10);
    assertThat(String.join("", tokens)).containsPattern("[a-z]+ [a-z]+");
    assertThat(metrics).contains("headway.tokens(COUNTER)[type='prompt']; count=46.0");
    final BigDecimal waitedNs =
        number("waited \\{.*\\bmax_num_seqs=([0-9]+) ns", waited).movePointLeft(9);
    assertThat(number("waited\\(COUNTER\\)\\[reason='max_num_seqs'\\]; count=([0-9.E-]+)", metrics))
        .isEqualByComparingTo(waitedNs);
  }

  private interface Program {
    void run() throws Exception;
  }

  /** What is printed, in the pieces in which it is. */
  private static List<String> printedBy(Program program) throws Exception {
    final List<String> printed = new CopyOnWriteArrayList<>();
    final PrintStream console = System.out;
    System.setOut(
        new PrintStream(OutputStream.nullOutputStream()) {
          @Override
          public void print(String text) {
            printed.add(text);
          }
        });
    try {
      program.run();
    } finally {
      System.setOut(console);
    }
    return printed;
  }

  private static BigDecimal number(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .findFirst()
        .map((MatchResult found) -> new BigDecimal(found.group(1)))
        .orElseThrow(() -> new AssertionError(pattern + " is not in: " + text));
  }
}
