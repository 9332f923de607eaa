package dev.headway.api.engine;

import dev.headway.api.kvcache.KvCacheStats;
import dev.headway.api.schedule.SchedulerStats;
import java.util.Arrays;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * Counters of an engine since it was made; an immutable snapshot, each figure exact at some recent
 * moment.
 */
public final class EngineStats {

  private static final String[] NAMES = {
    "submitted",
    "rejected",
    "finished",
    "waiting",
    "running",
    "steps",
    "stepsFailed",
    "probesDetached",
    "listenersFailed",
    "rejectionsUnreported",
    "journeyEventsUnreported"
  };

  private static final int SUBMITTED = 0;
  private static final int REJECTED = 1;
  private static final int FINISHED = 2;
  private static final int WAITING = 3;
  private static final int RUNNING = 4;
  private static final int STEPS = 5;
  private static final int STEPS_FAILED = 6;
  private static final int PROBES_DETACHED = 7;
  private static final int LISTENERS_FAILED = 8;
  private static final int REJECTIONS_UNREPORTED = 9;
  private static final int JOURNEY_EVENTS_UNREPORTED = 10;

  private final long[] counts;
  private final SchedulerStats scheduler;
  private final KvCacheStats kvCache;

  private EngineStats(Builder builder) {
    counts = builder.counts.clone();
    scheduler = builder.scheduler;
    kvCache = builder.kvCache;
  }

  /** Starts with every figure at 0. For implementations of {@link Engine}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Requests handed to {@code submit}. */
  public long submitted() {
    return counts[SUBMITTED];
  }

  /** Requests refused, of {@link #submitted}. */
  public long rejected() {
    return counts[REJECTED];
  }

  /** Requests that ended. */
  public long finished() {
    return counts[FINISHED];
  }

  /** Requests waiting now. */
  public long waiting() {
    return counts[WAITING];
  }

  /** Requests running now. */
  public long running() {
    return counts[RUNNING];
  }

  /** Steps planned. */
  public long steps() {
    return counts[STEPS];
  }

  /** Steps whose executor failed or timed out. */
  public long stepsFailed() {
    return counts[STEPS_FAILED];
  }

  /** Probes detached because they threw. */
  public long probesDetached() {
    return counts[PROBES_DETACHED];
  }

  /** Listeners that threw, once each; at a token, that ended their request. */
  public long listenersFailed() {
    return counts[LISTENERS_FAILED];
  }

  /**
   * Rejections that no probe was notified of because too many came at once or the engine had ended.
   */
  public long rejectionsUnreported() {
    return counts[REJECTIONS_UNREPORTED];
  }

  /** Journey events that no probe was notified of, for the same reasons. */
  public long journeyEventsUnreported() {
    return counts[JOURNEY_EVENTS_UNREPORTED];
  }

  /** Counters of the scheduler. */
  public SchedulerStats scheduler() {
    return scheduler;
  }

  /** How full the KV cache is. */
  public KvCacheStats kvCache() {
    return kvCache;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EngineStats that
        && Arrays.equals(counts, that.counts)
        && scheduler.equals(that.scheduler)
        && kvCache.equals(that.kvCache);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(counts), scheduler, kvCache);
  }

  @Override
  public String toString() {
    final StringJoiner text = new StringJoiner(", ", "EngineStats[", "]");
    for (int i = 0; i < NAMES.length; i++) {
      text.add(NAMES[i] + "=" + counts[i]);
    }
    return text.add("scheduler=" + scheduler).add("kvCache=" + kvCache).toString();
  }

  /** Figures for an {@link EngineStats}; not thread-safe. */
  public static final class Builder {

    private final long[] counts = new long[NAMES.length];
    private SchedulerStats scheduler = SchedulerStats.builder().build();
    private KvCacheStats kvCache = KvCacheStats.builder().build();

    private Builder() {}

    /** See {@link EngineStats#submitted}. */
    public Builder submitted(long value) {
      counts[SUBMITTED] = value;
      return this;
    }

    /** See {@link EngineStats#rejected}. */
    public Builder rejected(long value) {
      counts[REJECTED] = value;
      return this;
    }

    /** See {@link EngineStats#finished}. */
    public Builder finished(long value) {
      counts[FINISHED] = value;
      return this;
    }

    /** See {@link EngineStats#waiting}. */
    public Builder waiting(long value) {
      counts[WAITING] = value;
      return this;
    }

    /** See {@link EngineStats#running}. */
    public Builder running(long value) {
      counts[RUNNING] = value;
      return this;
    }

    /** See {@link EngineStats#steps}. */
    public Builder steps(long value) {
      counts[STEPS] = value;
      return this;
    }

    /** See {@link EngineStats#stepsFailed}. */
    public Builder stepsFailed(long value) {
      counts[STEPS_FAILED] = value;
      return this;
    }

    /** See {@link EngineStats#probesDetached}. */
    public Builder probesDetached(long value) {
      counts[PROBES_DETACHED] = value;
      return this;
    }

    /** See {@link EngineStats#listenersFailed}. */
    public Builder listenersFailed(long value) {
      counts[LISTENERS_FAILED] = value;
      return this;
    }

    /** See {@link EngineStats#rejectionsUnreported}. */
    public Builder rejectionsUnreported(long value) {
      counts[REJECTIONS_UNREPORTED] = value;
      return this;
    }

    /** See {@link EngineStats#journeyEventsUnreported}. */
    public Builder journeyEventsUnreported(long value) {
      counts[JOURNEY_EVENTS_UNREPORTED] = value;
      return this;
    }

    /** See {@link EngineStats#scheduler}. */
    public Builder scheduler(SchedulerStats value) {
      scheduler = value;
      return this;
    }

    /** See {@link EngineStats#kvCache}. */
    public Builder kvCache(KvCacheStats value) {
      kvCache = value;
      return this;
    }

    /** Makes the snapshot. */
    public EngineStats build() {
      return new EngineStats(this);
    }
  }
}
