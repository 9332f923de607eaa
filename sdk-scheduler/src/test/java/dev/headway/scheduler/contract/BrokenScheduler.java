package dev.headway.scheduler.contract;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.time.VirtualClock;

/** The default scheduler with one fault. */
final class BrokenScheduler implements Scheduler {

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    FORGETS_A_WAITING_REQUEST("shouldRunRequestsToTheirEnd"),
    EXCEEDS_THE_BUDGET("shouldKeepItsPromisesUnderRandomUse"),
    EXCEEDS_THE_SEATS("shouldKeepItsPromisesUnderRandomUse"),
    SPLITS_PROMPTS("shouldNotSplitPromptsWithoutChunkedPrefill"),
    ENDS_TWICE("shouldNotifyListenerAndProbeOfEachEndOnce"),
    SILENT("shouldNotifyListenerAndProbeOfEachEndOnce"),
    LOSES_A_TOKEN("shouldDeliverEveryTokenInOrder"),
    IGNORES_ABORTS("shouldAbortARunningRequest"),
    ABORTS_WITHOUT_CAUSE("shouldAbortAWaitingRequest"),
    RELEASES_HELD_BLOCKS("shouldHoldTheBlocksOfAFailedStepUntilItsFenceIsReleased"),
    NEVER_RELEASES("shouldHoldTheBlocksOfAFailedStepUntilItsFenceIsReleased"),
    FAILS_ALL_REQUESTS("shouldEndOnlyTheRequestsOfAFailedStep"),
    IGNORES_FAILED_ENTRIES("shouldEndOnlyTheRequestWhoseEntryFailed"),
    IGNORES_PAUSES("shouldPlanNothingWhilePaused"),
    REFUSES_RESETS("shouldResetTheCacheOfAnIdleScheduler"),
    TAKES_FOREIGN_REQUESTS("shouldRefuseARequestOfAnotherScheduler"),
    TAKES_ANY_OUTPUT("shouldRefuseAnOutputThatIsNotForThePlan"),
    TAKES_TOO_MANY_STEPS("shouldRefuseMoreStepsThanMayBeOut"),
    OWN_TIME("shouldRunRequestsToTheirEnd"),
    ALWAYS_HAS_WORK("shouldAnnounceEachEndedRequestInAPlanOnce"),
    COUNTS_NOTHING("shouldCountItsStepsAndEndsForAnyThread");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  private final Fault fault;
  private final Scheduler sound;
  private StepPlan out;
  private int added;

  BrokenScheduler(SchedulerContext context, Fault fault) {
    this.fault = fault;
    final ContinuousBatchingScheduler.Builder builder =
        ContinuousBatchingScheduler.builder(configFor(context.config()), context.kvCache())
            .vocabularySize(context.executorShape().vocabularySize())
            .probe(fault == Fault.SILENT ? new Probe() {} : context.probe())
            .clock(fault == Fault.OWN_TIME ? new VirtualClock() : context.clock());
    sound = builder.build();
  }

