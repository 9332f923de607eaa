package dev.headway.loadgen.dataset;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;
import java.nio.file.Path;

/** Data sets of texts: conversations, and lines of prompts. */
class ConversationFileFuzzTest extends ParserFuzz {

  ConversationFileFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path file = file("data.json", input);
    ConversationFile.hasPrompts(file);
    if (ConversationFile.hasConversations(file)) {
      ConversationFile.readConversations(file, 1_000, null, 1);
    } else {
      ConversationFile.readPrompts(file, 1_000, null);
    }
  }
}
