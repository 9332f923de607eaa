package dev.headway.faultsim;

import dev.headway.api.engine.Engine;
import dev.headway.faultsim.simulation.EngineMaker;
import dev.headway.faultsim.simulation.EngineParts;
import dev.headway.faultsim.simulation.Feature;
import dev.headway.scheduler.engine.EngineBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Engines whose runs are recorded by a journal where the scenario says so, on a disk that may fail.
 * What is read afterwards must be what was reported to another probe. One thread.
 */
public final class JournaledEngines implements EngineMaker, AutoCloseable {

  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "headway-faultsim";

  private final Path directory;
  private @Nullable JournaledRun run;
  private long runs;
  private long failures;
  private long full;

  private JournaledEngines(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes a maker with a directory of its own in memory, or among the temporary ones where no
   * memory can be had as files, for a journal at a time.
   *
   * @throws UncheckedIOException if there can be none
   */
  public static JournaledEngines open() {
    try {
      return new JournaledEngines(
          Files.isWritable(MEMORY)
              ? Files.createTempDirectory(MEMORY, PREFIX)
              : Files.createTempDirectory(PREFIX));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Engine make(EngineParts parts) {
    try {
      endRun();
      if (!parts.has(Feature.JOURNAL)) {
        return HeadwayEngines.builder(parts).build();
      }
      HeadwayEngines.withoutProbes(parts).build(); // refuses most settings, before there are files
      final JournaledRun begun =
          JournaledRun.begin(directory, parts.seed(), parts.has(Feature.FAILING_DISK));
      run = begun;
      final EngineBuilder builder = HeadwayEngines.builder(parts);
      begun.probes().forEach(builder::probe);
      return builder.build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable String checkRecord() {
    final JournaledRun ended = run;
    if (ended == null) {
      return null;
    }
    try {
      final String differs = ended.check();
      runs++;
      failures += ended.hasFailed() ? 1 : 0;
      full += ended.becameFull() ? 1 : 0;
      return differs;
    } catch (IOException e) {
      return "a journal must be readable: " + e;
    } finally {
      endRun();
    }
  }

  /** Journals read so far. */
  public long runs() {
    return runs;
  }

  /** Those of them whose disk has failed. */
  public long failures() {
    return failures;
  }

  /** Those of them that had to drop records for want of room, and said so at their end. */
  public long full() {
    return full;
  }

  /** Removes the directory. */
  @Override
  public void close() {
    endRun();
    try {
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void endRun() {
    final JournaledRun ended = run;
    run = null;
    if (ended != null) {
      try {
        ended.remove();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
