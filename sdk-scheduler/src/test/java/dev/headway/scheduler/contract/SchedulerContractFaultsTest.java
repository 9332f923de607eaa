package dev.headway.scheduler.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.probe.Probe;
import dev.headway.api.schedule.Scheduler;
import dev.headway.scheduler.contract.BrokenScheduler.Fault;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.testkit.scheduler.SchedulerContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract notices each fault. */
class SchedulerContractFaultsTest {

  private static Fault planted;
  private static String missing;

  @ParameterizedTest
  @EnumSource
  void shouldNotice(Fault fault) {
    planted = fault;

    assertThat(ContractRun.failuresOf(Faulty.class)).contains(fault.check);
  }

  @Test
  void shouldNoticeBlocksThatAreNeverGivenBack() {
    assertThat(ContractRun.failuresOf(Leaking.class)).contains("shouldGiveBackAllBlocks");
  }

  /** None of these may stay away. */
  @ParameterizedTest
  @CsvSource({
    "onQueued, shouldRunRequestsToTheirEnd",
    "onAdmitted, shouldRunRequestsToTheirEnd",
    "onFirstToken, shouldRunRequestsToTheirEnd",
    "onFinished, shouldNotifyListenerAndProbeOfEachEndOnce",
    "onPlanned, shouldRunRequestsToTheirEnd",
    "onPreempted, shouldTellOfEveryWaitAndPreemption",
    "onBlocked, shouldTellOfEveryWaitAndPreemption",
    "onUnblocked, shouldTellOfEveryWaitAndPreemption",
    "onAdmissionsClosed, shouldTellOfEveryWaitAndPreemption",
    "onCacheReset, shouldTellOfRequestsPutBackByAReset"
  })
  void shouldNoticeAMissingEvent(String event, String check) {
    missing = event;

    assertThat(ContractRun.failuresOf(Silent.class)).contains(check);
  }

  @ParameterizedTest
  @CsvSource({
    "beginStep, shouldRunRequestsToTheirEnd",
    "endStep, shouldRunRequestsToTheirEnd",
    "stepEnded, shouldRunRequestsToTheirEnd",
    "stepFailed, shouldEndOnlyTheRequestsOfAFailedStep",
    "stepFailed, shouldEndOnlyTheRequestWhoseEntryFailed",
    "acknowledge, shouldGiveBackAllBlocks"
  })
  void shouldNoticeACallThatTheCacheNeverGets(String call, String check) {
    missing = call;

    assertThat(ContractRun.failuresOf(Forgetful.class)).contains(check);
  }

  /** Never notifies the probe of one kind of event. */
  static final class Silent extends SchedulerContract {
    @Override
    protected Scheduler create(SchedulerContext context) {
      return builder(context, context.kvCache())
          .probe(Faults.without(Probe.class, context.probe(), missing))
          .build();
    }

    @Override
    protected KvCacheManager kvCache(KvCacheContext context) {
      return SchedulerContractTest.defaultKvCache(context);
    }
  }

  /** Never makes one of the calls to the cache. */
  static final class Forgetful extends SchedulerContract {
    @Override
    protected Scheduler create(SchedulerContext context) {
      return builder(context, Faults.without(KvCacheManager.class, context.kvCache(), missing))
          .probe(context.probe())
          .build();
    }

    @Override
    protected KvCacheManager kvCache(KvCacheContext context) {
      return SchedulerContractTest.defaultKvCache(context);
    }
  }

  private static ContinuousBatchingScheduler.Builder builder(
      SchedulerContext context, KvCacheManager kvCache) {
    return ContinuousBatchingScheduler.builder(context.config(), kvCache)
        .vocabularySize(context.executorShape().vocabularySize())
        .clock(context.clock());
  }

  static final class Faulty extends SchedulerContract {
    @Override
    protected Scheduler create(SchedulerContext context) {
      return new BrokenScheduler(context, planted);
    }

    @Override
    protected KvCacheManager kvCache(KvCacheContext context) {
      return SchedulerContractTest.defaultKvCache(context);
    }
  }

  /** A cache whose blocks are never acknowledged, as if the scheduler forgot to. */
  static final class Leaking extends SchedulerContractTest {
    @Override
    protected KvCacheManager kvCache(KvCacheContext context) {
      return Faults.without(KvCacheManager.class, super.kvCache(context), "acknowledge");
    }
  }
}
