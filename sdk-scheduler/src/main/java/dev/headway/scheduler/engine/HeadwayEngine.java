package dev.headway.scheduler.engine;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.step.TransferReport;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;

/** The {@link Engine}: a thread-safe facade over the duty cycle. Made by {@link #builder}. */
public final class HeadwayEngine implements Engine {

  private final NanoClock clock;
  private final RequestRules rules;
  private final Intake intake;
  private final EngineCounters counters;
  private final LiveRequests liveRequests;
  private final Scheduler scheduler;
  private final ProbeDispatcher probes;
  private final DutyCycle dutyCycle;
  private final EngineStatus status = new EngineStatus();
  private final EngineDriver driver;
  private final SchedulerConfig built;
  private final Object limiting = new Object();
  private volatile EngineLimits limits;
  private final Heartbeat heartbeat;
  private final HealthCheck healthCheck;

  HeadwayEngine(EngineBuilder.Parts parts) {
    clock = parts.clock();
    built = parts.config();
    limits = EngineLimits.of(built);
    rules =
        new RequestRules(parts.config(), parts.executor(), parts.scheduler(), parts.connector());
    intake =
        new Intake(
            parts.submissionQueueCapacity(), parts.config().queueLimits(), parts.fullQueuePolicy());
    counters = new EngineCounters(parts.kvCache());
    scheduler = parts.scheduler();
    probes = parts.probes();
    liveRequests =
        new LiveRequests(
            intake,
            scheduler,
            counters,
            status::wakeUp,
            clock,
            rules,
            parts.defaultTimeouts(),
            parts.streamInterval());
    heartbeat = new Heartbeat(clock.nanoTime());
    final StepRunner steps = new StepRunner(parts, heartbeat);
    dutyCycle = new DutyCycle(intake, liveRequests, scheduler, steps, probes, clock, counters);
    final long thresholdNs = parts.stallThresholdNs();
    healthCheck = new HealthCheck(status, intake, counters, heartbeat, clock, thresholdNs);
    final StallWatch watch =
        new StallWatch(healthCheck::health, parts.healthListener(), thresholdNs);
    final EngineEnd end =
        new EngineEnd(status, dutyCycle, liveRequests, parts, heartbeat, healthCheck, watch);
    if (parts.connector() != null) {
      parts.connector().start(this::takeReport);
    }
    driver =
        new EngineDriver(status, end, intake, liveRequests, dutyCycle, parts, heartbeat, watch);
  }

  /** Transfers of the KV connector have ended. Any thread. */
  private void takeReport(TransferReport report) {
    final TransferReport taken = new TransferReport();
    taken.add(report);
    intake.command(() -> scheduler.transfersEnded(taken));
    status.wakeUp();
  }

  /** Starts an engine around an executor; every option has a default. */
  public static EngineBuilder builder(Executor executor) {
    return new EngineBuilder(executor);
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener) {
    return submitAt(request, listener, clock.nanoTime());
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener, long arrivalNs) {
    final long nowNs = clock.nanoTime();
    if (arrivalNs < 0 || arrivalNs > nowNs) {
      throw new IllegalArgumentException(
          "arrivalNs must be in [0, now]: id="
              + request.id()
              + ", arrivalNs="
              + arrivalNs
              + ", nowNs="
              + nowNs);
    }
    return submitAt(request, listener, arrivalNs);
  }

