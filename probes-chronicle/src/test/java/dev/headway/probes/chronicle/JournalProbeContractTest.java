package dev.headway.probes.chronicle;

import dev.headway.api.probe.Probe;
import dev.headway.events.record.JournalLevel;
import dev.headway.testkit.probe.ProbeContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The journal keeps the contract. */
class JournalProbeContractTest extends ProbeContract {

  @TempDir private Path folder;

  @Override
  protected Probe create() {
    try {
      return JournalProbe.open(Journals.options(folder.resolve("journal"), JournalLevel.FULL));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
