package dev.headway.scheduler.model;

import dev.headway.api.schedule.AdapterLoad;
import dev.headway.api.schedule.SchedulerStats;
import java.util.List;
import java.util.TreeMap;

/** What is counted, and never read by a decision. */
final class ModelCounts {

  long admissions;
  long preemptions;
  long finished;
  long drafts;
  long draftTokens;
  long accepted;
  final TreeMap<Integer, Long> acceptedAt = new TreeMap<>();
  private final long[] fresh = new long[3];
  private final long[] outside = new long[3];
  private final long[] resumedOutside = new long[3];
  private final long[] resumed = new long[3];

  /** 4.11: a lookup that led to an admission. */
  void lookUp(ModelRequest request, int hit) {
    final long[] row = request.preemptions == 0 ? fresh : resumed;
    row[0]++;
    row[1] += request.known();
    row[2] += hit;
  }

  /** So many tokens came from outside. */
  void askOutside(ModelRequest request, int local, int tokens) {
    final long[] row = request.preemptions == 0 ? outside : resumedOutside;
    if (request.known() > local) {
      row[0]++;
      row[1] += request.known() - local;
      row[2] += tokens;
    }
  }

  /** 12.2: a verification. */
  void verified(int scheduled, int taken) {
    drafts++;
    draftTokens += scheduled;
    accepted += taken;
    for (int position = 0; position < taken; position++) {
      acceptedAt.merge(position, 1L, Long::sum);
    }
  }

  SchedulerStats stats(long steps, int positions, long failedLoads, List<AdapterLoad> adapters) {
    final long[] perPosition = new long[positions];
    acceptedAt.forEach((position, times) -> perPosition[position] = times);
    return SchedulerStats.builder()
        .steps(steps)
        .adapters(adapters)
        .admissions(admissions)
        .preemptions(preemptions)
        .finished(finished)
        .prefixLookups(fresh[0])
        .prefixQueriedTokens(fresh[1])
        .prefixHitTokens(fresh[2])
        .resumedLookups(resumed[0])
        .resumedQueriedTokens(resumed[1])
        .resumedHitTokens(resumed[2])
        .drafts(drafts)
        .draftTokens(draftTokens)
        .acceptedDraftTokens(accepted)
        .externalLookups(outside[0])
        .externalQueriedTokens(outside[1])
        .externalHitTokens(outside[2])
        .resumedExternalLookups(resumedOutside[0])
        .resumedExternalQueriedTokens(resumedOutside[1])
        .resumedExternalHitTokens(resumedOutside[2])
        .failedLoads(failedLoads)
        .acceptedDraftTokensPerPosition(perPosition)
        .build();
  }
}
