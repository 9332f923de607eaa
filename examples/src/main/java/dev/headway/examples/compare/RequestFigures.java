package dev.headway.examples.compare;

import dev.headway.examples.workload.WorkloadRequest;
import org.jspecify.annotations.Nullable;

/** What became of one request. Filled by {@link RunLog}; durations are nanoseconds, -1 for none. */
final class RequestFigures {

  static final long NONE = -1;

  final String id;
  final long arrivalNs;
  final int promptTokens;
  final int outputTokens;
  final String tenant;
  final GapBins gaps = new GapBins();
  final TenantFairness.@Nullable Account account;

  String outcome = "unfinished";
  long ttftNs = NONE;
  long endToEndNs = NONE;
  long tpotNs = NONE;
  long recomputedTokens;
  int cachedTokens;
  int preemptions;
  int produced;

  boolean waits;
  long lastTokenNs = NONE;
  int mostComputed;

  RequestFigures(WorkloadRequest request, TenantFairness.@Nullable Account account) {
    id = request.requestId();
    arrivalNs = request.arrivalNs();
    promptTokens = request.inputTokens();
    outputTokens = request.outputTokens();
    tenant = request.tenant() == null ? "" : request.tenant();
    this.account = account;
  }

  /** Whether it got all its tokens, the first and the others in time. */
  boolean meets(long ttftLimitNs, long tpotLimitNs) {
    return endToEndNs != NONE
        && produced == outputTokens
        && ttftNs != NONE
        && ttftNs <= ttftLimitNs
        && tpotNs <= tpotLimitNs;
  }

  void startsWaiting() {
    if (!waits && account != null) {
      account.waits();
    }
    waits = true;
  }

  void stopsWaiting() {
    if (waits && account != null) {
      account.stopsWaiting();
    }
    waits = false;
  }
}
