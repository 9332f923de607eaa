package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.probes.otel.metric.MetricNames.ENGINE;
import static dev.headway.probes.otel.metric.MetricNames.MODEL_NAME;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.otel.run.FinishWords;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;

/**
 * vLLM's metrics, for one engine. One thread writes.
 *
 * <p>They mean what they mean in vLLM, with three exceptions: {@code num_preemptions} counts (in
 * the reference fork it does not), {@code iteration_tokens_total} is what a step computes, and a
 * time that a request never came to is not observed.
 */
final class VllmMetrics implements EngineMeter {

  private static final double NS_PER_SECOND = 1e9;
  private static final int DEFAULT_MODEL_LEN = 131_072;

  private final Families families;
  private final String model;
  private final String engine;
  private final int maxModelLen;

  private final GaugeDataPoint running;
  private final GaugeDataPoint waiting;
  private final GaugeDataPoint waitingForCapacity;
  private final GaugeDataPoint waitingDeferred;
  private final GaugeDataPoint kvUsage;
  private final CounterDataPoint prefixQueries;
  private final CounterDataPoint prefixHits;
  private final CounterDataPoint externalQueries;
  private final CounterDataPoint externalHits;
  private final CounterDataPoint preemptions;
  private final CounterDataPoint promptTokens;
  private final CounterDataPoint promptTokensCached;
  private final CounterDataPoint computedHere;
  private final CounterDataPoint cachedHere;
  private final CounterDataPoint cachedInHost;
  private final CounterDataPoint generationTokens;
  private final CounterDataPoint drafts;
  private final CounterDataPoint draftTokens;
  private final Counter acceptedPerPosition;
  private final CounterDataPoint acceptedTokens;
  private final Counter success;
  private final DistributionDataPoint iterationTokens;
  private final DistributionDataPoint firstToken;
  private final DistributionDataPoint interToken;
  private final DistributionDataPoint perOutputToken;
  private final DistributionDataPoint endToEnd;
  private final DistributionDataPoint queue;
  private final DistributionDataPoint inference;
  private final DistributionDataPoint prefill;
  private final DistributionDataPoint decode;
  private final DistributionDataPoint requestPrompt;
  private final DistributionDataPoint requestGeneration;
  private final DistributionDataPoint requestMaxGeneration;
  private final DistributionDataPoint requestMaxTokens;
  private final DistributionDataPoint requestChoices;
  private final DistributionDataPoint requestComputed;
  private final DistributionDataPoint requestPreemptions;

