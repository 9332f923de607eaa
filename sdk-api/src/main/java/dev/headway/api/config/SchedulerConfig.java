package dev.headway.api.config;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything a scheduler is told, validated as a whole.
 *
 * @param limits the limits of a step
 * @param chunkedPrefill whether a prompt may be computed over several steps
 * @param longPrefillTokenThreshold most tokens a request gets in one step, in tokens; 0 switches
 *     the cap off
 * @param queuePolicy order of admission and choice of the victim
 * @param prefixCaching whether computed blocks are kept for others
 * @param admission when a waiting request may take KV blocks
 * @param compatibility whether vLLM's dead ends are kept
 */
public record SchedulerConfig(
    SchedulerLimits limits,
    ChunkedPrefill chunkedPrefill,
    int longPrefillTokenThreshold,
    QueuePolicy queuePolicy,
    PrefixCaching prefixCaching,
    AdmissionOptions admission,
    Compatibility compatibility) {

  /** Validates the components. */
  public SchedulerConfig {
    if (longPrefillTokenThreshold < 0) {
      throw new IllegalArgumentException(
          "longPrefillTokenThreshold must be >= 0, 0 for no cap: longPrefillTokenThreshold="
              + longPrefillTokenThreshold);
    }
    if (longPrefillTokenThreshold > limits.maxModelLen()) {
      throw new IllegalArgumentException(
          "longPrefillTokenThreshold must be <= maxModelLen: longPrefillTokenThreshold="
              + longPrefillTokenThreshold
              + ", maxModelLen="
              + limits.maxModelLen());
    }
    final int largestChunk =
        longPrefillTokenThreshold == 0 ? limits.maxModelLen() : longPrefillTokenThreshold;
    if (chunkedPrefill == ChunkedPrefill.DISABLED
        && compatibility == Compatibility.HEADWAY
        && limits.maxNumBatchedTokens() < largestChunk) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxModelLen (or longPrefillTokenThreshold, if set) when"
              + " chunkedPrefill is DISABLED, or a long request could never be computed:"
              + " maxNumBatchedTokens="
              + limits.maxNumBatchedTokens()
              + ", maxModelLen="
              + limits.maxModelLen()
              + ", longPrefillTokenThreshold="
              + longPrefillTokenThreshold);
    }
  }

  /** Starts a configuration; everything but the limits has a default. */
  public static Builder builder(SchedulerLimits limits) {
    return new Builder(limits);
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {

    private final SchedulerLimits limits;
    private ChunkedPrefill chunkedPrefill = ChunkedPrefill.ENABLED;
    private int longPrefillTokenThreshold;
    private QueuePolicy queuePolicy = QueuePolicy.FCFS;
    private PrefixCaching prefixCaching = PrefixCaching.ENABLED;
    private AdmissionOptions admission = AdmissionOptions.DEFAULT;
    private Compatibility compatibility = Compatibility.HEADWAY;

    private Builder(@Nullable SchedulerLimits limits) {
      this.limits = Objects.requireNonNull(limits, "limits");
    }

    /** {@link ChunkedPrefill#ENABLED} unless set. */
    public Builder chunkedPrefill(ChunkedPrefill chunkedPrefill) {
      this.chunkedPrefill = chunkedPrefill;
      return this;
    }

    /** Most tokens a request gets in one step; 0 (no cap) unless set. */
    public Builder longPrefillTokenThreshold(int tokens) {
      this.longPrefillTokenThreshold = tokens;
      return this;
    }

    /** {@link QueuePolicy#FCFS} unless set. */
    public Builder queuePolicy(QueuePolicy queuePolicy) {
      this.queuePolicy = queuePolicy;
      return this;
    }

    /** {@link PrefixCaching#ENABLED} unless set. */
    public Builder prefixCaching(PrefixCaching prefixCaching) {
      this.prefixCaching = prefixCaching;
      return this;
    }

    /** {@link AdmissionOptions#DEFAULT} unless set. */
    public Builder admission(AdmissionOptions admission) {
      this.admission = admission;
      return this;
    }

    /** {@link Compatibility#HEADWAY} unless set. */
    public Builder compatibility(Compatibility compatibility) {
      this.compatibility = compatibility;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException naming the option, its value and what must hold
     */
    public SchedulerConfig build() {
      return new SchedulerConfig(
          limits,
          chunkedPrefill,
          longPrefillTokenThreshold,
          queuePolicy,
          prefixCaching,
          admission,
          compatibility);
    }
  }
}
