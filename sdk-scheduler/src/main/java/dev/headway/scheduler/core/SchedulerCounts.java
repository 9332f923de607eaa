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

  /** Of a request's first admission, and of those after a preemption. */
  private final Lookups first = new Lookups();

  private final Lookups resumed = new Lookups();

  /** The same outside, by a KV connector. */
  private final Lookups firstOutside = new Lookups();

  private final Lookups resumedOutside = new Lookups();

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
    (request.preemptions == 0 ? first : resumed).add(request.knownTokens, cached);
  }

  /** An admission or a load of a request has got {@code tokens} from outside. */
  void askedOutside(RequestState request, int localTokens, int tokens) {
    final int queried = request.knownTokens - localTokens;
    if (queried > 0) {
      (request.preemptions == 0 ? firstOutside : resumedOutside).add(queried, tokens);
    }
  }

  SchedulerStats.Builder addTo(SchedulerStats.Builder stats) {
    return stats
        .admissions(admissions)
        .preemptions(preemptions)
        .finished(finished)
        .prefixLookups(first.count)
        .prefixQueriedTokens(first.queriedTokens)
        .prefixHitTokens(first.hitTokens)
        .resumedLookups(resumed.count)
        .resumedQueriedTokens(resumed.queriedTokens)
        .resumedHitTokens(resumed.hitTokens)
        .hostHitTokens(hostHitTokens)
        .savedBlocks(savedBlocks)
        .loadedBlocks(loadedBlocks)
        .externalLookups(firstOutside.count)
        .externalQueriedTokens(firstOutside.queriedTokens)
        .externalHitTokens(firstOutside.hitTokens)
        .resumedExternalLookups(resumedOutside.count)
        .resumedExternalQueriedTokens(resumedOutside.queriedTokens)
        .resumedExternalHitTokens(resumedOutside.hitTokens)
        .failedLoads(failedLoads)
        .strayTransfers(strayTransfers)
        .connectorFaults(connectorFaults);
  }

  /** What was asked for, and what of it was found. */
  private static final class Lookups {

    private long count;
    private long queriedTokens;
    private long hitTokens;

    void add(int queried, int hit) {
      count++;
      queriedTokens += queried;
      hitTokens += hit;
    }
  }
}
