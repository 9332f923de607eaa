package dev.headway.api.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * Counters of a scheduler since it was made; an immutable snapshot. A figure that a scheduler does
 * not keep is 0.
 */
public final class SchedulerStats {

  private static final String[] NAMES = {
    "steps",
    "admissions",
    "preemptions",
    "finished",
    "prefixLookups",
    "prefixQueriedTokens",
    "prefixHitTokens",
    "resumedLookups",
    "resumedQueriedTokens",
    "resumedHitTokens",
    "hostHitTokens",
    "savedBlocks",
    "loadedBlocks",
    "drafts",
    "draftTokens",
    "acceptedDraftTokens",
    "policyFaults",
    "policyNs",
    "externalLookups",
    "externalQueriedTokens",
    "externalHitTokens",
    "resumedExternalLookups",
    "resumedExternalQueriedTokens",
    "resumedExternalHitTokens",
    "failedLoads",
    "strayTransfers",
    "connectorFaults"
  };

  private static final int STEPS = 0;
  private static final int ADMISSIONS = 1;
  private static final int PREEMPTIONS = 2;
  private static final int FINISHED = 3;
  private static final int PREFIX_LOOKUPS = 4;
  private static final int PREFIX_QUERIED_TOKENS = 5;
  private static final int PREFIX_HIT_TOKENS = 6;
  private static final int RESUMED_LOOKUPS = 7;
  private static final int RESUMED_QUERIED_TOKENS = 8;
  private static final int RESUMED_HIT_TOKENS = 9;
  private static final int HOST_HIT_TOKENS = 10;
  private static final int SAVED_BLOCKS = 11;
  private static final int LOADED_BLOCKS = 12;
  private static final int DRAFTS = 13;
  private static final int DRAFT_TOKENS = 14;
  private static final int ACCEPTED_DRAFT_TOKENS = 15;
  private static final int POLICY_FAULTS = 16;
  private static final int POLICY_NS = 17;
  private static final int EXTERNAL_LOOKUPS = 18;
  private static final int EXTERNAL_QUERIED_TOKENS = 19;
  private static final int EXTERNAL_HIT_TOKENS = 20;
  private static final int RESUMED_EXTERNAL_LOOKUPS = 21;
  private static final int RESUMED_EXTERNAL_QUERIED_TOKENS = 22;
  private static final int RESUMED_EXTERNAL_HIT_TOKENS = 23;
  private static final int FAILED_LOADS = 24;
  private static final int STRAY_TRANSFERS = 25;
  private static final int CONNECTOR_FAULTS = 26;

  private final long[] counts;
  private final long[] acceptedAt;
  private final List<AdapterLoad> adapters;

  private SchedulerStats(Builder builder) {
    counts = builder.counts.clone();
    acceptedAt = builder.acceptedAt;
    adapters = builder.adapters;
  }

  /** Starts with every figure at 0. For implementations of {@link Scheduler}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Steps scheduled, empty ones included. */
  public long steps() {
    return counts[STEPS];
  }

  /** Requests admitted, resumptions included. */
  public long admissions() {
    return counts[ADMISSIONS];
  }

  /** Times a running request was preempted. */
  public long preemptions() {
    return counts[PREEMPTIONS];
  }

  /** Requests ended. */
  public long finished() {
    return counts[FINISHED];
  }

  /** Admissions of new requests that looked into the prefix cache. */
  public long prefixLookups() {
    return counts[PREFIX_LOOKUPS];
  }

  /** Tokens looked up in the prefix cache by admissions of new requests. */
  public long prefixQueriedTokens() {
    return counts[PREFIX_QUERIED_TOKENS];
  }

  /** Tokens found, of {@link #prefixQueriedTokens}. */
  public long prefixHitTokens() {
    return counts[PREFIX_HIT_TOKENS];
  }

  /** Admissions of preempted requests that looked into the prefix cache. */
  public long resumedLookups() {
    return counts[RESUMED_LOOKUPS];
  }

  /** Tokens looked up by admissions of preempted requests. */
  public long resumedQueriedTokens() {
    return counts[RESUMED_QUERIED_TOKENS];
  }

  /** Tokens found, of {@link #resumedQueriedTokens}. */
  public long resumedHitTokens() {
    return counts[RESUMED_HIT_TOKENS];
  }

