package dev.headway.events.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.scenario.EventfulRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepEntriesTest {

  /** Sums the entries of each request. */
  private static final class Sums implements RunListener {
    private final Map<String, Integer> firstPrompt = new HashMap<>();
    private final List<RequestTimeline> ended = new ArrayList<>();
    private long kept;
    private long scheduled;
    private long rejectedDrafts;

    @Override
    public void onStep(StepTimeline step) {
      final StepEntries entries = step.entries();
      for (int entry = 0; entry < entries.size(); entry++) {
        kept += entries.keptTokens(entry);
        scheduled += entries.scheduledTokens(entry);
        firstPrompt.merge(
            entries.request(entry).id(), entries.firstPromptTokens(entry), Integer::sum);
      }
      rejectedDrafts += step.draftTokens() - step.acceptedTokens();
    }

    @Override
    public void onSettled(RequestTimeline request) {
      ended.add(request);
    }
  }

  /** Slots of that run which stood for no draft. */
  private static final int PADDING = 4;

  private final Sums sums = new Sums();

  @Test
  void shouldCountEachTokenOfAPromptOnce() {
    EventfulRun.plain().run(new RunProbe(sums));

    assertThat(sums.ended).anyMatch(request -> request.recomputedTokens() > 0);
    assertThat(sums.ended)
        .allSatisfy(
            request ->
                assertThat(sums.firstPrompt.get(request.id()))
                    .as(request.id())
                    .isEqualTo(request.queued().promptTokens() - request.firstCachedTokens()));
  }

  @Test
  void shouldKeepAllTokensButRejectedDrafts() {
    EventfulRun.withDrafts().run(new RunProbe(sums));

    assertThat(sums.rejectedDrafts).isPositive();
    assertThat(sums.kept).isEqualTo(sums.scheduled - sums.rejectedDrafts - PADDING);
  }
}
