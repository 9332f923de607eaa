package dev.headway.api.probe;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.ClockAnchor;
import java.util.Map;

/** Description of a run, fixed before its first step. Immutable. */
public final class RunInfo {

  private final SchedulerConfig config;
  private final KvCacheShape kvCache;
  private final String headwayVersion;
  private final String executor;
  private final ClockAnchor anchor;
  private final boolean virtualTime;
  private final Map<String, String> attributes;

  private RunInfo(Builder builder) {
    config = builder.config;
    kvCache = builder.kvCache;
    headwayVersion = builder.headwayVersion;
    executor = builder.executor;
    anchor = builder.anchor;
    virtualTime = builder.virtualTime;
    attributes = builder.attributes;
  }

  /** Starts the description of a run with these settings on a cache of this size. */
  public static Builder builder(SchedulerConfig config, KvCacheShape kvCache) {
    return new Builder(config, kvCache);
  }

  /** Starts from this description. */
  public Builder toBuilder() {
    return new Builder(config, kvCache)
        .headwayVersion(headwayVersion)
        .executor(executor)
        .anchor(anchor)
        .virtualTime(virtualTime)
        .attributes(attributes);
  }

  /** Version of the library. */
  public String headwayVersion() {
    return headwayVersion;
  }

  /** The scheduler's settings. */
  public SchedulerConfig config() {
    return config;
  }

  /** Size of the KV cache. */
  public KvCacheShape kvCache() {
    return kvCache;
  }

  /** The executor's name. */
  public String executor() {
    return executor;
  }

  /** Ties the run's clock to calendar time. */
  public ClockAnchor anchor() {
    return anchor;
  }

  /** Whether time is simulated. */
  public boolean virtualTime() {
    return virtualTime;
  }

  /** Labels of the embedder, recorded in files: model, hardware, seed. */
  public Map<String, String> attributes() {
    return attributes;
  }

  /** Collects what is known of a run. Not thread-safe. */
  public static final class Builder {

    private final SchedulerConfig config;
    private final KvCacheShape kvCache;
    private String headwayVersion = "unknown";
    private String executor = "unknown";
    private ClockAnchor anchor = new ClockAnchor(0, 0, 0);
    private boolean virtualTime;
    private Map<String, String> attributes = Map.of();

    private Builder(SchedulerConfig config, KvCacheShape kvCache) {
      this.config = config;
      this.kvCache = kvCache;
    }

    /** Version of the library; {@code unknown} unless set. */
    public Builder headwayVersion(String version) {
      this.headwayVersion = version;
      return this;
    }

    /** The executor's name; {@code unknown} unless set. */
    public Builder executor(String name) {
      this.executor = name;
      return this;
    }

    /** Ties the run's clock to calendar time; 0 is 1970 unless set. */
    public Builder anchor(ClockAnchor anchor) {
      this.anchor = anchor;
      return this;
    }

    /** Whether time is simulated; false unless set. */
    public Builder virtualTime(boolean virtual) {
      this.virtualTime = virtual;
      return this;
    }

    /** Labels of the embedder, copied; none unless set. */
    public Builder attributes(Map<String, String> attributes) {
      this.attributes = Map.copyOf(attributes);
      return this;
    }

    /** Returns the description. */
    public RunInfo build() {
      return new RunInfo(this);
    }
  }
}
