package dev.headway.cli.load;

import dev.headway.probes.chronicle.JournalSource;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.Workloads;
import dev.headway.simulation.workload.generated.LoadDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** The journal of a run as a load: see {@link JournalRows}. Stateless. */
public final class JournalDirectory implements LoadDirectory {

  /** For the service loader. */
  public JournalDirectory() {}

  @Override
  public boolean isOne(Path directory) throws IOException {
    return JournalSource.isJournal(directory);
  }

  @Override
  public Workload open(Path directory) throws IOException {
    return Workloads.ordered(directory.toString(), JournalRows.open(directory));
  }
}