  private RequestHandle submitAt(Request request, TokenListener listener, long arrivalNs) {
    final LiveRequest live = new LiveRequest(request, listener, arrivalNs, liveRequests);
    counters.submitted.increment();
    if (!status.isOpen()) {
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    final RequestRules.Refusal refusal = rules.check(request);
    if (refusal != null) {
      return reject(live, refusal.reason(), refusal.message());
    }
    if (!status.hasOwnThread() && !intake.hasLive()) {
      heartbeat.progressed(clock.nanoTime()); // the caller may not have stepped an idle engine
    }
    if (!intake.claimId(live)) {
      return reject(
          live,
          RejectReason.DUPLICATE_ID,
          "request ids must be unique among live requests: id=" + request.id());
    }
    if (!status.isOpen()) { // checked again: from the claim on, a drain waits for this request
      intake.releaseId(live);
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    final RequestRules.Refusal overload = intake.admit(live);
    if (overload != null) {
      intake.releaseId(live);
      return reject(live, overload.reason(), overload.message());
    }
    if (!intake.offer(live)) {
      intake.releaseId(live);
      return reject(
          live,
          RejectReason.QUEUE_FULL,
          "submission queue must have room: id="
              + request.id()
              + ", queued="
              + intake.queued()
              + ", submissionQueueCapacity="
              + intake.capacity()
              + "; retry later or raise submissionQueueCapacity");
    }
    if (status.isEnded() && intake.withdraw(live)) {
      intake.releaseId(live);
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    status.wakeUp();
    return live;
  }

  private String closedMessage(LiveRequest live) {
    return "engine must be open to take requests: id=" + live.id() + ", state=" + status.state();
  }

  private LiveRequest reject(LiveRequest live, RejectReason reason, String message) {
    counters.rejected.increment();
    if (status.isEnded()) {
      intake.rejections().countUnreported();
    } else {
      intake.rejections().add(new RefusedRequest(live.request, reason, message, live.arrivalNs));
    }
    live.complete(new RequestOutcome.Rejected(live.id(), reason, message));
    status.wakeUp();
    return live;
  }

  @Override
  public boolean step() {
    return driver.step();
  }

  @Override
  public long nextDeadlineNs() {
    final long nextNs = liveRequests.nextDeadlineNs();
    return nextNs == LiveRequests.NEVER ? ABSENT : nextNs;
  }

  @Override
  public void start(ThreadFactory threads) {
    driver.start(threads);
  }

  @Override
  public boolean drain(Duration timeout) throws InterruptedException {
    return driver.drain(timeout);
  }

  @Override
  public void close() {
    driver.close();
  }

  @Override
  public boolean close(Duration timeout) throws InterruptedException {
    return driver.close(timeout);
  }

  @Override
  public EngineHealth health() {
    return healthCheck.health();
  }

  @Override
  public CompletionStage<Boolean> resetPrefixCache(ResetScope scope) {
    Objects.requireNonNull(scope, "scope");
    final CompletableFuture<Boolean> done = new CompletableFuture<>();
    if (status.isEnded()) {
      done.complete(false);
      return done;
    }
    intake.command(() -> reset(scope, done));
    if (status.isEnded()) { // there may be no cycle left to run it
      done.complete(false);
    }
    status.wakeUp();
    return done;
  }

  private void reset(ResetScope scope, CompletableFuture<Boolean> done) {
    boolean wasDone = false;
    try {
      dutyCycle.endStepsOut(); // a cache that steps write to cannot be cleared
      wasDone = !status.isEnded() && scheduler.resetPrefixCache(scope);
    } finally {
      done.complete(wasDone);
    }
  }

  @Override
  public CompletionStage<Integer> retainPrefix(Request prefix, KvCacheRetention retention) {
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(retention, "retention");
    final CompletableFuture<Integer> found = new CompletableFuture<>();
    intake.command(
        () -> {
          try {
            found.complete(status.isEnded() ? 0 : scheduler.retainPrefix(prefix, retention));
          } catch (RuntimeException e) {
            found.completeExceptionally(e);
          }
        });
    if (status.isEnded()) { // there may be no cycle left to run it
      found.complete(0);
    }
    status.wakeUp();
    return found;
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    Objects.requireNonNull(pauseState, "pauseState");
    intake.command(() -> scheduler.setPauseState(pauseState));
    status.wakeUp();
  }

  @Override
  public EngineLimits limits() {
    return limits;
  }

  @Override
  public void setLimits(EngineLimits changed) {
    changed.applyTo(built);
    if (!scheduler.takesLimits()) {
      throw new UnsupportedOperationException(
          "the scheduler must take limits to have others: scheduler="
              + scheduler.getClass().getName()
              + "; see Scheduler.takesLimits");
    }
    synchronized (limiting) { // the latest set is the last that the scheduler gets
      limits = changed;
      intake.limit(changed.queueLimits());
      intake.command(() -> scheduler.setLimits(changed));
    }
    status.wakeUp();
  }

  @Override
  public void report(JourneyEvent event) {
    Objects.requireNonNull(event, "event");
    if (status.isEnded()) {
      intake.journeys().countUnreported();
    } else if (probes.listensTo(ProbeInterest.JOURNEYS)) {
      intake.journeys().add(event);
      status.wakeUp();
    }
  }

  @Override
  public EngineState state() {
    return status.state();
  }

  @Override
  public EngineStats stats() {
    // requests end within a step, and what runs and waits is published after it
    final long alive = intake.alive();
    return EngineStats.builder()
        .submitted(counters.submitted.sum())
        .rejected(counters.rejected.sum())
        .finished(counters.finished.get())
        .waiting(Math.min(alive, counters.waiting.get()))
        .running(Math.min(alive, counters.running.get()))
        .steps(counters.steps.get())
        .stepsFailed(counters.stepsFailed.get())
        .probesDetached(probes.detachedCount())
        .listenersFailed(counters.listenersFailed.get())
        .rejectionsUnreported(intake.rejections().unreported())
        .journeyEventsUnreported(intake.journeys().unreported())
        .scheduler(scheduler.stats()) // behind a counter that the engine thread publishes last
        .kvCache(counters.kvCache())
        .build();
  }

  @Override
  public NanoClock clock() {
    return clock;
  }
}
