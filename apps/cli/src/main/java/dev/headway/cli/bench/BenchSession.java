package dev.headway.cli.bench;

import dev.headway.cli.bench.ArrivalOptions.Pace;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.loadgen.arrival.RateSchedule;
import dev.headway.loadgen.arrival.ScheduleFile;
import dev.headway.loadgen.client.BodyOptions;
import dev.headway.loadgen.client.CannedServer;
import dev.headway.loadgen.client.Endpoint;
import dev.headway.loadgen.client.HttpOptions;
import dev.headway.loadgen.client.HttpTarget;
import dev.headway.loadgen.client.SideRequests;
import dev.headway.loadgen.client.Target;
import dev.headway.loadgen.dataset.BenchRequest;
import dev.headway.loadgen.dataset.Dataset;
import dev.headway.loadgen.dataset.PromptMaker;
import dev.headway.loadgen.result.RunFacts;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.run.Arrivals;
import dev.headway.loadgen.run.LoadRun;
import dev.headway.loadgen.run.Rehearsal;
import dev.headway.loadgen.run.RunOptions;
import dev.headway.loadgen.run.RunResult;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server, a data set, and runs with them one after the other. One thread. */
final class BenchSession implements AutoCloseable {

  private static final long ASK_EVERY_MS = 250;
  private static final long FILES_AFTER_INTERRUPT_S = 20;

  private final Choices choices;
  private final QuietOption quiet;
  private final CommandMessages messages;
  private final Endpoint endpoint;
  private final String model;
  private final Target target;
  private final @Nullable CannedServer canned;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().unstarted(this::interrupt);
  private Dataset dataset;
  private volatile @Nullable LoadRun current;
  private volatile boolean interrupted;

  /** What the command line says. */
  record Choices(
      DatasetOptions dataset,
      TargetOptions target,
      ArrivalOptions arrivals,
      MeasureChoice measures,
      boolean keepsTexts) {}

  private BenchSession(
      Choices choices,
      QuietOption quiet,
      CommandMessages messages,
      String model,
      Target target,
      @Nullable CannedServer canned,
      Dataset dataset) {
    this.choices = choices;
    this.quiet = quiet;
    this.messages = messages;
    this.endpoint = choices.target.endpoint(messages);
    this.model = model;
    this.target = target;
    this.canned = canned;
    this.dataset = dataset;
  }

  static BenchSession open(Choices choices, QuietOption quiet, CommandMessages messages)
      throws IOException, InterruptedException {
    final CannedServer canned = choices.target.isSelfTest() ? new CannedServer() : null;
    final HttpOptions http =
        choices.target.http(canned == null ? null : canned.address(), messages);
    final Dataset dataset = readDataset(choices, null, messages);
    final String model = canned == null ? awaitModel(choices, http) : "canned";
    final BodyOptions bodies = choices.target.bodies(model, dataset.hasTexts(), messages);
    if (choices.measures.rehearses()) {
      Rehearsal.run(bodies, choices.dataset.prompts(choices.target.endpoint(messages), messages));
    }
    final Target target = new HttpTarget(http, bodies);
    final BenchSession session =
        new BenchSession(choices, quiet, messages, model, target, canned, dataset);
    Runtime.getRuntime().addShutdownHook(session.hook);
    return session;
  }

  private static Dataset readDataset(
      Choices choices, @Nullable Integer requests, CommandMessages messages) throws IOException {
    final Path schedule = choices.arrivals.scheduleIn();
    if (schedule == null) {
      return choices.dataset.read(requests, messages);
    }
    final List<BenchRequest> read = new ArrayList<>();
    for (ScheduleFile.Entry entry : ScheduleFile.read(schedule)) {
      final WorkloadRequest shape =
          new WorkloadRequest(
              "s" + read.size(),
              entry.offsetNs(),
              entry.promptTokens(),
              entry.outputTokens(),
              new int[0],
              0,
              null,
              0);
      read.add(new BenchRequest(shape, null));
    }
    return new Dataset(String.valueOf(schedule.getFileName()), read);
  }

  /** Waits for the server to answer, as long as it is allowed to. */
  private static String awaitModel(Choices choices, HttpOptions http)
      throws IOException, InterruptedException {
    final String named = choices.target.model();
    final double patience = choices.measures.readySeconds();
    if (named != null && patience == 0) {
      return named;
    }
    final long untilNs =
        System.nanoTime() + Duration.ofMillis(Math.round(patience * 1e3)).toNanos();
    try (SideRequests side = new SideRequests(http)) {
      while (true) {
        final String first = side.firstModel();
        if (first != null) {
          return named == null ? first : named;
        }
        if (System.nanoTime() - untilNs >= 0) {
          throw new IOException(
              "the server must answer at /v1/models, or --served-model-name be given: url="
                  + http.base());
        }
        Thread.sleep(ASK_EVERY_MS);
      }
    }
  }

