package dev.headway.api.config;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Whether computed KV blocks are kept for other requests with the same prefix, and how they are
 * found. Immutable; any thread.
 */
public final class PrefixCacheOptions {

  /** Full blocks stay findable until their memory is needed; boundaries only. */
  public static final PrefixCacheOptions DEFAULT = builder().build();

  private static final PrefixCacheOptions DISABLED = new PrefixCacheOptions(builder(), false);

  private final boolean enabled;
  private final OptionalInt matchUnit;
  private final PrefixRetention retention;
  private final double residencySample;

  private PrefixCacheOptions(Builder builder, boolean enabled) {
    this.enabled = enabled;
    matchUnit = builder.matchUnit;
    retention = builder.retention;
    residencySample = builder.residencySample;
  }

  /** Nothing is shared; freed blocks are forgotten. */
  public static PrefixCacheOptions disabled() {
    return DISABLED;
  }

  /** Starts with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether prefixes are shared at all. */
  public boolean isEnabled() {
    return enabled;
  }

  /**
   * Granularity of hashes and hits, in tokens, >= 1; empty for the groups' block sizes (one group:
   * its block size; several: their greatest common divisor).
   */
  public OptionalInt matchUnit() {
    return matchUnit;
  }

  /** Which blocks of windowed and recurrent groups stay findable. */
  public PrefixRetention retention() {
    return retention;
  }

  /**
   * Share of blocks whose stay in the cache is measured, in [0, 1]; 0 for none, which costs
   * nothing.
   */
  public double residencySample() {
    return residencySample;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrefixCacheOptions that
        && enabled == that.enabled
        && matchUnit.equals(that.matchUnit)
        && retention.equals(that.retention)
        && residencySample == that.residencySample;
  }

  @Override
  public int hashCode() {
    return Objects.hash(enabled, matchUnit, retention, residencySample);
  }

  @Override
  public String toString() {
    return enabled
        ? "PrefixCacheOptions["
            + (matchUnit.isPresent() ? "matchUnit=" + matchUnit.getAsInt() + ", " : "")
            + "retention="
            + retention
            + (residencySample > 0 ? ", residencySample=" + residencySample : "")
            + "]"
        : "PrefixCacheOptions[disabled]";
  }

  /** Collects the options of a prefix cache. Not thread-safe. */
  public static final class Builder {

    private OptionalInt matchUnit = OptionalInt.empty();
    private PrefixRetention retention = PrefixRetention.BOUNDARIES;
    private double residencySample;

    private Builder() {}

    /**
     * Granularity of hashes and hits, in tokens, >= 1; every block size must be a multiple of it.
     * The groups' block sizes unless set.
     */
    public Builder matchUnit(int tokens) {
      if (tokens < 1) {
        throw new IllegalArgumentException("matchUnit must be >= 1: matchUnit=" + tokens);
      }
      this.matchUnit = OptionalInt.of(tokens);
      return this;
    }

    /**
     * Which blocks of windowed and recurrent groups stay findable; {@link
     * PrefixRetention#BOUNDARIES} unless set.
     */
    public Builder retention(PrefixRetention retention) {
      this.retention = retention;
      return this;
    }

    /**
     * Share of blocks whose stay in the cache is measured; 0 unless set. vLLM's {@code
     * kv_cache_metrics_sample} is 0.01.
     */
    public Builder residencySample(double share) {
      if (!(share >= 0 && share <= 1)) {
        throw new IllegalArgumentException(
            "residencySample must be in [0, 1]: residencySample=" + share);
      }
      this.residencySample = share;
      return this;
    }

    /** Returns the options. */
    public PrefixCacheOptions build() {
      return new PrefixCacheOptions(this, true);
    }
  }
}
