package dev.headway.simulation.compare;

import dev.headway.simulation.workload.WorkloadRequest;
import org.jspecify.annotations.Nullable;

/** What became of one request. Filled by {@link RunLog}; durations are nanoseconds, -1 for none. */
public final class RequestFigures {

  public static final long NONE = -1;

  public final String id;
  public final long arrivalNs;
  public final int promptTokens;
  public final int outputTokens;
  public final String tenant;
  final GapBins gaps = new GapBins();
  final TenantFairness.@Nullable Account account;

  public String outcome = "unfinished";
  public long ttftNs = NONE;
  public long endToEndNs = NONE;
  public long tpotNs = NONE;
  public long recomputedTokens;
  public int cachedTokens;
  public int preemptions;
  int produced;

  boolean waits;
  private long waitsSinceNs;
  private boolean hasWaited;

  RequestFigures(WorkloadRequest request, TenantFairness.@Nullable Account account) {
    id = request.requestId();
    arrivalNs = request.arrivalNs();
    promptTokens = request.inputTokens();
    outputTokens = request.outputTokens();
    tenant = request.tenant() == null ? "" : request.tenant();
    this.account = account;
  }

  /** Whether it got all its tokens, the first and the others in time. */
  public boolean meets(long ttftLimitNs, long tpotLimitNs) {
    return endToEndNs != NONE
        && produced == outputTokens
        && ttftNs != NONE
        && ttftNs <= ttftLimitNs
        && tpotNs <= tpotLimitNs;
  }

  /** Whether it spent time in the queue: nothing passes between its arrival there and a plan. */
  boolean hasWaited() {
    return hasWaited;
  }

  void startsWaiting(long nowNs) {
    waitsSinceNs = nowNs;
    if (!waits && account != null) {
      account.waits();
    }
    waits = true;
  }

  void stopsWaiting(long nowNs) {
    hasWaited |= waits && nowNs > waitsSinceNs;
    if (waits && account != null) {
      account.stopsWaiting();
    }
    waits = false;
  }
}
