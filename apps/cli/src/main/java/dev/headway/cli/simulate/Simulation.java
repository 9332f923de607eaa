package dev.headway.cli.simulate;

import dev.headway.api.engine.Engine;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalOptions;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.simulation.fit.FittedStepTime;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.PrefixBound;
import dev.headway.simulation.run.RunFigures;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.run.WorkloadDriver;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.toolbox.output.OutputDirectory;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run: a workload through an engine, its journal to CSV, and the summary. Leaves either the
 * whole run in its directory or nothing. One thread, once.
 */
public final class Simulation {

  private static final String JOURNAL = "journal";
  private static final String CSV = "csv";
  private static final String SUMMARY = "summary.json";
  private static final String REQUESTS = "requests.csv";
  private static final OutputDirectory.Content CONTENT =
      new OutputDirectory.Content("a run", "--out", Set.of(JOURNAL, CSV, SUMMARY, REQUESTS));
  private static final double NOTABLE = 0.01;

  private final EngineSettings settings;
  private final RecordingOptions recording;
  private final QuietOption quiet;
  private final PrefixBound bound = new PrefixBound();
  private RunMeter meter = new RunMeter();
  private long simulationNs;
  private long conversionNs;
  private long csvRows;

  /**
   * Prepares a run.
   *
   * @param settings the engine
   * @param recording what is kept
   * @param quiet whether progress is shown
   */
  public Simulation(EngineSettings settings, RecordingOptions recording, QuietOption quiet) {
    this.settings = settings;
    this.recording = recording;
    this.quiet = quiet;
  }

  /**
   * Runs to the end.
   *
   * @param name what the journal calls the workload; no path, so that equal runs make equal files
   * @param expected how many requests, -1 if that is not known
   * @return the summary for a person
   * @throws IOException if the directory exists or cannot be written
   * @throws SimulationException if the run makes no progress or could not be recorded
   */
  public String run(Workload workload, String name, long expected) throws IOException {
    return run(Pace.virtual(recording.clock(), settings), workload, name, expected);
  }

  /** The same at a pace, which stays the caller's. */
  String run(Pace pace, Workload workload, String name, long expected) throws IOException {
    try (OutputDirectory output =
        OutputDirectory.prepare(recording.out(), recording.overwrite(), CONTENT)) {
      final Path folder = output.directory();
      try (RequestRows rows = new RequestRows(folder.resolve(REQUESTS))) {
        meter = new RunMeter(rows);
        simulate(pace, workload, name, expected, folder.resolve(JOURNAL));
      }
      if (recording.convertsJournal()) {
        convert(folder);
      }
      final RunFigures figures = meter.figures(bound);
      final RunCost cost =
          new RunCost(
              pace.isRealTime(),
              simulationNs,
              meter.scheduling(),
              conversionNs,
              csvRows,
              Footprint.peak());
      Files.writeString(
          folder.resolve(SUMMARY),
          SummaryJson.of(figures, recording.isReproducible() ? null : cost));
      output.publish();
      return SummaryText.of(figures, cost, pace) + remark();
    }
  }

  private String remark() {
    return extrapolated() + thinned();
  }

  private String extrapolated() {
    return settings.latency() instanceof FittedStepTime model && model.extrapolatedShare() > NOTABLE
        ? "                "
            + Units.percent(model.extrapolatedShare())
            + " of the steps are smaller or larger than what the step model was fitted on; a"
            + " load to record for the next fit: headway bench 'for-learning(concurrency=N,input=M)'\n"
        : "";
  }

  private String thinned() {
    return recording.convertsJournal() && recording.thins(meter.requestSteps())
        ? "                per_iteration_requests.csv: only changes of its "
            + Units.count(meter.requestSteps())
            + " rows\n"
        : "";
  }

  private void simulate(Pace pace, Workload workload, String name, long expected, Path journal)
      throws IOException {
    final long startNs = System.nanoTime();
    final JournalProbe recorder =
        recording.level() == JournalLevel.OFF
            ? null
            : JournalProbe.open(
                pace.isRealTime()
                    ? JournalOptions.of(journal, recording.level())
                    : journalOptions(journal, recording.level()));
    try (ProgressDisplay progress = quiet.progress("simulate", expected, " requests");
        Engine engine = engine(pace, name, recorder)) {
      final PromptTokens prompts = new PromptTokens(pace.vocabularySize(), settings.seed());
      final WorkloadDriver driver =
          new WorkloadDriver(engine, pace.clock(), workload, prompts)
              .onSubmitted(bound::count)
              .withArrivalToQueue(settings.arrivalToQueueNs());
      driver.run(() -> show(progress, pace));
      meter.startedAt(driver.startNs());
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

  private Engine engine(Pace pace, String name, @Nullable JournalProbe recorder) {
    pace.begin();
    final EngineBuilder builder = pace.engine(name).probe(meter.probe());
    return recorder == null ? builder.build() : builder.probe(recorder).build();
  }

  private void show(ProgressDisplay progress, Pace pace) {
    progress.to(meter.done());
    progress.note(
        (pace.isRealTime() ? "after " : "simulated ") + Units.duration(pace.clock().nanoTime()));
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
            OverwriteMode.REFUSE,
            ConvertOptions.DEFAULT.text(),
            recording.iterationRequests(meter.requestSteps()),
            recording.ids());
    try (JournalSource records = JournalSource.open(folder.resolve(JOURNAL));
        ProgressDisplay progress = quiet.journalProgress()) {
      final CsvConverter.Summary summary =
          new CsvConverter(records, folder.resolve(CSV), options, progress).convert();
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
