package dev.headway.probes.chronicle;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;
import java.nio.file.Path;

/** Journals of any records with right lengths, sequences and checksums. */
class JournalRecordsFuzzTest extends ParserFuzz {

  JournalRecordsFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path run = file("run.cq4", RecordFiles.store(RecordFiles.sealed(input))).getParent();
    JournalPump.pump(run, new RunModel(new RunListener() {}), (records, total, permille) -> {});
  }
}
