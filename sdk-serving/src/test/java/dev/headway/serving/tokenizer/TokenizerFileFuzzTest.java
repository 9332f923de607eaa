package dev.headway.serving.tokenizer;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;

/** {@code tokenizer.json}, read by a native library. */
class TokenizerFileFuzzTest extends ParserFuzz {

  TokenizerFileFuzzTest() {
    super(IOException.class, IllegalStateException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (FileTokenizer tokenizer = FileTokenizer.open(file("tokenizer.json", input).getParent())) {
      for (int id : tokenizer.encode("Once upon a time", SpecialTokens.ADDED)) {
        tokenizer.bytes(id);
      }
    }
  }
}
