package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.otel.run.FinishWords;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;

/**
 * SGLang's metrics, for one engine. One thread writes.
 *
 * <p>They mean what they mean in SGLang: {@code cache_hit_rate} is of the latest step that admitted
 * requests for the first time, {@code gen_throughput} of the latest {@value #THROUGHPUT_STEPS}
 * steps, and tokens of a request are counted when it ends. Gauges of the scheduler carry the labels
 * of an unsplit engine of one rank, metrics of requests {@code model_name} alone; whether a request
 * streams is not recorded.
 */
final class SglangMetrics implements EngineMeter {

  /** Steps that the throughput is measured over: SGLang's {@code --decode-log-interval}. */
  static final int THROUGHPUT_STEPS = 40;

  private static final String[] SCHEDULER_LABELS = {
    MetricNames.MODEL_NAME,
    MetricNames.ENGINE_TYPE,
    MetricNames.TP_RANK,
    MetricNames.PP_RANK,
    MetricNames.MOE_EP_RANK
  };

  private final Families families;
  private final String model;
  private final String[] scheduler;
  private final int blockSize;

  private final GaugeDataPoint running;
  private final GaugeDataPoint queued;
  private final GaugeDataPoint usedTokens;
  private final GaugeDataPoint tokenUsage;
  private final GaugeDataPoint hitRate;
  private final GaugeDataPoint throughput;
  private final GaugeDataPoint retracted;
  private final CounterDataPoint allRetracted;
  private final CounterDataPoint computed;
  private final CounterDataPoint cached;
  private final CounterDataPoint decoded;
  private final CounterDataPoint promptTokens;
  private final CounterDataPoint generationTokens;
  private final CounterDataPoint cachedOnDevice;
  private final CounterDataPoint cachedInHost;
  private final CounterDataPoint requests;
  private final CounterDataPoint aborted;
  private final DistributionDataPoint firstToken;
  private final DistributionDataPoint interToken;
  private final DistributionDataPoint endToEnd;
  private final DistributionDataPoint queue;

  private long lookedUpTokens;
  private long hitTokens;
  private int putBack;
  private long windowNs = ABSENT;
  private long windowTokens;
  private int windowSteps;

  SglangMetrics(Families families, String model, RunStartedRecord run) {
    this.families = families;
    this.model = model;
    this.scheduler = new String[] {model, "unified", "0", "0", "0"};
    this.blockSize = run.blockSize();
    running = gauge(MetricNames.SGLANG_RUNNING, "Requests that run.");
    queued = gauge(MetricNames.SGLANG_QUEUED, "Requests that wait, preempted ones included.");
    usedTokens = gauge(MetricNames.SGLANG_USED_TOKENS, "Tokens that the KV blocks in use hold.");
    tokenUsage = gauge(MetricNames.SGLANG_TOKEN_USAGE, "Share of KV blocks in use, 0 to 1.");
    gauge(MetricNames.SGLANG_MAX_TOKENS, "Tokens that all KV blocks hold.")
        .set((double) blockSize * Math.max(0, run.numBlocks() - 1));
    hitRate =
        gauge(MetricNames.SGLANG_HIT_RATE, "Share of prompt tokens found in the cache, 0 to 1.");
    throughput = gauge(MetricNames.SGLANG_THROUGHPUT, "Tokens generated per second.");
    retracted = gauge(MetricNames.SGLANG_RETRACTED, "Requests that the latest step preempted.");
    allRetracted =
        families
            .counter(MetricNames.SGLANG_ALL_RETRACTED, "Preemptions.", SCHEDULER_LABELS)
            .labelValues(scheduler);
    queue =
        families
            .histogram(
                MetricNames.SGLANG_QUEUE_TIME,
                "From queueing to the first admission.",
                Buckets.sglangQueue(),
                SCHEDULER_LABELS)
            .labelValues(scheduler);
    computed = realtime("prefill_compute");
    cached = realtime("prefill_cache");
    decoded = realtime("decode");
    promptTokens = counter(MetricNames.SGLANG_PROMPT_TOKENS, "Prompt tokens of ended requests.");
    generationTokens =
        counter(MetricNames.SGLANG_GENERATION_TOKENS, "Tokens generated for ended requests.");
    final Counter bySource =
        families.counter(
            MetricNames.SGLANG_CACHED_TOKENS,
            "Prompt tokens of ended requests that were found in the cache, by where.",
            MetricNames.MODEL_NAME,
            MetricNames.CACHE_SOURCE);
    cachedOnDevice = bySource.labelValues(model, "device");
    cachedInHost = bySource.labelValues(model, "host");
    requests = counter(MetricNames.SGLANG_REQUESTS, "Requests that ended.");
    aborted = counter(MetricNames.SGLANG_ABORTED, "Requests that were aborted.");
    firstToken =
        histogram(
            MetricNames.SGLANG_FIRST_TOKEN,
            "From arrival to the first token.",
            Buckets.sglangFirstToken());
    interToken =
        histogram(
            MetricNames.SGLANG_INTER_TOKEN, "Between tokens of a request.", Buckets.sglangToken());
    endToEnd =
        histogram(MetricNames.SGLANG_E2E, "From arrival to the end.", Buckets.sglangRequest());
  }

