package dev.headway.testkit.policy;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a step in memory, for tests of policies. Prefix matches are those of its {@link
 * FakeRequest}s. Not thread-safe; reading allocates nothing.
 */
public final class SampleStep implements StepView {

  private final SchedulerConfig config;
  private final int blockSize;
  private final int usableBlocks;
  private final @Nullable StepTimeModel stepTime;

  final List<FakeRequest> running;
  int[] scheduled;
  long stepId;
  long nowNs;
  int waitingCount;
  int tokensLeft;
  int freeBlocks;

  private SampleStep(Builder builder) {
    config = builder.config;
    blockSize = builder.blockSize;
    usableBlocks = builder.usableBlocks;
    stepTime = builder.stepTime;
    running = builder.running;
    scheduled = Arrays.copyOf(builder.scheduled, Math.max(running.size(), 1));
    stepId = 1;
    nowNs = builder.nowNs;
    waitingCount = builder.waitingCount;
    tokensLeft = builder.tokensLeft;
    freeBlocks = builder.freeBlocks;
  }

  /**
   * Starts a step under these settings: no request runs, all tokens are left, all blocks are free.
   */
  public static Builder of(SchedulerConfig config, int blockSize, int usableBlocks) {
    return new Builder(config, blockSize, usableBlocks);
  }

  @Override
  public long stepId() {
    return stepId;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public SchedulerConfig config() {
    return config;
  }

  @Override
  public int runningCount() {
    return running.size();
  }

  @Override
  public RequestView running(int index) {
    return running.get(index);
  }

  @Override
  public int scheduledTokens(int index) {
    return scheduled[index];
  }

  @Override
  public int waitingCount() {
    return waitingCount;
  }

  @Override
  public int tokensLeft() {
    return tokensLeft;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public int freeBlocks() {
    return freeBlocks;
  }

  @Override
  public int usableBlocks() {
    return usableBlocks;
  }

  @Override
  public int cachedPrefixTokens(RequestView waiting) {
    return waiting instanceof FakeRequest fake ? fake.cachedPrefixTokens() : 0;
  }

  @Override
  public long estimateNs(StepFeatures features) {
    return stepTime == null ? ABSENT : stepTime.estimateNs(features);
  }

  /** Collects the state of the step. Not thread-safe. */
  public static final class Builder {

    private final SchedulerConfig config;
    private final int blockSize;
    private final int usableBlocks;
    private final List<FakeRequest> running = new ArrayList<>();
    private int[] scheduled = {};
    private @Nullable StepTimeModel stepTime;
    private long nowNs;
    private int waitingCount;
    private int tokensLeft;
    private int freeBlocks;

    private Builder(SchedulerConfig config, int blockSize, int usableBlocks) {
      this.config = config;
      this.blockSize = blockSize;
      this.usableBlocks = usableBlocks;
      tokensLeft = config.limits().maxNumBatchedTokens();
      freeBlocks = usableBlocks;
    }

    /** Adds running requests, in the order of admission. */
    public Builder running(FakeRequest... requests) {
      running.addAll(Arrays.asList(requests));
      return this;
    }

    /** Tokens scheduled so far, by running request; 0 unless set. */
    public Builder scheduled(int... tokens) {
      this.scheduled = tokens.clone();
      return this;
    }

    /** Predicts durations; none unless set. */
    public Builder stepTime(@Nullable StepTimeModel model) {
      this.stepTime = model;
      return this;
    }

    /** The instant; 0 unless set. */
    public Builder nowNs(long nowNs) {
      this.nowNs = nowNs;
      return this;
    }

    /** Requests waiting; 0 unless set. */
    public Builder waiting(int count) {
      this.waitingCount = count;
      return this;
    }

    /** Tokens left; the whole budget unless set. */
    public Builder tokensLeft(int tokens) {
      this.tokensLeft = tokens;
      return this;
    }

    /** Blocks free; all of them unless set. */
    public Builder freeBlocks(int blocks) {
      this.freeBlocks = blocks;
      return this;
    }

    /** Returns the view. */
    public SampleStep build() {
      return new SampleStep(this);
    }
  }
}