  /** Takes so many requests from now on, unless the command line says how many. */
  void load(int requests) throws IOException {
    dataset = readDataset(choices, requests, messages);
  }

  /** Runs once. */
  RunReport run(Pace pace) throws IOException, InterruptedException {
    final RateSchedule schedule = choices.arrivals.schedule(pace, choices.dataset.seed(), messages);
    final boolean ownTimes =
        Double.isNaN(pace.rate()) && schedule.ramp() == null && dataset.hasTimes();
    final Arrivals arrivals =
        pace.isClosed()
            ? new Arrivals.ClosedLoop(pace.users(), choices.arrivals.thinkSeconds())
            : new Arrivals.OpenLoop(
                ownTimes ? dataset.arrivalsNs() : schedule.offsetsNs(dataset.requests().size()));
    writeSchedule(arrivals);
    final RunOptions options =
        new RunOptions(
            arrivals,
            choices.arrivals.limits(pace),
            choices.measures.warmups(),
            choices.measures.resetsCache(),
            choices.measures.probeRate(),
            choices.keepsTexts(),
            "bench-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt()) + "-");
    final PromptMaker prompts = choices.dataset.prompts(endpoint, messages);
    final RunResult result;
    try (ProgressDisplay progress =
        quiet.progress("bench", dataset.requests().size(), " requests")) {
      final LoadRun run = new LoadRun(target, prompts, dataset.requests(), options, progress::to);
      current = run;
      result = run.run();
    } finally {
      current = null;
    }
    return RunReport.of(facts(pace, schedule, ownTimes), result);
  }

  /** Whether an interrupt from the terminal has ended the run: what there is of it is kept. */
  boolean isInterrupted() {
    return interrupted;
  }

  /** On a thread of the JVM's, which ends when this returns. */
  private void interrupt() {
    interrupted = true;
    final LoadRun run = current;
    if (run != null) {
      run.stop();
    }
    try {
      if (!over.await(FILES_AFTER_INTERRUPT_S, TimeUnit.SECONDS)) {
        messages.say("files are not written: the run did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeSchedule(Arrivals arrivals) throws IOException {
    final Path file = choices.arrivals.scheduleOut();
    if (file == null || !(arrivals instanceof Arrivals.OpenLoop open)) {
      return;
    }
    final List<ScheduleFile.Entry> entries = new ArrayList<>();
    for (int i = 0; i < dataset.requests().size(); i++) {
      final WorkloadRequest shape = dataset.requests().get(i).shape();
      entries.add(
          new ScheduleFile.Entry(open.offsetsNs()[i], shape.inputTokens(), shape.outputTokens()));
    }
    ScheduleFile.write(file, entries);
  }

  private RunFacts facts(Pace pace, RateSchedule schedule, boolean ownTimes) {
    final double rate =
        pace.isClosed() ? Double.POSITIVE_INFINITY : ownTimes ? Double.NaN : schedule.rate();
    return new RunFacts(
        endpoint.label(),
        choices.measures.label(),
        target.name(),
        model,
        dataset.name(),
        dataset.requests().size(),
        words(pace, schedule, ownTimes),
        rate,
        pace.isClosed() || ownTimes ? 1 : schedule.burstiness(),
        pace.isClosed() ? Integer.valueOf(pace.users()) : pace.maxConcurrency(),
        schedule.ramp(),
        choices.dataset.seed(),
        choices.measures.levels(messages),
        choices.measures.latencies(pace.maxConcurrency() != null, Double.isFinite(rate), messages),
        choices.measures.percents(),
        choices.measures.metadata());
  }

  private static String words(Pace pace, RateSchedule schedule, boolean ownTimes) {
    if (pace.isClosed()) {
      return "closed loop of " + pace.users() + (pace.users() == 1 ? " user" : " users");
    }
    if (ownTimes) {
      return "times of the load";
    }
    if (schedule.ramp() != null) {
      return "%s ramp from %s to %s requests/s"
          .formatted(
              schedule.ramp().strategy().label(), schedule.ramp().from(), schedule.ramp().to());
    }
    if (Double.isInfinite(schedule.rate())) {
      return "all at once";
    }
    final String gaps =
        schedule.burstiness() == 1
            ? "Poisson"
            : Double.isInfinite(schedule.burstiness())
                ? "even gaps"
                : "gamma of shape " + schedule.burstiness();
    return String.format(Locale.ROOT, "%s, %s requests/s", gaps, schedule.rate());
  }

  @Override
  public void close() {
    target.close();
    if (canned != null) {
      canned.close();
    }
    over.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the program ends already, and the hook is what ended the run
    }
  }
}