  @Override
  public void occupied(int nowRunning, int nowWaiting, int deferred) {
    running.set(nowRunning);
    queued.set(nowWaiting);
  }

  @Override
  public void blocks(int used, int usable) {
    usedTokens.set((double) used * blockSize);
    tokenUsage.set(usable == 0 ? 0 : (double) used / usable);
  }

  @Override
  public void idle() {
    usedTokens.set(0);
    tokenUsage.set(0);
    throughput.set(0);
    windowNs = ABSENT;
  }

  @Override
  public void lookedUp(RequestTimeline request) {
    final long found = Math.max(0, request.firstCachedTokens());
    lookedUpTokens += request.queued().promptTokens();
    hitTokens += found;
    cached.inc(found);
  }

  @Override
  public void preempted() {
    putBack++;
  }

  @Override
  public void planned(StepTimeline step) {
    if (lookedUpTokens > 0) {
      hitRate.set((double) hitTokens / lookedUpTokens);
      lookedUpTokens = 0;
      hitTokens = 0;
    }
    retracted.set(putBack);
    allRetracted.inc(putBack);
    putBack = 0;
  }

  @Override
  public void completed(StepTimeline step) {
    if (!step.wasExecuted() || step.endNs() == ABSENT) {
      return;
    }
    computed.inc(step.plan().prefillTokens());
    decoded.inc(step.producedTokens());
    if (windowNs == ABSENT) {
      windowNs = step.plan().beginNs();
      windowTokens = 0;
      windowSteps = 0;
    }
    windowTokens += step.producedTokens();
    windowSteps++;
    if (windowSteps >= THROUGHPUT_STEPS && step.endNs() > windowNs) {
      throughput.set(windowTokens / VllmMetrics.seconds(step.endNs() - windowNs));
      windowNs = step.endNs();
      windowTokens = 0;
      windowSteps = 0;
    }
  }

  @Override
  public void firstToken(RequestTimeline request) {
    firstToken.observe(VllmMetrics.seconds(request.ttftNs()));
  }

  /** Each of the tokens that came together is observed, with its share of the gap. */
  @Override
  public void tokens(int tokens, long gapNs) {
    for (int i = 0; i < tokens; i++) {
      interToken.observe(VllmMetrics.seconds(gapNs) / tokens);
    }
  }

  @Override
  public void finished(RequestTimeline request, String reason) {
    final long found = Math.max(0, request.firstCachedTokens());
    final int inHost = request.firstOutsideTokens();
    requests.inc();
    if (FinishWords.finishedReason(reason).equals("abort")) {
      aborted.inc();
    }
    promptTokens.inc(request.queued().promptTokens());
    generationTokens.inc(request.finalOutputTokens());
    cachedOnDevice.inc(found - inHost);
    cachedInHost.inc(inHost);
    endToEnd.observe(VllmMetrics.seconds(request.endToEndNs()));
    if (request.firstScheduledNs() != ABSENT) {
      queue.observe(VllmMetrics.seconds(request.firstScheduledNs() - request.queued().queuedNs()));
    }
  }

  private GaugeDataPoint gauge(String name, String help) {
    return families.gauge(name, help, SCHEDULER_LABELS).labelValues(scheduler);
  }

  private CounterDataPoint realtime(String mode) {
    return families
        .counter(
            MetricNames.SGLANG_REALTIME_TOKENS,
            "Tokens of steps: computed and found in the cache of prompts, and generated.",
            MetricNames.MODEL_NAME,
            MetricNames.ENGINE_TYPE,
            MetricNames.TP_RANK,
            MetricNames.PP_RANK,
            MetricNames.MOE_EP_RANK,
            MetricNames.MODE)
        .labelValues(model, "unified", "0", "0", "0", mode);
  }

  private CounterDataPoint counter(String name, String help) {
    return families.counter(name, help, MetricNames.MODEL_NAME).labelValues(model);
  }

  private DistributionDataPoint histogram(String name, String help, double[] bounds) {
    return families.histogram(name, help, bounds, MetricNames.MODEL_NAME).labelValues(model);
  }
}
