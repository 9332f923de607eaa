package dev.headway.report.html.figures;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.EveryKth;
import java.util.LinkedHashMap;
import java.util.Map;

/** How long requests took, as a whole and in groups. */
public final class LatencyFigures implements RequestListener {

  private static final int MOST_GROUPS = 40;
  private static final int BOOTSTRAP_REQUESTS = 4_096;
  private static final String OTHERS = "(others)";
  private static final int[] PROMPT_BOUNDS = {256, 1_024, 4_096, 16_384, 65_536};

  private final Times all = new Times(1 << 15);
  private final Distribution tokenGap = new Distribution();
  private final Distribution ingress = new Distribution();
  private final Distribution waited = new Distribution();
  private final Distribution promptTokens = new Distribution(4_096);
  private final Distribution outputTokens = new Distribution(4_096);
  private final Map<String, Times> byTenant = new LinkedHashMap<>();
  private final Map<String, Times> byPriority = new LinkedHashMap<>();
  private final Map<String, Times> byPrompt = new LinkedHashMap<>();
  private final EveryKth orderedTtft = new EveryKth(BOOTSTRAP_REQUESTS);
  private final EveryKth orderedTpot = new EveryKth(BOOTSTRAP_REQUESTS);
  private final EveryKth orderedEndToEnd = new EveryKth(BOOTSTRAP_REQUESTS);
  private final EveryKth orderedWaited = new EveryKth(BOOTSTRAP_REQUESTS);

  LatencyFigures() {
    for (int i = 0; i <= PROMPT_BOUNDS.length; i++) {
      byPrompt.put(promptBucket(i), new Times(2_048));
    }
  }

  /** Distributions of a group. */
  public static final class Times {
    private final Distribution ttft;
    private final Distribution tpot;
    private final Distribution endToEnd;

    Times(int exactLimit) {
      ttft = new Distribution(exactLimit);
      tpot = new Distribution(exactLimit);
      endToEnd = new Distribution(exactLimit);
    }

    /** From arrival to the first token. */
    public Distribution ttft() {
      return ttft;
    }

    /** Per output token after the first. */
    public Distribution tpot() {
      return tpot;
    }

    /** From arrival to the end. */
    public Distribution endToEnd() {
      return endToEnd;
    }

    private void add(RequestTimeline request) {
      addIfKnown(ttft, request.ttftNs());
      addIfKnown(tpot, request.tpotNs());
      addIfKnown(endToEnd, request.endToEndNs());
    }
  }

  @Override
  public void onTokenGap(RequestTimeline request, long gapNs) {
    tokenGap.add(gapNs);
  }

  @Override
  public void onSettled(RequestTimeline request) {
    add(request);
    ingress.add(request.queued().queuedNs() - request.queued().arrivalNs());
    waited.add(request.waits().totalNs());
    promptTokens.add(request.queued().promptTokens());
    outputTokens.add(request.outputTokens());
    orderedWaited.add((double) request.waits().totalNs());
    addIfKnown(orderedTtft, request.ttftNs());
    addIfKnown(orderedTpot, request.tpotNs());
    addIfKnown(orderedEndToEnd, request.endToEndNs());
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    add(request);
  }

  /** All requests. */
  public Times all() {
    return all;
  }

  /** Time between a token and the one before. */
  public Distribution tokenGap() {
    return tokenGap;
  }

  /** From arrival to the queue. */
  public Distribution ingress() {
    return ingress;
  }

  /** Time in the queue, of requests that ended. */
  public Distribution waited() {
    return waited;
  }

  /** Lengths of prompts of requests that ended. */
  public Distribution promptTokens() {
    return promptTokens;
  }

  /** Lengths of answers of requests that ended. */
  public Distribution outputTokens() {
    return outputTokens;
  }

  /** By tenant; more than {@value #MOST_GROUPS} are put together. */
  public Map<String, Times> byTenant() {
    return byTenant;
  }

  /** By priority. */
  public Map<String, Times> byPriority() {
    return byPriority;
  }

  /** By length of the prompt. */
  public Map<String, Times> byPrompt() {
    return byPrompt;
  }

  /** Samples in the order of the ends, by name, in ns. */
  public Map<String, double[]> ordered() {
    final Map<String, double[]> samples = new LinkedHashMap<>();
    samples.put("TTFT", orderedTtft.values());
    samples.put("TPOT", orderedTpot.values());
    samples.put("E2E", orderedEndToEnd.values());
    samples.put("Time waiting", orderedWaited.values());
    return samples;
  }

  /** All values behind the names of {@link #ordered}. */
  public Map<String, Distribution> whole() {
    final Map<String, Distribution> whole = new LinkedHashMap<>();
    whole.put("TTFT", all.ttft());
    whole.put("TPOT", all.tpot());
    whole.put("E2E", all.endToEnd());
    whole.put("Time waiting", waited);
    return whole;
  }

  private void add(RequestTimeline request) {
    all.add(request);
    final String tenant = request.queued().tenant();
    group(byTenant, tenant == null ? "(none)" : tenant).add(request);
    group(byPriority, Integer.toString(request.queued().priority())).add(request);
    int bucket = 0;
    while (bucket < PROMPT_BOUNDS.length
        && request.queued().promptTokens() > PROMPT_BOUNDS[bucket]) {
      bucket++;
    }
    group(byPrompt, promptBucket(bucket)).add(request);
  }

  private static Times group(Map<String, Times> groups, String name) {
    final String kept = groups.containsKey(name) || groups.size() < MOST_GROUPS ? name : OTHERS;
    return groups.computeIfAbsent(kept, unused -> new Times(2_048));
  }

  private static String promptBucket(int bucket) {
    return bucket == PROMPT_BOUNDS.length
        ? "> " + PROMPT_BOUNDS[bucket - 1]
        : (bucket == 0 ? "1" : Integer.toString(PROMPT_BOUNDS[bucket - 1] + 1))
            + " – "
            + PROMPT_BOUNDS[bucket];
  }

  private static void addIfKnown(Distribution distribution, long ns) {
    if (ns != ABSENT) {
      distribution.add(ns);
    }
  }

  private static void addIfKnown(EveryKth sample, long ns) {
    if (ns != ABSENT) {
      sample.add((double) ns);
    }
  }
}
