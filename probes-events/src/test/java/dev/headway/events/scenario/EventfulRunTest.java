package dev.headway.events.scenario;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.RejectedRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The run has in it what tests of figures rely on, and the model says of it what clients saw. */
class EventfulRunTest {

  @Test
  void shouldHoldWhatFiguresCouldGetWrong() {
    final Seen seen = new Seen();

    EventfulRun.plain().run(new RunProbe(seen, RunDetail.EVERYTHING));

    final RequestTimeline overdue = seen.ended.get("overdue");
    assertThat(overdue.finishReason()).isEqualTo("deadline");
    assertThat(overdue.outputTokens()).isGreaterThan(1);
    assertThat(overdue.preemptions()).isOne();
    assertThat(overdue.lastTokenNs()).isLessThan(overdue.endedNs());
    assertThat(seen.preempted).contains("overdue").hasSizeGreaterThan(1);
    assertThat(seen.ended.values()).anyMatch(request -> request.recomputedTokens() > 0);
    assertThat(seen.ended.values()).anyMatch(request -> request.firstCachedTokens() > 0);
    assertThat(seen.evictions).contains("blocks_reused");
    assertThat(seen.sharedReasons).contains("max_num_seqs");
    assertThat(seen.rejected).containsExactly("too-long");
  }

  @Test
  void shouldBeSeenByTheModelAsByItsClients() {
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final Seen seen = new Seen();

      run.run(new RunProbe(seen, RunDetail.ENTRIES));

      seen.ended.forEach(
          (id, request) -> {
            final List<Long> tokens = run.tokensNs(id);
            final long span = tokens.isEmpty() ? 0 : tokens.getLast() - tokens.getFirst();
            assertThat(request.outputTokens()).as(id).isEqualTo(tokens.size());
            assertThat(request.tpotNs())
                .as(id)
                .isEqualTo(tokens.size() < 2 ? ABSENT : span / (tokens.size() - 1));
          });
      assertThat(seen.ended).hasSize(29);
    }
  }

  private static final class Seen implements RunListener, WaitListener {
    private final Map<String, RequestTimeline> ended = new HashMap<>();
    private final Set<String> preempted = new HashSet<>();
    private final Set<String> evictions = new HashSet<>();
    private final Set<String> sharedReasons = new HashSet<>();
    private final List<String> rejected = new ArrayList<>();

    @Override
    public void onSettled(RequestTimeline request) {
      ended.put(request.id(), request);
    }

    @Override
    public void onPreempted(Decision.Preempted preemption, long nowNs) {
      preempted.add(preemption.request().id());
    }

    @Override
    public void onEvicted(
        RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {
      evictions.add(cause);
    }

    @Override
    public void onWaitEnded(WaitInterval wait) {
      if (wait.request().ownReason() == null) {
        sharedReasons.add(wait.mainCause().reason());
      }
    }

    @Override
    public void onRejected(RejectedRecord rejection) {
      rejected.add(rejection.requestId());
    }
  }
}
