package dev.headway.testkit;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.RunInfo;

/** The run that a probe is made for or notified of, for tests. Stateless. */
public final class FakeRun {

  private FakeRun() {}

  /** Starts a run in virtual time: 8 requests at once, on {@code blocks} blocks of 16 tokens. */
  public static RunInfo.Builder builder(int blocks) {
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(128).build();
    return RunInfo.builder(
            SchedulerConfig.builder(limits).build(),
            KvCacheShape.builder().blockSize(16).blocks(blocks).build())
        .headwayVersion("test")
        .executor("scripted")
        .virtualTime(true);
  }
}
