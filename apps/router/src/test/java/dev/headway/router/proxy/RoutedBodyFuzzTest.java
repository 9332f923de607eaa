package dev.headway.router.proxy;

import dev.headway.fuzz.ParserFuzz;
import io.netty.buffer.Unpooled;

/** What the router reads of requests and of the ends of answers; it refuses neither. */
class RoutedBodyFuzzTest extends ParserFuzz {

  RoutedBodyFuzzTest() {
    super();
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    Prompt.read(input);
    final TimingTail tail = new TimingTail();
    tail.add(Unpooled.wrappedBuffer(input));
    tail.timing();
  }
}
