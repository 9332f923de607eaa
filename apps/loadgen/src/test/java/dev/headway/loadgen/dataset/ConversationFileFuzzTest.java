package dev.headway.loadgen.dataset;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import java.io.IOException;
import java.nio.file.Path;

/** Data sets of texts: conversations, and lines of prompts. */
class ConversationFileFuzzTest extends ParserFuzz {

  ConversationFileFuzzTest() {
    super(IOException.class, TraceFormatException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path file = file("data.json", input);
    ConversationFile.hasPrompts(file);
    final Load load = new Load(file.toString(), TraceFormat.AUTO, 1, 1_000, 0);
    if (ConversationFile.hasConversations(file)) {
      ConversationFile.readConversations(load, null, 1);
    } else {
      ConversationFile.readPrompts(load, null);
    }
  }
}
