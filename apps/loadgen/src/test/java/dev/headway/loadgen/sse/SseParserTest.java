package dev.headway.loadgen.sse;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SseParserTest {

  private static final String STREAM =
      ": a comment\n\n"
          + "data: {\"text\":\"żółć 漢字 🙂\"}\n\n"
          + "event: ping\nid: 3\ndata:no blank\r\n\r\n"
          + "data: two\ndata: lines\n\n"
          + "retry: 100\n\n"
          + "data\n\n"
          + "data: [DONE]\n\n";
  private static final List<String> EVENTS =
      List.of("{\"text\":\"żółć 漢字 🙂\"}", "no blank", "two\nlines", "[DONE]");

  private static List<String> parse(List<byte[]> parts) {
    final List<String> events = new ArrayList<>();
    final SseParser parser =
        new SseParser(data -> events.add(new String(data, StandardCharsets.UTF_8)));
    parts.forEach(part -> parser.feed(Unpooled.wrappedBuffer(part)));
    parser.end();
    return events;
  }

  @Test
  void shouldFindEventsInOneRead() {
    assertThat(parse(List.of(STREAM.getBytes(StandardCharsets.UTF_8)))).isEqualTo(EVENTS);
  }

  @Test
  void shouldFindThemHoweverTheBytesAreCut() {
    final byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
    for (long seed = 0; seed < 300; seed++) {
      final Random random = new Random(seed);
      final List<byte[]> parts = new ArrayList<>();
      int from = 0;
      while (from < bytes.length) {
        final int to = Math.min(bytes.length, from + 1 + random.nextInt(seed % 2 == 0 ? 3 : 40));
        parts.add(java.util.Arrays.copyOfRange(bytes, from, to));
        from = to;
      }

      assertThat(parse(parts)).as("seed %d", seed).isEqualTo(EVENTS);
    }
  }

  @Test
  void shouldReportAnEventThatLacksItsBlankLine() {
    assertThat(parse(List.of("data: last".getBytes(StandardCharsets.UTF_8))))
        .containsExactly("last");
  }
}
