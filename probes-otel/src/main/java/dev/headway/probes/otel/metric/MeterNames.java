package dev.headway.probes.otel.metric;

/** Every name that {@link HeadwayMeters} gives to a meter or a tag, as Micrometer writes names. */
public final class MeterNames {

  // tags

  public static final String REASON = "reason";
  public static final String CAUSE = "cause";
  public static final String TYPE = "type";

  // gauges

  public static final String RUNNING = "headway.requests.running";
  public static final String WAITING = "headway.requests.waiting";
  public static final String KV_USAGE = "headway.kv.usage";

  // counters

  public static final String FINISHED = "headway.requests.finished";
  public static final String REJECTED = "headway.requests.rejected";
  public static final String PREEMPTED = "headway.requests.preempted";
  public static final String WAITED = "headway.requests.waited";
  public static final String TOKENS = "headway.tokens";
  public static final String DROPPED_RECORDS = "headway.records.dropped";

  // timers

  public static final String TIME_TO_FIRST_TOKEN = "headway.requests.time.to.first.token";
  public static final String INTER_TOKEN_LATENCY = "headway.requests.inter.token.latency";
  public static final String QUEUE_TIME = "headway.requests.queue.time";

  private MeterNames() {}
}