  private SchedulerConfig configFor(SchedulerConfig config) {
    final SchedulerLimits limits = config.limits();
    return switch (fault) {
      case EXCEEDS_THE_BUDGET ->
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(4)
                      .maxNumBatchedTokens(33)
                      .maxModelLen(64)
                      .build())
              .build();
      case EXCEEDS_THE_SEATS ->
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(5)
                      .maxNumBatchedTokens(32)
                      .maxModelLen(64)
                      .build())
              .build();
      case SPLITS_PROMPTS ->
          SchedulerConfig.builder(limits).chunkedPrefill(ChunkedPrefill.ENABLED).build();
      default -> config;
    };
  }

  @Override
  public RequestView add(Request request, OutputListener listener, long arrivalNs) {
    final OutputListener notified =
        switch (fault) {
          case ENDS_TWICE, LOSES_A_TOKEN -> new BrokenListener(listener);
          default -> listener;
        };
    final RequestView view = sound.add(request, notified, arrivalNs);
    if (fault == Fault.FORGETS_A_WAITING_REQUEST && added++ == 2) {
      sound.finish(view, FinishReason.ABORTED, null);
    }
    return view;
  }

  @Override
  public boolean finish(RequestView request, FinishReason reason, Throwable cause) {
    return switch (fault) {
      case IGNORES_ABORTS -> true;
      case ABORTS_WITHOUT_CAUSE -> sound.finish(request, reason, null);
      case TAKES_FOREIGN_REQUESTS -> {
        try {
          yield sound.finish(request, reason, cause);
        } catch (IllegalArgumentException e) {
          throw new ClassCastException();
        }
      }
      default -> sound.finish(request, reason, cause);
    };
  }

  @Override
  public StepPlan schedule() {
    if (fault == Fault.TAKES_TOO_MANY_STEPS && out != null) {
      return out;
    }
    out = sound.schedule();
    return out;
  }

  @Override
  public void complete(StepPlan plan, StepOutput output) {
    out = null;
    if (fault == Fault.TAKES_ANY_OUTPUT && output.size() != plan.size()) {
      return;
    }
    if (fault == Fault.IGNORES_FAILED_ENTRIES && output.hasFailures()) {
      output.begin(plan.stepId(), plan.size());
      for (int entry = 0; entry < plan.size(); entry++) {
        output.addToken(entry, 0);
      }
    }
    sound.complete(plan, output);
  }

  @Override
  public void fail(StepPlan plan, Throwable cause, BlockFence fence) {
    out = null;
    sound.fail(plan, cause, fault == Fault.RELEASES_HELD_BLOCKS ? BlockFence.RELEASE : fence);
    if (fault == Fault.FAILS_ALL_REQUESTS) {
      ((ContinuousBatchingScheduler) sound).forEachWaiting(request -> waitingLoser = request);
      if (waitingLoser != null) {
        sound.finish(waitingLoser, FinishReason.EXECUTOR_FAILED, cause);
      }
    }
  }

  private RequestView waitingLoser;

  @Override
  public void releaseFence(long stepId) {
    if (fault != Fault.NEVER_RELEASES) {
      sound.releaseFence(stepId);
    }
  }

  @Override
  public void proposeDrafts(RequestView request, int[] tokenIds, int count) {
    sound.proposeDrafts(request, tokenIds, count);
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    if (fault != Fault.IGNORES_PAUSES) {
      sound.setPauseState(pauseState);
    }
  }

  @Override
  public PauseState pauseState() {
    return sound.pauseState();
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope) {
    return fault != Fault.REFUSES_RESETS && sound.resetPrefixCache(scope);
  }

  @Override
  public int runningCount() {
    return sound.runningCount();
  }

  @Override
  public int waitingCount() {
    return sound.waitingCount();
  }

  @Override
  public int unfinishedCount() {
    return sound.unfinishedCount();
  }

  @Override
  public boolean hasWork() {
    return fault == Fault.ALWAYS_HAS_WORK || sound.hasWork();
  }

  @Override
  public SchedulerStats stats() {
    return fault == Fault.COUNTS_NOTHING ? SchedulerStats.builder().build() : sound.stats();
  }

  private final class BrokenListener implements OutputListener {

    private final OutputListener listener;
    private boolean lost;

    BrokenListener(OutputListener listener) {
      this.listener = listener;
    }

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {
      if (fault != Fault.LOSES_A_TOKEN || lost) {
        listener.onTokens(request, count, nowNs);
      }
      lost = true;
    }

    @Override
    public void onFinished(
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
      listener.onFinished(request, reason, stopTokenId, cause, nowNs);
      if (fault == Fault.ENDS_TWICE) {
        listener.onFinished(request, reason, stopTokenId, cause, nowNs);
      }
    }
  }
}
