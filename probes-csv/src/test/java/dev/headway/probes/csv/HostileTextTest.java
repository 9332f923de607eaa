package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.toolbox.output.OverwriteMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

class HostileTextTest {

  private static final List<String> IDS =
      List.of(
          "plain",
          "with,comma",
          "with \"quotes\"",
          "\"=cmd",
          "two\nlines",
          "carriage\r\nreturn",
          "=HYPERLINK(\"http://x\")",
          "+1",
          "-1",
          "@SUM(A1)",
          "\t=1+1",
          "\r=1",
          "\n=1",
          "'already",
          "\uFF1D1+1",
          "nul\u0000inside",
          "\u0000",
          "esc\u001B[31m",
          "\u2028line",
          " leading and trailing ",
          "#comment",
          "\uFEFFbom",
          "pair\uD83D\uDE00",
          "\u65E5\u672C");

  @TempDir private Path temporary;

  @ParameterizedTest
  @EnumSource(TextPolicy.class)
  void shouldRoundTripEveryId(TextPolicy policy) {
    final CsvResult result = convert(IDS, policy);

    assertThat(result.requests())
        .extracting(row -> original(row.get("request_id"), policy))
        .containsExactlyElementsOf(IDS);
    assertThat(result.requests())
        .extracting(row -> original(row.get("tenant"), policy))
        .containsExactlyElementsOf(IDS);
    assertThat(result.iterationRequests())
        .extracting(row -> original(row.get("request_id"), policy))
        .containsExactlyElementsOf(IDS);
  }

  @Test
  void shouldStartNoTextLikeAFormula() {
    final CsvResult result = convert(IDS, TextPolicy.NEUTRALISED);

    for (Map<String, String> row : result.requests()) {
      for (String column : List.of("request_id", "tenant", "message")) {
        final String cell = row.get(column);
        assertThat(cell.isEmpty() ? ' ' : cell.charAt(0))
            .as(column + "=" + cell)
            .isNotIn('=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D');
      }
    }
  }

  @Test
  void shouldLeaveNumbersAlone() {
    final EventScript script = EventScript.full().queued(0, "=a", 1, 2, 8, -7, "-5").runEnded(3);

    final Map<String, String> row =
        CsvResult.of(script, temporary.resolve("out")).requests().get(0);

    assertThat(row)
        .containsEntry("request_id", "'=a")
        .containsEntry("tenant", "'-5")
        .containsEntry("priority_score", "-7");
  }

  @Test
  void shouldReplaceHalfASurrogatePairAndKeepItInJson() {
    final EventScript script =
        EventScript.full()
            .queued(0, "a\uD800b\uDC00", 1, 2, 8)
            .queued(1, "other", 1, 2, 8)
            .blocked(1, 1, "head_of_line", 0, 0, 0)
            .planned(new StepScript(1, 5, 6).counts(0, 2, 0, 100));

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.requests().get(0)).containsEntry("request_id", "a\uFFFDb\uFFFD");
    final String details = result.events("request_blocked").get(0).get("details");
    assertThat(details).contains("a\\ud800b\\udc00");
    assertThat(new JsonMapper().readTree(details).get("blocker").asString())
        .isEqualTo("a\uD800b\uDC00");
  }

  @Test
  void shouldRoundTripRandomIds() {
    for (long seed = 1; seed <= 5; seed++) {
      final Random random = new Random(seed);
      final List<String> ids =
          random.ints(200, 1, 12).mapToObj(length -> randomText(random, length)).toList();

      final CsvResult result =
          CsvResult.of(script(ids), temporary.resolve("seed" + seed), ConvertOptions.DEFAULT);

      assertThat(result.requests())
          .as("seed=%s", seed)
          .extracting(row -> original(row.get("request_id"), TextPolicy.NEUTRALISED))
          .containsExactlyElementsOf(ids);
    }
  }

  @Test
  void shouldKeepJsonOnOneLineOfPrintableCharacters() {
    final CsvResult result = convert(IDS, TextPolicy.NEUTRALISED);

    for (Map<String, String> row : result.events()) {
      final byte[] details = row.get("details").getBytes(StandardCharsets.UTF_8);
      for (byte b : details) {
        assertThat(b).as(row.get("details")).isBetween((byte) 0x20, (byte) 0x7E);
      }
    }
  }

  private CsvResult convert(List<String> ids, TextPolicy policy) {
    return CsvResult.of(
        script(ids),
        temporary.resolve("out"),
        new ConvertOptions(OverwriteMode.REFUSE, policy, IterationRequests.FULL, IdLists.FULL));
  }

  private static EventScript script(List<String> ids) {
    final EventScript script = EventScript.full();
    for (int i = 0; i < ids.size(); i++) {
      script.queued(i, ids.get(i), 1, 2, 8, 0, ids.get(i));
    }
    return script.planned(new StepScript(1, 5, 6).counts(0, ids.size(), 0, 100));
  }

  private static String original(String cell, TextPolicy policy) {
    return policy == TextPolicy.NEUTRALISED && cell.startsWith("'") ? cell.substring(1) : cell;
  }

  private static String randomText(Random random, int length) {
    final String alphabet = "ab,;\"'\n\r\t =+-@\u0000\u001B\u00E9\u65E5\uFF0B#\\";
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }
}