  VllmMetrics(Families families, String model, String engine, RunStartedRecord run) {
    this.families = families;
    this.model = model;
    this.engine = engine;
    this.maxModelLen = maxModelLen(run);
    running = gauge(MetricNames.RUNNING, "Requests that run.");
    waiting = gauge(MetricNames.WAITING, "Requests that wait, preempted ones included.");
    final Gauge byReason =
        families.gauge(
            MetricNames.WAITING_BY_REASON,
            "Requests that wait for capacity, or were passed over.",
            MODEL_NAME,
            ENGINE,
            MetricNames.REASON);
    waitingForCapacity = byReason.labelValues(model, engine, "capacity");
    waitingDeferred = byReason.labelValues(model, engine, "deferred");
    kvUsage = gauge(MetricNames.KV_USAGE, "Share of KV blocks in use, 0 to 1.");
    prefixQueries = counter(MetricNames.PREFIX_QUERIES, "Prompt tokens looked up in the cache.");
    prefixHits = counter(MetricNames.PREFIX_HITS, "Prompt tokens found there, on the device.");
    externalQueries =
        counter(
            MetricNames.EXTERNAL_QUERIES,
            "Prompt tokens looked up behind it, in host memory or by a connector.");
    externalHits = counter(MetricNames.EXTERNAL_HITS, "Prompt tokens found there.");
    preemptions = counter(MetricNames.PREEMPTIONS, "Preemptions.");
    promptTokens = counter(MetricNames.PROMPT_TOKENS, "Tokens of prompts that were completed.");
    promptTokensCached =
        counter(MetricNames.PROMPT_TOKENS_CACHED, "Those of them found in the cache.");
    final Counter bySource =
        families.counter(
            MetricNames.PROMPT_TOKENS_BY_SOURCE,
            "Tokens of prompts that were completed, by where their KV came from.",
            MODEL_NAME,
            ENGINE,
            MetricNames.SOURCE);
    computedHere = bySource.labelValues(model, engine, "local_compute");
    cachedHere = bySource.labelValues(model, engine, "local_cache_hit");
    cachedInHost = bySource.labelValues(model, engine, "external_kv_transfer");
    generationTokens = counter(MetricNames.GENERATION_TOKENS, "Tokens generated.");
    drafts = counter(MetricNames.DRAFTS, "Drafts verified.");
    draftTokens = counter(MetricNames.DRAFT_TOKENS, "Draft tokens verified.");
    acceptedPerPosition =
        families.counter(
            MetricNames.ACCEPTED_PER_POSITION,
            "Draft tokens that were right, by their position behind the sampled token, from 0.",
            MODEL_NAME,
            ENGINE,
            MetricNames.POSITION);
    acceptedTokens = counter(MetricNames.ACCEPTED_TOKENS, "Draft tokens that were right.");
    success =
        families.counter(
            MetricNames.REQUEST_SUCCESS,
            "Requests that ended, by how.",
            MODEL_NAME,
            ENGINE,
            MetricNames.FINISHED_REASON);
    for (String reason : new String[] {"stop", "length", "abort", "error", "repetition"}) {
      success.labelValues(model, engine, reason);
    }
    iterationTokens =
        histogram(MetricNames.ITERATION_TOKENS, "Tokens of a step.", Buckets.vllmIteration());
    firstToken =
        histogram(
            MetricNames.TIME_TO_FIRST_TOKEN,
            "From arrival to the first token.",
            Buckets.vllmFirstToken());
    interToken =
        histogram(
            MetricNames.INTER_TOKEN_LATENCY,
            "Between steps that gave a request tokens.",
            Buckets.vllmToken());
    perOutputToken =
        histogram(
            MetricNames.TIME_PER_OUTPUT_TOKEN,
            "Mean time of a token after the first, per request.",
            Buckets.vllmToken());
    endToEnd = request(MetricNames.E2E_LATENCY, "From arrival to the end.");
    queue = request(MetricNames.QUEUE_TIME, "From queueing to the first admission.");
    inference = request(MetricNames.INFERENCE_TIME, "From first admission to the last token.");
    prefill = request(MetricNames.PREFILL_TIME, "From first admission to the first token.");
    decode = request(MetricNames.DECODE_TIME, "From the first token to the last.");
    requestPrompt = tokens(MetricNames.REQUEST_PROMPT_TOKENS, "Tokens of a prompt.");
    requestGeneration = tokens(MetricNames.REQUEST_GENERATION_TOKENS, "Tokens of an answer.");
    requestMaxGeneration =
        tokens(MetricNames.REQUEST_MAX_GENERATION_TOKENS, "Tokens of a request's longest answer.");
    requestMaxTokens =
        tokens(MetricNames.REQUEST_PARAMS_MAX_TOKENS, "Tokens that a request asked for at most.");
    requestChoices =
        histogram(
            MetricNames.REQUEST_PARAMS_N,
            "Answers that a request asked for: one, here.",
            Buckets.vllmChoices());
    requestComputed =
        tokens(
            MetricNames.REQUEST_COMPUTED_TOKENS,
            "Tokens of a prompt that were not found in the cache.");
    requestPreemptions =
        histogram(
            MetricNames.REQUEST_PREEMPTIONS,
            "Preemptions of a request.",
            Buckets.vllmPreemptions());
    constants(run);
  }

  @Override
  public void occupied(int nowRunning, int nowWaiting, int deferred) {
    running.set(nowRunning);
    waiting.set(nowWaiting);
    waitingDeferred.set(deferred);
    waitingForCapacity.set(nowWaiting - deferred);
  }

  @Override
  public void blocks(int used, int usable) {
    kvUsage.set(usable == 0 ? 0 : (double) used / usable);
  }

  @Override
  public void idle() {
    kvUsage.set(0);
  }

  @Override
  public void preempted() {
    preemptions.inc();
  }

  @Override
  public void planned(StepTimeline step) {}

  @Override
  public void completed(StepTimeline step) {
    if (step.wasExecuted()) {
      iterationTokens.observe(step.plan().totalTokens());
    }
    generationTokens.inc(step.producedTokens());
    drafts.inc(step.drafts());
    draftTokens.inc(step.draftTokens());
    acceptedTokens.inc(step.acceptedTokens());
    for (int position = 0; position < step.acceptedPositions(); position++) {
      acceptedPerPosition
          .labelValues(model, engine, String.valueOf(position))
          .inc(step.acceptedTokensAt(position));
    }
  }

  @Override
  public void lookedUp(RequestTimeline request) {
    prefixQueries.inc(request.queued().promptTokens());
    prefixHits.inc(cachedTokens(request) - request.firstOutsideTokens());
  }

  @Override
  public void lookedUpOutside(RequestTimeline request) {
    final long outside = request.firstOutsideTokens();
    externalQueries.inc(request.queued().promptTokens() - cachedTokens(request) + outside);
    externalHits.inc(outside);
  }

