package dev.headway.probes.chronicle;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;
import java.nio.file.Path;

/** Journals with any bytes behind the head of the file. */
class JournalFileFuzzTest extends ParserFuzz {

  JournalFileFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path run = file("run.cq4", RecordFiles.store(input)).getParent();
    JournalPump.pump(run, new RunModel(new RunListener() {}), (records, total, permille) -> {});
  }
}
