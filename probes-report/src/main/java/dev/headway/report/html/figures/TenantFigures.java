package dev.headway.report.html.figures;

import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What each tenant asked for and got. */
public final class TenantFigures implements RequestListener {

  private static final int MOST_TENANTS = 500;

  private final Map<String, Tenant> tenants = new LinkedHashMap<>();

  /** One tenant. */
  public static final class Tenant {
    private final String name;
    private long requests;
    private long promptTokens;
    private long outputTokens;
    private long serviceTokens;
    private long waitedNs;
    private long longestStayNs;
    private long preemptions;

    Tenant(String name) {
      this.name = name;
    }

    /** Its name. */
    public String name() {
      return name;
    }

    /** Requests accepted. */
    public long requests() {
      return requests;
    }

    /** Tokens of their prompts. */
    public long promptTokens() {
      return promptTokens;
    }

    /** Tokens made for them. */
    public long outputTokens() {
      return outputTokens;
    }

    /** Tokens computed for them. */
    public long serviceTokens() {
      return serviceTokens;
    }

    /** Time they waited. */
    public long waitedNs() {
      return waitedNs;
    }

    /** The longest uninterrupted wait of one of them. */
    public long longestStayNs() {
      return longestStayNs;
    }

    /** How often they were preempted. */
    public long preemptions() {
      return preemptions;
    }

    private void add(RequestTimeline request) {
      requests++;
      promptTokens += request.queued().promptTokens();
      outputTokens += request.outputTokens();
      serviceTokens += request.scheduledTokens();
      waitedNs += request.waits().totalNs();
      longestStayNs = Math.max(longestStayNs, request.waits().longestNs());
      preemptions += request.preemptions();
    }
  }

  @Override
  public void onSettled(RequestTimeline request) {
    add(request);
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    add(request);
  }

  /** The tenants, the most served first. */
  public List<Tenant> tenants() {
    final List<Tenant> sorted = new ArrayList<>(tenants.values());
    sorted.sort(Comparator.comparingLong(Tenant::serviceTokens).reversed());
    return sorted;
  }

  private void add(RequestTimeline request) {
    final String name = request.queued().tenant() == null ? "(none)" : request.queued().tenant();
    final boolean fits = tenants.containsKey(name) || tenants.size() < MOST_TENANTS;
    tenants.computeIfAbsent(fits ? name : "(others)", Tenant::new).add(request);
  }
}
