package dev.headway.loadgen.client;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.loadgen.sse.SseParser;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Answers of servers that are measured: streams of events, cut anywhere, and whole bodies. */
class SseFuzzTest extends ParserFuzz {

  private static List<String> events(byte[] input, int part) {
    final List<String> events = new ArrayList<>();
    final SseParser parser =
        new SseParser(event -> events.add(new String(event, StandardCharsets.ISO_8859_1)));
    for (int at = 0; at < input.length; at += part) {
      parser.feed(Unpooled.wrappedBuffer(input, at, Math.min(part, input.length - at)));
    }
    parser.end();
    return events;
  }

  SseFuzzTest() {
    super();
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final List<String> whole = events(input, Math.max(1, input.length));
    if (!whole.equals(events(input, 1)) || !whole.equals(events(input, 7))) {
      throw new AssertionError("events must be the same wherever the bytes are cut: " + whole);
    }
    final AnswerReader events = new AnswerReader(new Exchange(true, ended -> {}));
    whole.forEach(event -> events.event(event.getBytes(StandardCharsets.ISO_8859_1), 1));
    new AnswerReader(new Exchange(true, ended -> {})).whole(input, 1);
    new AnswerReader(new Exchange(true, ended -> {})).refused(500, input, 1);
  }
}
