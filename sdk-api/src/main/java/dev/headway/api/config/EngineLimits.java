package dev.headway.api.config;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limits that may change while an engine runs. Immutable; any thread.
 *
 * <p>Capacities stay as they were built: the executor has room for {@code maxNumSeqs} requests and
 * {@code maxNumBatchedTokens} tokens, and these limits are at most as large. Names and meanings are
 * those of {@link SchedulerConfig}.
 *
 * <pre>{@code
 * engine.setLimits(engine.limits().toBuilder().maxNumActiveSeqs(16).build());
 * }</pre>
 */
public final class EngineLimits {

  private final int maxNumActiveSeqs;
  private final int maxNumScheduledTokens;
  private final int longPrefillTokenThreshold;
  private final int maxNumPartialPrefills;
  private final int maxLongPartialPrefills;
  private final double watermark;
  private final QueueLimits queueLimits;

  private EngineLimits(Builder builder) {
    maxNumActiveSeqs = builder.maxNumActiveSeqs;
    maxNumScheduledTokens = builder.maxNumScheduledTokens;
    longPrefillTokenThreshold = builder.longPrefillTokenThreshold;
    maxNumPartialPrefills = builder.maxNumPartialPrefills;
    maxLongPartialPrefills = builder.maxLongPartialPrefills;
    watermark = builder.watermark;
    queueLimits = builder.queueLimits;
  }

  /** The limits of a configuration. */
  public static EngineLimits of(SchedulerConfig config) {
    final Builder builder = new Builder();
    builder.maxNumActiveSeqs = config.maxNumActiveSeqs();
    builder.maxNumScheduledTokens = config.maxNumScheduledTokens();
    builder.longPrefillTokenThreshold = config.longPrefillTokenThreshold();
    builder.maxNumPartialPrefills = config.maxNumPartialPrefills();
    builder.maxLongPartialPrefills = config.maxLongPartialPrefills();
    builder.watermark = config.admission().watermark();
    builder.queueLimits = config.queueLimits();
    return new EngineLimits(builder);
  }

  /** Starts from these limits. */
  public Builder toBuilder() {
    final Builder builder = new Builder();
    builder.maxNumActiveSeqs = maxNumActiveSeqs;
    builder.maxNumScheduledTokens = maxNumScheduledTokens;
    builder.longPrefillTokenThreshold = longPrefillTokenThreshold;
    builder.maxNumPartialPrefills = maxNumPartialPrefills;
    builder.maxLongPartialPrefills = maxLongPartialPrefills;
    builder.watermark = watermark;
    builder.queueLimits = queueLimits;
    return builder;
  }

  /**
   * Returns a configuration with these limits in place of its own.
   *
   * @throws IllegalArgumentException naming the limit, its value and the constraint, as for a
   *     configuration that is built with it
   */
  public SchedulerConfig applyTo(SchedulerConfig config) {
    final SchedulerConfig changed =
        config.toBuilder()
            .maxNumActiveSeqs(maxNumActiveSeqs)
            .maxNumScheduledTokens(maxNumScheduledTokens)
            .longPrefillTokenThreshold(longPrefillTokenThreshold)
            .maxNumPartialPrefills(maxNumPartialPrefills)
            .maxLongPartialPrefills(maxLongPartialPrefills)
            .admission(new AdmissionOptions(config.admission().fullSequenceGate(), watermark))
            .queueLimits(queueLimits)
            .build();
    requireWholeItemsFit(config, changed);
    return changed;
  }

  /** Requests are checked against the largest chunk at submission; those alive must still fit. */
  private static void requireWholeItemsFit(SchedulerConfig built, SchedulerConfig changed) {
    final boolean isWhole =
        built.encoder().isEnabled()
            && built.encoder().chunkedMmInput() == ChunkedMmInput.DISABLED
            && built.speculation().prefillLookaheadTokens() > 0;
    if (isWhole
        && (built.maxNumScheduledTokens() != changed.maxNumScheduledTokens()
            || built.longPrefillTokenThreshold() != changed.longPrefillTokenThreshold())) {
      throw new IllegalArgumentException(
          "maxNumScheduledTokens and longPrefillTokenThreshold must stay as they were built where"
              + " drafting modules look ahead and chunked multi-modal input is disabled, or an item"
              + " could never be computed: maxNumScheduledTokens="
              + changed.maxNumScheduledTokens()
              + ", longPrefillTokenThreshold="
              + changed.longPrefillTokenThreshold());
    }
  }

