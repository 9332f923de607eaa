package dev.headway.scheduler.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.schedule.Scheduler;
import dev.headway.scheduler.contract.BrokenScheduler.Fault;
import dev.headway.testkit.scheduler.SchedulerContract;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract notices each fault. */
class SchedulerContractFaultsTest {

  private static Fault planted;

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
      final KvCacheManager sound = super.kvCache(context);
      return (KvCacheManager)
          Proxy.newProxyInstance(
              KvCacheManager.class.getClassLoader(),
              new Class<?>[] {KvCacheManager.class},
              (proxy, method, arguments) ->
                  method.getName().equals("acknowledge") ? null : method.invoke(sound, arguments));
    }
  }
}