  /** Tokens found in the host tier only, among both kinds of hits. */
  public long hostHitTokens() {
    return counts[HOST_HIT_TOKENS];
  }

  /** Blocks planned to be saved to the host tier. */
  public long savedBlocks() {
    return counts[SAVED_BLOCKS];
  }

  /** Blocks planned to be loaded from the host tier. */
  public long loadedBlocks() {
    return counts[LOADED_BLOCKS];
  }

  /** Times draft tokens of a request were verified. */
  public long drafts() {
    return counts[DRAFTS];
  }

  /** Draft tokens verified. */
  public long draftTokens() {
    return counts[DRAFT_TOKENS];
  }

  /** Draft tokens accepted, of {@link #draftTokens}. */
  public long acceptedDraftTokens() {
    return counts[ACCEPTED_DRAFT_TOKENS];
  }

  /** Positions of draft tokens behind a decode: as many as are proposed at most. */
  public int draftPositions() {
    return acceptedAt.length;
  }

  /**
   * Draft tokens accepted at {@code position} in [0, draftPositions); the sum over all positions is
   * {@link #acceptedDraftTokens}.
   */
  public long acceptedDraftTokensAt(int position) {
    return acceptedAt[position];
  }

  /** Impossible answers of policies, and exceptions they threw. */
  public long policyFaults() {
    return counts[POLICY_FAULTS];
  }

  /** Time spent in policies, in nanoseconds; the latest step's comes with the next. */
  public long policyNs() {
    return counts[POLICY_NS];
  }

  /** Admissions of new requests that asked a KV connector. */
  public long externalLookups() {
    return counts[EXTERNAL_LOOKUPS];
  }

  /** Tokens that were not cached locally when a KV connector was asked, of new requests. */
  public long externalQueriedTokens() {
    return counts[EXTERNAL_QUERIED_TOKENS];
  }

  /** Tokens that the connector had, of {@link #externalQueriedTokens}. */
  public long externalHitTokens() {
    return counts[EXTERNAL_HIT_TOKENS];
  }

  /** Admissions of preempted requests that asked a KV connector. */
  public long resumedExternalLookups() {
    return counts[RESUMED_EXTERNAL_LOOKUPS];
  }

  /** Tokens that were not cached locally then, of preempted requests. */
  public long resumedExternalQueriedTokens() {
    return counts[RESUMED_EXTERNAL_QUERIED_TOKENS];
  }

  /** Tokens that the connector had, of {@link #resumedExternalQueriedTokens}. */
  public long resumedExternalHitTokens() {
    return counts[RESUMED_EXTERNAL_HIT_TOKENS];
  }

  /** Requests whose KV could not be loaded from outside. */
  public long failedLoads() {
    return counts[FAILED_LOADS];
  }

  /** Transfers reported that were not out. */
  public long strayTransfers() {
    return counts[STRAY_TRANSFERS];
  }

  /** Exceptions of the KV connector about requests that had ended. */
  public long connectorFaults() {
    return counts[CONNECTOR_FAULTS];
  }

