package dev.headway.cli.simulate;

import dev.headway.api.engine.Engine;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalOptions;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.Overwrite;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.PrefixBound;
import dev.headway.simulation.run.RunFigures;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.run.VirtualTimeDriver;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One run: a workload through an engine in virtual time, its journal to CSV, and the summary.
 * Leaves either the whole run in its directory or nothing. One thread, once.
 */
public final class Simulation {

  private static final int WHOLE_PERMILLE = 1_000;

  private final EngineSettings settings;
  private final Recording recording;
  private final ProgressDisplay.Audience audience;
  private final RunMeter meter = new RunMeter();
  private final PrefixBound bound = new PrefixBound();
  private long simulationNs;
  private long conversionNs;
  private long csvRows;

  /**
   * Prepares a run.
   *
   * @param settings the engine
   * @param recording what is kept
   * @param audience who wants to see progress
   */
  public Simulation(
      EngineSettings settings, Recording recording, ProgressDisplay.Audience audience) {
    this.settings = settings;
    this.recording = recording;
    this.audience = audience;
  }

  /**
   * Runs to the end.
   *
   * @param name what the journal calls the workload; no path, so that equal runs make equal files
   * @param expected how many requests, -1 if that is not known
   * @return the summary for a person
   * @throws IOException if the directory exists or cannot be written
   * @throws SimulationException if the run stands still or could not be recorded
   */
  public String run(Workload workload, String name, long expected) throws IOException {
    try (OutputFolder folder = OutputFolder.prepare(recording.out(), recording.existing())) {
      simulate(workload, name, expected, folder.scratch().resolve(OutputFolder.JOURNAL));
      if (recording.convertsJournal()) {
        convert(folder.scratch());
      }
      final RunFigures figures = meter.figures(bound);
      final RunCost cost = new RunCost(simulationNs, conversionNs, csvRows, Footprint.peak());
      Files.write(
          folder.scratch().resolve(OutputFolder.SUMMARY),
          SummaryJson.of(figures, cost).getBytes(StandardCharsets.UTF_8));
      folder.publish();
      return SummaryText.of(figures, cost) + remark();
    }
  }

  private String remark() {
    final boolean thinned =
        recording.convertsJournal()
            && recording.iterationRows() == Recording.IterationRows.AUTO
            && recording.iterationRequests(meter.requestSteps()) == IterationRequests.CHANGES;
    return thinned
        ? "                per_iteration_requests.csv: only changes of its "
            + Units.count(meter.requestSteps())
            + " rows\n"
        : "";
  }

  private void simulate(Workload workload, String name, long expected, Path journal)
      throws IOException {
    final long startNs = System.nanoTime();
    final JournalProbe recorder =
        recording.level() == JournalLevel.OFF
            ? null
            : JournalProbe.open(journalOptions(journal, recording.level()));
    final VirtualClock clock = new VirtualClock();
    try (ProgressDisplay progress =
            ProgressDisplay.start(audience, "simulate", expected, " requests");
        Engine engine = engine(clock, name, recorder)) {
      final PromptTokens prompts =
          new PromptTokens(EngineSettings.VOCABULARY_SIZE, settings.seed());
      new VirtualTimeDriver(engine, clock, workload, prompts, bound::count)
          .run(() -> show(progress, clock));
      requireRecorded(engine, recorder);
    }
    simulationNs = System.nanoTime() - startNs;
  }

  /** Flushed at the end only: after a power failure a run in virtual time is simply run again. */
  private static JournalOptions journalOptions(Path directory, JournalLevel level) {
    final JournalOptions usual = JournalOptions.of(directory, level);
    return new JournalOptions(
        directory,
        level,
        Integer.MAX_VALUE,
        usual.flushSeconds(),
        usual.blockSizeBytes(),
        usual.aheadBytes());
  }

  private Engine engine(VirtualClock clock, String name, @Nullable JournalProbe recorder) {
    final EngineBuilder builder = settings.engine(clock, name, model -> model).probe(meter.probe());
    return recorder == null ? builder.build() : builder.probe(recorder).build();
  }

  private void show(ProgressDisplay progress, VirtualClock clock) {
    progress.to(meter.done());
    progress.note("simulated " + Units.duration(clock.nanoTime()));
  }

  private static void requireRecorded(Engine engine, @Nullable JournalProbe recorder) {
    final long dropped = recorder == null ? 0 : recorder.recordsDropped();
    if (engine.stats().probesDetached() > 0 || dropped > 0) {
      throw new SimulationException(
          "the run must be recorded whole; the log above says what failed: probesDetached="
              + engine.stats().probesDetached()
              + ", recordsDropped="
              + dropped);
    }
  }

  private void convert(Path folder) throws IOException {
    final long startNs = System.nanoTime();
    final ConvertOptions options =
        new ConvertOptions(
            Overwrite.REFUSE,
            ConvertOptions.DEFAULT.text(),
            recording.iterationRequests(meter.requestSteps()),
            ConvertOptions.DEFAULT.idLists());
    try (JournalSource records = JournalSource.open(folder.resolve(OutputFolder.JOURNAL));
        ProgressDisplay progress =
            ProgressDisplay.start(audience, "convert", WHOLE_PERMILLE, " ‰")) {
      final CsvConverter.Summary summary =
          new CsvConverter(
                  records,
                  folder.resolve(OutputFolder.CSV),
                  options,
                  (count, rows, donePermille) -> {
                    progress.to(donePermille);
                    progress.note(Units.count(rows) + " rows");
                  })
              .convert();
      requireWhole(summary.end());
      csvRows = summary.rows();
    }
    conversionNs = System.nanoTime() - startNs;
  }

  private static void requireWhole(JournalEnd end) {
    if (end.state() != JournalEnd.State.CLEAN) {
      throw new SimulationException(
          "the journal just written must be whole: end="
              + end.state().label()
              + ", "
              + end.detail());
    }
  }
}
