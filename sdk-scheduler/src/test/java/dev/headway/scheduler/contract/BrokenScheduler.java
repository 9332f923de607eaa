package dev.headway.scheduler.contract;

import dev.headway.api.Absent;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
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
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.time.VirtualClock;
import java.util.Arrays;

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
    RELEASES_TOO_EARLY("shouldHoldARequestUntilAllItsHoldsAreReleased"),
    NEVER_ADMITS_HELD_ONES("shouldHoldARequestUntilAllItsHoldsAreReleased"),
    REFUSES_RESETS("shouldResetTheCacheOfAnIdleScheduler"),
    TAKES_FOREIGN_REQUESTS("shouldRefuseARequestOfAnotherScheduler"),
    TAKES_ANY_OUTPUT("shouldRefuseAnOutputThatIsNotForThePlan"),
    TAKES_TOO_MANY_STEPS("shouldRefuseMoreStepsThanMayBeOut"),
    OWN_TIME("shouldRunRequestsToTheirEnd"),
    ALWAYS_HAS_WORK("shouldAnnounceEachEndedRequestInAPlanOnce"),
    COUNTS_NOTHING("shouldCountItsStepsAndEndsForAnyThread"),
    TAKES_ANY_TOKEN("shouldEndOnlyTheRequestWithAnImpossibleAnswer"),
    ANNOUNCES_TOO_FEW_BLOCKS("shouldRunRequestsToTheirEnd"),
    CALLS_RESUMED_NEW("shouldTellOfEveryWaitAndPreemption"),
    ANNOUNCES_NO_PREEMPTION("shouldTellOfEveryWaitAndPreemption"),
    GIVES_NO_WAITS("shouldRunRequestsToTheirEnd"),
    GIVES_WAITS_TWICE("shouldRunRequestsToTheirEnd"),
    DOUBLES_WAITS("shouldTellOfEveryWaitAndPreemption"),
    ANSWERS_AT_ITS_OWN_TIME("shouldRunRequestsToTheirEnd"),
    FORGETS_FIRST_ADMISSIONS("shouldNotifyOfTheFirstAdmissionOfEachRequest"),
    LOSES_STOP_TOKENS("shouldEndAtTheTokensOfTheStopRule"),
    LOSES_LOGPROBS("shouldDeliverLogProbabilitiesWithTheirTokens"),
    RELEASES_FAILED_TOKENS_AS_COMPUTED("shouldEndOnlyTheRequestsOfAFailedStep"),
    IGNORES_DEPENDENTS("shouldEndTheRequestsThatDependOnAFailedEntry"),
    PLANS_ANOTHER_THAN_IT_TELLS("shouldRunRequestsToTheirEnd");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  private final Fault fault;
  private final Scheduler sound;
  private StepPlan out;
  private final BrokenPlans plans;
  private final NanoClock clock;
  private boolean failing;
  private int added;

  BrokenScheduler(SchedulerContext context, Fault fault) {
    this.fault = fault;
    clock = context.clock();
    plans = new BrokenPlans(fault);
    final int vocabularySize = context.executorShape().vocabularySize();
    final ContinuousBatchingScheduler.Builder builder =
        ContinuousBatchingScheduler.builder(
                configFor(context.config()), kvCacheFor(context.kvCache()))
            .vocabularySize(fault == Fault.TAKES_ANY_TOKEN ? Integer.MAX_VALUE : vocabularySize)
            .probe(fault == Fault.SILENT ? new Probe() {} : plans.notifying(context.probe()))
            .clock(fault == Fault.OWN_TIME ? new VirtualClock() : context.clock());
    sound = builder.build();
  }

  private KvCacheManager kvCacheFor(KvCacheManager sound) {
    return Faults.wrap(
        KvCacheManager.class,
        sound,
        (method, arguments) -> {
          if (fault == Fault.RELEASES_FAILED_TOKENS_AS_COMPUTED
              && failing
              && method.getName().equals("release")) {
            arguments[1] = (int) arguments[1] + 1;
          }
          if (fault == Fault.IGNORES_DEPENDENTS && method.getName().equals("stepFailed")) {
            arguments[2] = (KvDependents) dependent -> {};
          }
          return Faults.GO_ON;
        });
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
          case ENDS_TWICE,
              LOSES_A_TOKEN,
              GIVES_NO_WAITS,
              GIVES_WAITS_TWICE,
              DOUBLES_WAITS,
              FORGETS_FIRST_ADMISSIONS,
              LOSES_STOP_TOKENS,
              LOSES_LOGPROBS ->
              new BrokenListener(listener);
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
  public void release(RequestView request, Hold hold) {
    switch (fault) {
      case RELEASES_TOO_EARLY ->
          request.request().holds().forEach(any -> sound.release(request, any));
      case NEVER_ADMITS_HELD_ONES -> {}
      default -> sound.release(request, hold);
    }
  }

  @Override
  public StepPlan schedule() {
    if (fault == Fault.TAKES_TOO_MANY_STEPS && out != null) {
      return out;
    }
    out = sound.schedule();
    return plans.returned(out);
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
    if (fault == Fault.ANSWERS_AT_ITS_OWN_TIME) {
      output.availableAt(clock.nanoTime());
    }
    sound.complete(plans.sound(plan), output);
  }

  @Override
  public void fail(StepPlan plan, Throwable cause, BlockFence fence) {
    out = null;
    failing = true;
    sound.fail(
        plans.sound(plan), cause, fault == Fault.RELEASES_HELD_BLOCKS ? BlockFence.RELEASE : fence);
    failing = false;
    if (fault == Fault.FAILS_ALL_REQUESTS) {
      ((ContinuousBatchingScheduler) sound)
          .inspect()
          .forEachWaiting(request -> waitingLoser = request);
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
    public void onFirstAdmitted(RequestView request, long nowNs) {
      if (fault != Fault.FORGETS_FIRST_ADMISSIONS) {
        listener.onFirstAdmitted(request, nowNs);
      }
    }

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {
      if (fault != Fault.LOSES_A_TOKEN || lost) {
        listener.onTokens(request, count, nowNs);
      }
      lost = true;
    }

    @Override
    public void onTokens(RequestView request, int count, StepOutput output, int entry, long nowNs) {
      if (fault == Fault.LOSES_A_TOKEN || fault == Fault.LOSES_LOGPROBS) {
        onTokens(request, count, nowNs);
      } else {
        listener.onTokens(request, count, output, entry, nowNs);
      }
    }

    @Override
    public void onWaitTimes(RequestView request, long[] byReasonNs) {
      if (fault == Fault.DOUBLES_WAITS) {
        Arrays.setAll(byReasonNs, i -> 2 * byReasonNs[i]);
      }
      for (int i = fault == Fault.GIVES_WAITS_TWICE ? 2 : 1; i > 0; i--) {
        if (fault != Fault.GIVES_NO_WAITS) {
          listener.onWaitTimes(request, byReasonNs);
        }
      }
    }

    @Override
    public void onFinished(
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
      final long reported = fault == Fault.LOSES_STOP_TOKENS ? Absent.ABSENT : stopTokenId;
      listener.onFinished(request, reason, reported, cause, nowNs);
      if (fault == Fault.ENDS_TWICE) {
        listener.onFinished(request, reason, reported, cause, nowNs);
      }
    }
  }
}
