package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.all;
import static dev.headway.simulation.workload.TraceFixture.gzip;
import static dev.headway.simulation.workload.TraceFixture.trace;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every refusal with its whole message. */
class TraceErrorsTest {
  private static final String AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens";
  private static final String VIDUR = "arrived_at,num_prefill_tokens,num_decode_tokens";
  private static final String OWN = "request_id,arrival_ns,input_tokens,output_tokens";
  private static final TraceLimits SMALL = new TraceLimits(64, 4096, 20, 16, 1024);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "2023-11-16 18:00:00,12x,1 | ContextTokens, value='12x'; must be an integer >= 0",
        "2023-11-16 18:00:00,-5,1 | ContextTokens, value='-5'; must be an integer >= 0",
        "2023-11-16 18:00:00,NaN,1 | ContextTokens, value='NaN'; must be an integer >= 0",
        "2023-11-16 18:00:00,1,-1 | GeneratedTokens, value='-1'; must be an integer >= 0",
        "2023-11-16 18:00:00,16777217,1 | ContextTokens, value='16777217'; must be <= 16777216",
        "2023-11-16 18:00:00,1,99999999999999999999 | GeneratedTokens,"
            + " value='99999999999999999999'; must be <= 16777216",
        "2023-13-16 18:00:00,1,1 | TIMESTAMP, value='2023-13-16 18:00:00'; must be a UTC date and"
            + " time such as 2023-11-16 18:15:46.6805900",
        "2023-02-30 18:00:00,1,1 | TIMESTAMP, value='2023-02-30 18:00:00'; must be a UTC date and"
            + " time such as 2023-11-16 18:15:46.6805900",
        "9999-01-01 00:00:00,1,1 | TIMESTAMP, value='9999-01-01 00:00:00'; must be before"
            + " 2262-04-11",
        "1969-12-31 23:59:59,1,1 | TIMESTAMP, value='1969-12-31 23:59:59'; must be in 1970 or"
            + " later",
      })
  void shouldNameTheCellOfAnAzureTrace(String row, String message) {
    shouldFail(
        () -> trace(TraceFormat.AUTO, AZURE, "2023-11-16 18:00:00,1,1", "", row),
        "trace row is not readable: file=t, line=4, column=" + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "NaN,1,1 | arrived_at, value='NaN'; must be a number of seconds >= 0",
        "Infinity,1,1 | arrived_at, value='Infinity'; must be a number of seconds >= 0",
        "-0.1,1,1 | arrived_at, value='-0.1'; must be a number of seconds >= 0",
        "1e10,1,1 | arrived_at, value='1e10'; must be less than 2^63 nanoseconds",
        "1e999999999,1,1 | arrived_at, value='1e999999999'; must be less than 2^63 nanoseconds",
        "1,2.5,1 | num_prefill_tokens, value='2.5'; must be an integer >= 0",
      })
  void shouldNameTheCellOfAVidurTrace(String row, String message) {
    shouldFail(
        () -> trace(TraceFormat.VIDUR, VIDUR, row),
        "trace row is not readable: file=t, line=2, column=" + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        " ,1,1,1,,,, | request_id, value=''; must not be blank",
        "a,-1,1,1,,,, | arrival_ns, value='-1'; must be an integer >= 0",
        "a,9223372036854775807,1,1,,,, | arrival_ns, value='9223372036854775807'; must be <="
            + " 9223372036854775806",
        "a,1,1,1,,9999999999,, | priority, value='9999999999'; must be <= 2147483647",
        "a,1,5,1,,,g,6 | prefix_tokens, value='6'; must be <= 5",
        "a,1,5,1,,,g, | prefix_tokens, value=''; must be an integer >= 1",
        "a,1,5,1,,,,3 | prefix_group, value=''; must be given together with prefix_tokens",
      })
  void shouldNameTheCellOfOurOwnTrace(String row, String message) {
    shouldFail(
        () -> trace(TraceFormat.HEADWAY, OWN + ",tenant,priority,prefix_group,prefix_tokens", row),
        "trace row is not readable: file=t, line=2, column=" + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '#',
      value = {
        "{`timestamp`:-1,`input_length`:1,`output_length`:1} => timestamp, value='-1'; must be a"
            + " number of milliseconds >= 0",
        "{`timestamp`:`7`,`input_length`:1,`output_length`:1} => timestamp, value='\"7\"'; must be"
            + " a number of milliseconds >= 0",
        "{`timestamp`:1,`input_length`:1.5,`output_length`:1} => input_length, value='1.5'; must"
            + " be an integer >= 0",
        "{`timestamp`:1,`input_length`:1} => output_length|output_tokens, value=missing; must be"
            + " an integer >= 0",
        "{`timestamp`:1,`input_length`:512,`output_length`:1,`hash_ids`:[1,2]} => hash_ids,"
            + " value='2 ids'; must be at most 1 blocks of 512 tokens for 512 input tokens",
        "{`timestamp`:1,`hash_ids`:[-4]} => hash_ids, value='-4'; must be an integer >= 0",
        "{`timestamp`:1,`hash_ids`:[4294967296]} => hash_ids, value='4294967296'; must be <="
            + " 2147483647",
        "{`timestamp`:1,`hash_ids`:[`4`]} => hash_ids, value='not a number'; must be a list of"
            + " block ids",
        "{`timestamp`:1,`hash_ids`:{}} => hash_ids, value='{...}'; must be a list of block ids",
        "{`timestamp`:1,`timestamp`:2} => timestamp, value='given twice'; must be there once",
        "{`timestamp`:NaN} => timestamp; must be one JSON object",
        "{`timestamp`:1 => timestamp; must be one JSON object",
        "{`timestamp`:1} {} => timestamp; must be one JSON object",
        "[1] => none; must be one JSON object",
        "x => none; must be one JSON object",
      })
  void shouldNameTheMemberOfAMooncakeTrace(String row, String message) {
    shouldFail(
        () ->
            trace(
                TraceFormat.MOONCAKE,
                "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}",
                row.replace('`', '"')),
        "trace row is not readable: file=t, line=2, column=" + message);
  }

  @Test
  void shouldListTheColumnsThatAreMissing() {
    shouldFail(
        () -> trace(TraceFormat.AZURE, "", "TIMESTAMP,ContextToken,GeneratedTokens"),
        "trace header must have the columns of its format: file=t, line=2, format=azure,"
            + " missing=[ContextTokens], found=[TIMESTAMP, ContextToken, GeneratedTokens],"
            + " expected=[TIMESTAMP, ContextTokens, GeneratedTokens]");
  }

  @Test
  void shouldListTheKnownFormatsWhenNoneFits() {
    shouldFail(
        () -> trace(TraceFormat.AUTO, "time,in,out"),
        "trace must have the columns of a known format: file=t, line=1, found=['time', 'in',"
            + " 'out'], expected one of azure [TIMESTAMP, ContextTokens, GeneratedTokens], vidur"
            + " [arrived_at, num_prefill_tokens, num_decode_tokens], burstgpt [Timestamp, Request"
            + " tokens, Response tokens], tracev2 [arrival_time_us, input_tokens, output_tokens,"
            + " request_id], measured [arrival_s, input_tokens, output_tokens, request_id], headway"
            + " [arrival_ns|arrival_time, input_tokens, output_tokens, request_id]");
    shouldFail(
        () -> trace(TraceFormat.AUTO, "{\"t\": 1}"),
        "trace must have the columns of a known format: file=t, line=1, found=['t'], expected one"
            + " of bailian [timestamp, input_length, output_length, chat_id], mooncake"
            + " [timestamp|created_time, input_length|input_tokens, output_length|output_tokens],"
            + " llmservingsim [arrival_time_ns, input_toks, output_toks], llmservingsim-run"
            + " [arrival_time, input_toks, output_toks, request_id, queued_ts]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{`conversations`: 3}] | file=t, line=1; conversations must be an array",
        "[1] | file=t, line=1; must be a conversation, an object",
        "[{`conversations`: [`x`]}] | file=t, line=1; a turn must be an object",
        "[{`id`: | file=t, line=1; must be an array of conversations in JSON",
      })
  void shouldSayWhatAShareGptFileMustBe(String json, String message) {
    shouldFail(
        () -> trace(TraceFormat.AUTO, json.replace('`', '"')), "trace is not readable: " + message);
  }

  @Test
  void shouldNeedATimeInTheFirstRowOfASession() {
    shouldFail(
        () ->
            trace(
                TraceFormat.MOONCAKE,
                "{\"session_id\": \"a\", \"delay\": 5, \"input_tokens\": 1, \"output_tokens\": 1}"),
        "trace row is not readable: file=t, line=1, column=timestamp, value=missing; must be given"
            + " in the first row of a session");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "7 8 12,16,32,  | prefix_blocks, value='3 ids'; must be at most 2 blocks of 16 tokens for"
            + " 32 input tokens",
        "7 x,16,32,  | prefix_blocks, value='x'; must be an integer >= 0",
        "7,,32,  | prefix_block_tokens, value=''; must be an integer >= 1",
        "7,16,32,shop | prefix_blocks, value='7'; must not be given together with prefix_group",
      })
  void shouldNameTheBlocksOfAnOwnTrace(String cells, String message) {
    shouldFail(
        () ->
            trace(
                TraceFormat.AUTO,
                "request_id,arrival_ns,output_tokens,prefix_blocks,prefix_block_tokens,input_tokens,"
                    + "prefix_group",
                "a,0,1," + cells),
        "trace row is not readable: file=t, line=2, column=" + message);
  }

  @Test
  void shouldRefuseColumnsNamedTwice() {
    shouldFail(
        () -> trace(TraceFormat.VIDUR, VIDUR + ",arrived_at"),
        "trace header must name each column once: file=t, line=1, column=arrived_at");
  }

  @Test
  void shouldRefuseRowsOfAnotherWidth() {
    shouldFail(
        () -> trace(TraceFormat.VIDUR, VIDUR, "1,2"),
        "trace row must have as many columns as the header: file=t, line=2, columns=2,"
            + " expected=3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void shouldCountLinesWhateverTheirEnd(String end) {
    final String text = String.join(end, "", VIDUR, "1,2,3", "", "1,x,3", "");

    shouldFail(
        () -> trace(TraceFormat.AUTO, text.getBytes(UTF_8)),
        "trace row is not readable: file=t, line=5, column=num_prefill_tokens, value='x'; must be"
            + " an integer >= 0");
  }

  @Test
  void shouldRefuseBrokenQuotes() {
    shouldFail(
        () -> trace(TraceFormat.VIDUR, VIDUR, "1,2,3", "1,\"2\"x,3"),
        "trace row is not readable: file=t, line=3; quotes must be closed, and doubled inside");
  }

  @Test
  void shouldRefuseQuotesThatNeverClose() {
    final String open = VIDUR + "\n1,\"2,3\n" + "1,2,3\n".repeat(100_000);

    shouldFail(
        () -> trace(TraceFormat.VIDUR, open.getBytes(UTF_8), SMALL),
        "trace row must not be longer than 64 characters (open quote?): file=t, line=2");
  }

  @Test
  void shouldRefuseEmptyTraces() {
    final String message = "trace must not be empty; a header or a JSON object is expected: file=t";

    shouldFail(() -> trace(TraceFormat.AUTO, new byte[0]), message);
    shouldFail(() -> trace(TraceFormat.MOONCAKE, "\uFEFF\r\n \n".getBytes(UTF_8)), message);
    shouldFail(() -> trace(TraceFormat.AUTO, gzip(new byte[0])), message);
  }

  @Test
  void shouldRefuseTextThatIsNotUtf8() {
    final byte[] latin = (VIDUR + "\n1,2,3\n1,2,\u00E4\n").getBytes(ISO_8859_1);

    shouldFail(() -> trace(TraceFormat.VIDUR, latin), "trace must be UTF-8 text: file=t, line=3");
  }

  @Test
  void shouldRefuseEndlessLines() {
    final byte[] bytes = (VIDUR + "\n" + "1".repeat(65) + "\n").getBytes(UTF_8);

    shouldFail(
        () -> trace(TraceFormat.VIDUR, bytes, SMALL),
        "trace line must not be longer than 64 bytes: file=t, line=2");
  }

  @Test
  void shouldRefuseTruncatedGzip() {
    final byte[] whole = gzip((VIDUR + "\n1,2,3\n").getBytes(UTF_8));

    shouldFail(
        () -> trace(TraceFormat.VIDUR, Arrays.copyOf(whole, whole.length - 8)),
        "gzip file must be complete and undamaged: file=t, linesRead=2, found='early" + " end'");
    shouldFail(
        () -> trace(TraceFormat.VIDUR, Arrays.copyOf(whole, 5)),
        "gzip file must be complete and undamaged: file=t, linesRead=0, found='early end'");
  }

  @Test
  void shouldRefuseGzipInGzip() {
    shouldFail(
        () -> trace(TraceFormat.AUTO, gzip(gzip(VIDUR.getBytes(UTF_8)))),
        "trace must be compressed once, not twice: file=t");
  }

  @Test
  void shouldRefuseGzipBombs() {
    final byte[] bomb = gzip((VIDUR + "\n" + "1,2,3\n".repeat(100_000)).getBytes(UTF_8));

    assertThatThrownBy(() -> all(trace(TraceFormat.VIDUR, bomb, SMALL)))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageMatching(
            "gzip must not expand more than 20 : 1 beyond 4096 bytes: file=t, expanded=\\d+,"
                + " compressed=\\d+");
  }

  @Test
  void shouldSayWhichFileIsNotThere(@TempDir Path directory) {
    final Path missing = directory.resolve("missing.csv");

    assertThatThrownBy(() -> TraceReaders.open(missing))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(missing.toString());
    assertThatThrownBy(() -> TraceReaders.open(directory)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldShowHostileValuesCutAndWithoutControlCharacters() {
    shouldFail(
        () -> trace(TraceFormat.VIDUR, VIDUR, "1,2\u001B[2J" + "9".repeat(100) + ",3"),
        "trace row is not readable: file=t, line=2, column=num_prefill_tokens, value='2\\u001b[2J"
            + "9".repeat(59)
            + "…'; must be an integer >= 0");
  }

  private static void shouldFail(Supplier<Workload> trace, String message) {
    assertThatThrownBy(() -> all(trace.get()))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage(message);
  }
}