  @Override
  public void firstToken(RequestTimeline request) {
    final int prompt = request.queued().promptTokens();
    final long cached = cachedTokens(request);
    final long inHost = request.firstOutsideTokens();
    firstToken.observe(seconds(request.ttftNs()));
    promptTokens.inc(prompt);
    promptTokensCached.inc(cached);
    cachedHere.inc(cached - inHost);
    cachedInHost.inc(inHost);
    computedHere.inc(prompt - cached);
  }

  @Override
  public void tokens(int tokens, long gapNs) {
    interToken.observe(seconds(gapNs));
  }

  @Override
  public void finished(RequestTimeline request, String reason) {
    final int outputs = request.finalOutputTokens();
    final int prompt = request.queued().promptTokens();
    final long firstScheduledNs = request.firstScheduledNs();
    final long firstTokenNs = request.firstTokenNs();
    final long lastNs = request.lastTokenNs();
    success.labelValues(model, engine, FinishWords.finishedReason(reason)).inc();
    requestPrompt.observe(prompt);
    requestGeneration.observe(outputs);
    requestMaxGeneration.observe(outputs);
    requestMaxTokens.observe(request.queued().maxTokens());
    requestChoices.observe(1);
    requestPreemptions.observe(request.preemptions());
    endToEnd.observe(seconds(request.endToEndNs()));
    if (firstScheduledNs == ABSENT) {
      return;
    }
    requestComputed.observe((double) (prompt - cachedTokens(request)));
    queue.observe(seconds(firstScheduledNs - request.queued().queuedNs()));
    if (firstTokenNs == ABSENT) {
      return;
    }
    prefill.observe(seconds(firstTokenNs - firstScheduledNs));
    if (lastNs == ABSENT) {
      return; // at level summary the instants of tokens are not recorded
    }
    decode.observe(seconds(lastNs - firstTokenNs));
    inference.observe(seconds(lastNs - firstScheduledNs));
    if (outputs > 1) {
      perOutputToken.observe(secondsPerOutput(request));
    }
  }

  /** Tokens found at its first admission; 0 if the record of that is missing. */
  private static long cachedTokens(RequestTimeline request) {
    return Math.max(0, request.firstCachedTokens());
  }

  private void constants(RunStartedRecord run) {
    final Gauge sleep =
        families.gauge(
            MetricNames.SLEEP,
            "1 for the state that the engine is in: it never sleeps.",
            MODEL_NAME,
            ENGINE,
            MetricNames.SLEEP_STATE);
    sleep.labelValues(model, engine, "awake").set(1);
    sleep.labelValues(model, engine, "weights_offloaded").set(0);
    sleep.labelValues(model, engine, "discard_all").set(0);
    families
        .info(
            MetricNames.CACHE_CONFIG,
            "The KV cache's shape.",
            MODEL_NAME,
            ENGINE,
            "block_size",
            "num_gpu_blocks",
            "enable_prefix_caching")
        .setLabelValues(
            model,
            engine,
            Integer.toString(run.blockSize()),
            Integer.toString(run.numBlocks()),
            "ENABLED".equals(run.config().get("prefixCaching")) ? "True" : "False");
  }

  private GaugeDataPoint gauge(String name, String help) {
    return families.gauge(name, help, MODEL_NAME, ENGINE).labelValues(model, engine);
  }

  private CounterDataPoint counter(String name, String help) {
    return families.counter(name, help, MODEL_NAME, ENGINE).labelValues(model, engine);
  }

  private DistributionDataPoint histogram(String name, String help, double[] bounds) {
    return families.histogram(name, help, bounds, MODEL_NAME, ENGINE).labelValues(model, engine);
  }

  private DistributionDataPoint request(String name, String help) {
    return histogram(name, help, Buckets.vllmRequest());
  }

  private DistributionDataPoint tokens(String name, String help) {
    return histogram(name, help, Buckets.oneTwoFive(maxModelLen));
  }

  private static int maxModelLen(RunStartedRecord run) {
    final String length = run.config().get("maxModelLen");
    try {
      return length == null ? DEFAULT_MODEL_LEN : Math.max(1, Integer.parseInt(length));
    } catch (NumberFormatException e) {
      return DEFAULT_MODEL_LEN;
    }
  }

  /** Of a request with more than one token. */
  static double secondsPerOutput(RequestTimeline request) {
    return seconds(request.lastTokenNs() - request.firstTokenNs())
        / (request.finalOutputTokens() - 1);
  }

  static double seconds(long durationNs) {
    return durationNs / NS_PER_SECOND;
  }
}