  /**
   * The LoRA adapters that requests run with or wait for now, by name: no more than there are such
   * requests.
   */
  public List<AdapterLoad> adapters() {
    return adapters;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SchedulerStats that
        && Arrays.equals(counts, that.counts)
        && Arrays.equals(acceptedAt, that.acceptedAt)
        && adapters.equals(that.adapters);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(counts), Arrays.hashCode(acceptedAt), adapters);
  }

  @Override
  public String toString() {
    final StringJoiner text = new StringJoiner(", ", "SchedulerStats[", "]");
    for (int i = 0; i < NAMES.length; i++) {
      text.add(NAMES[i] + "=" + counts[i]);
    }
    if (acceptedAt.length > 0) {
      text.add("acceptedDraftTokensPerPosition=" + Arrays.toString(acceptedAt));
    }
    if (!adapters.isEmpty()) {
      text.add("adapters=" + adapters);
    }
    return text.toString();
  }

  /** Figures for a {@link SchedulerStats}; not thread-safe. */
  public static final class Builder {

    private final long[] counts = new long[NAMES.length];
    private long[] acceptedAt = {};
    private List<AdapterLoad> adapters = List.of();

    private Builder() {}

    /** See {@link SchedulerStats#acceptedDraftTokensAt}; copied. */
    public Builder acceptedDraftTokensPerPosition(long[] accepted) {
      acceptedAt = accepted.clone();
      return this;
    }

    /** See {@link SchedulerStats#adapters}; copied. */
    public Builder adapters(List<AdapterLoad> loads) {
      adapters = List.copyOf(loads);
      return this;
    }

    /** See {@link SchedulerStats#steps}. */
    public Builder steps(long value) {
      counts[STEPS] = value;
      return this;
    }

    /** See {@link SchedulerStats#admissions}. */
    public Builder admissions(long value) {
      counts[ADMISSIONS] = value;
      return this;
    }

    /** See {@link SchedulerStats#preemptions}. */
    public Builder preemptions(long value) {
      counts[PREEMPTIONS] = value;
      return this;
    }

    /** See {@link SchedulerStats#finished}. */
    public Builder finished(long value) {
      counts[FINISHED] = value;
      return this;
    }

    /** See {@link SchedulerStats#prefixLookups}. */
    public Builder prefixLookups(long value) {
      counts[PREFIX_LOOKUPS] = value;
      return this;
    }

    /** See {@link SchedulerStats#prefixQueriedTokens}. */
    public Builder prefixQueriedTokens(long value) {
      counts[PREFIX_QUERIED_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#prefixHitTokens}. */
    public Builder prefixHitTokens(long value) {
      counts[PREFIX_HIT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedLookups}. */
    public Builder resumedLookups(long value) {
      counts[RESUMED_LOOKUPS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedQueriedTokens}. */
    public Builder resumedQueriedTokens(long value) {
      counts[RESUMED_QUERIED_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedHitTokens}. */
    public Builder resumedHitTokens(long value) {
      counts[RESUMED_HIT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#hostHitTokens}. */
    public Builder hostHitTokens(long value) {
      counts[HOST_HIT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#savedBlocks}. */
    public Builder savedBlocks(long value) {
      counts[SAVED_BLOCKS] = value;
      return this;
    }

    /** See {@link SchedulerStats#loadedBlocks}. */
    public Builder loadedBlocks(long value) {
      counts[LOADED_BLOCKS] = value;
      return this;
    }

    /** See {@link SchedulerStats#drafts}. */
    public Builder drafts(long value) {
      counts[DRAFTS] = value;
      return this;
    }

    /** See {@link SchedulerStats#draftTokens}. */
    public Builder draftTokens(long value) {
      counts[DRAFT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#acceptedDraftTokens}. */
    public Builder acceptedDraftTokens(long value) {
      counts[ACCEPTED_DRAFT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#policyFaults}. */
    public Builder policyFaults(long value) {
      counts[POLICY_FAULTS] = value;
      return this;
    }

    /** See {@link SchedulerStats#policyNs}. */
    public Builder policyNs(long value) {
      counts[POLICY_NS] = value;
      return this;
    }

    /** See {@link SchedulerStats#externalLookups}. */
    public Builder externalLookups(long value) {
      counts[EXTERNAL_LOOKUPS] = value;
      return this;
    }

    /** See {@link SchedulerStats#externalQueriedTokens}. */
    public Builder externalQueriedTokens(long value) {
      counts[EXTERNAL_QUERIED_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#externalHitTokens}. */
    public Builder externalHitTokens(long value) {
      counts[EXTERNAL_HIT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedExternalLookups}. */
    public Builder resumedExternalLookups(long value) {
      counts[RESUMED_EXTERNAL_LOOKUPS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedExternalQueriedTokens}. */
    public Builder resumedExternalQueriedTokens(long value) {
      counts[RESUMED_EXTERNAL_QUERIED_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#resumedExternalHitTokens}. */
    public Builder resumedExternalHitTokens(long value) {
      counts[RESUMED_EXTERNAL_HIT_TOKENS] = value;
      return this;
    }

    /** See {@link SchedulerStats#failedLoads}. */
    public Builder failedLoads(long value) {
      counts[FAILED_LOADS] = value;
      return this;
    }

    /** See {@link SchedulerStats#strayTransfers}. */
    public Builder strayTransfers(long value) {
      counts[STRAY_TRANSFERS] = value;
      return this;
    }

    /** See {@link SchedulerStats#connectorFaults}. */
    public Builder connectorFaults(long value) {
      counts[CONNECTOR_FAULTS] = value;
      return this;
    }

    /** Makes the snapshot. */
    public SchedulerStats build() {
      return new SchedulerStats(this);
    }
  }
}