  /** Most requests admitted to run at once; 0 for {@code maxNumSeqs}. */
  public int maxNumActiveSeqs() {
    return maxNumActiveSeqs;
  }

  /** Most tokens scheduled in a step; 0 for {@code maxNumBatchedTokens}. */
  public int maxNumScheduledTokens() {
    return maxNumScheduledTokens;
  }

  /** Most tokens a request gets in one step; 0 for no cap. */
  public int longPrefillTokenThreshold() {
    return longPrefillTokenThreshold;
  }

  /** Most running requests in the middle of their prompt; 0 for no limit. */
  public int maxNumPartialPrefills() {
    return maxNumPartialPrefills;
  }

  /** Most of those with a long prompt; 0 for no limit of their own. */
  public int maxLongPartialPrefills() {
    return maxLongPartialPrefills;
  }

  /** Share of all KV blocks kept free at admissions while anything runs, in [0, 1). */
  public double watermark() {
    return watermark;
  }

  /** How much may wait. */
  public QueueLimits queueLimits() {
    return queueLimits;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EngineLimits that
        && maxNumActiveSeqs == that.maxNumActiveSeqs
        && maxNumScheduledTokens == that.maxNumScheduledTokens
        && longPrefillTokenThreshold == that.longPrefillTokenThreshold
        && maxNumPartialPrefills == that.maxNumPartialPrefills
        && maxLongPartialPrefills == that.maxLongPartialPrefills
        && Double.compare(watermark, that.watermark) == 0
        && queueLimits.equals(that.queueLimits);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        maxNumActiveSeqs,
        maxNumScheduledTokens,
        longPrefillTokenThreshold,
        maxNumPartialPrefills,
        maxLongPartialPrefills,
        watermark,
        queueLimits);
  }

  @Override
  public String toString() {
    return "EngineLimits[maxNumActiveSeqs="
        + maxNumActiveSeqs
        + ", maxNumScheduledTokens="
        + maxNumScheduledTokens
        + ", longPrefillTokenThreshold="
        + longPrefillTokenThreshold
        + ", maxNumPartialPrefills="
        + maxNumPartialPrefills
        + ", maxLongPartialPrefills="
        + maxLongPartialPrefills
        + ", watermark="
        + watermark
        + ", "
        + queueLimits
        + "]";
  }

  /** Collects limits, each as it was unless set. Not thread-safe. */
  public static final class Builder {

    private int maxNumActiveSeqs;
    private int maxNumScheduledTokens;
    private int longPrefillTokenThreshold;
    private int maxNumPartialPrefills;
    private int maxLongPartialPrefills;
    private double watermark;
    private QueueLimits queueLimits = QueueLimits.NONE;

    private Builder() {}

    /**
     * Most requests admitted to run at once; 0 for {@code maxNumSeqs}. None is preempted for it.
     */
    public Builder maxNumActiveSeqs(int seqs) {
      this.maxNumActiveSeqs = seqs;
      return this;
    }

    /** Most tokens scheduled in a step; 0 for {@code maxNumBatchedTokens}. */
    public Builder maxNumScheduledTokens(int tokens) {
      this.maxNumScheduledTokens = tokens;
      return this;
    }

    /** Most tokens a request gets in one step; 0 for no cap. */
    public Builder longPrefillTokenThreshold(int tokens) {
      this.longPrefillTokenThreshold = tokens;
      return this;
    }

    /** Most running requests in the middle of their prompt; 0 for no limit. */
    public Builder maxNumPartialPrefills(int requests) {
      this.maxNumPartialPrefills = requests;
      return this;
    }

    /** Most of those with a long prompt; 0 for no limit of their own. */
    public Builder maxLongPartialPrefills(int requests) {
      this.maxLongPartialPrefills = requests;
      return this;
    }

    /** Share of all KV blocks kept free at admissions while anything runs, in [0, 1). */
    public Builder watermark(double share) {
      this.watermark = share;
      return this;
    }

    /** How much may wait; for requests that are submitted from then on. */
    public Builder queueLimits(QueueLimits limits) {
      this.queueLimits = Objects.requireNonNull(limits, "limits");
      return this;
    }

    /** Returns the limits; whether an engine can have them is checked by the engine. */
    public EngineLimits build() {
      return new EngineLimits(this);
    }
  }
}
