package dev.headway.scheduler.core;

import dev.headway.api.request.PrefixReuse;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.scheduler.state.RequestState;

/** What has happened so far, in numbers. Engine thread only. */
final class SchedulerCounts {

  long admissions;
  long preemptions;
  long finished;
  long savedBlocks;
  long loadedBlocks;
  long failedLoads;
  long strayTransfers;
  long connectorFaults;
  private long externalLookups;
  private long externalQueriedTokens;
  private long externalHitTokens;
  private long resumedExternalLookups;
  private long resumedExternalQueriedTokens;
  private long resumedExternalHitTokens;
  private long prefixLookups;
  private long prefixQueriedTokens;
  private long prefixHitTokens;
  private long resumedLookups;
  private long resumedQueriedTokens;
  private long resumedHitTokens;
  private long hostHitTokens;
  private final boolean caching;

  /** Counts lookups if {@code caching}. */
  SchedulerCounts(boolean caching) {
    this.caching = caching;
  }

  /** An admission has found {@code cached} tokens of a request in the prefix cache. */
  void lookedUp(RequestState request, int cached) {
    if (!caching || request.request().prefixReuse() == PrefixReuse.SKIPPED) {
      return;
    }
    hostHitTokens += request.hostCachedTokens;
    if (request.preemptions == 0) {
      prefixLookups++;
      prefixQueriedTokens += request.knownTokens;
      prefixHitTokens += cached;
    } else {
      resumedLookups++;
      resumedQueriedTokens += request.knownTokens;
      resumedHitTokens += cached;
    }
  }

  /** An admission or a load of a request has got {@code tokens} from outside. */
  void askedOutside(RequestState request, int localTokens, int tokens) {
    final int queried = request.knownTokens - localTokens;
    if (queried <= 0) {
      return;
    }
    if (request.preemptions == 0) {
      externalLookups++;
      externalQueriedTokens += queried;
      externalHitTokens += tokens;
    } else {
      resumedExternalLookups++;
      resumedExternalQueriedTokens += queried;
      resumedExternalHitTokens += tokens;
    }
  }

  SchedulerStats.Builder addTo(SchedulerStats.Builder stats) {
    return stats
        .admissions(admissions)
        .preemptions(preemptions)
        .finished(finished)
        .prefixLookups(prefixLookups)
        .prefixQueriedTokens(prefixQueriedTokens)
        .prefixHitTokens(prefixHitTokens)
        .resumedLookups(resumedLookups)
        .resumedQueriedTokens(resumedQueriedTokens)
        .resumedHitTokens(resumedHitTokens)
        .hostHitTokens(hostHitTokens)
        .savedBlocks(savedBlocks)
        .loadedBlocks(loadedBlocks)
        .externalLookups(externalLookups)
        .externalQueriedTokens(externalQueriedTokens)
        .externalHitTokens(externalHitTokens)
        .resumedExternalLookups(resumedExternalLookups)
        .resumedExternalQueriedTokens(resumedExternalQueriedTokens)
        .resumedExternalHitTokens(resumedExternalHitTokens)
        .failedLoads(failedLoads)
        .strayTransfers(strayTransfers)
        .connectorFaults(connectorFaults);
  }
}
