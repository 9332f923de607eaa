package dev.headway.routing.kvevents.codec;

import dev.headway.fuzz.ParserFuzz;

/** Batches of KV events, from engines of other makers. */
class KvEventFuzzTest extends ParserFuzz {

  KvEventFuzzTest() {
    super(KvEventFormatException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    KvEventDecoder.decode(input);
  }
}
