package dev.headway.simulation.compare;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.scenario.EventfulRun;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunLogTest {

  /** Slots of the run with drafts which stood for none. */
  private static final int PADDING = 4;

  private final RunLog log = new RunLog(50_000);
  private final Model model = new Model();

  /** What the model says of the run. */
  private static final class Model implements RunListener {
    private final Map<String, RequestTimeline> ended = new HashMap<>();
    private long scheduledTokens;
    private long rejectedDrafts;
    private long recomputedTokens;

    @Override
    public void onStep(StepTimeline step) {
      scheduledTokens += step.plan().totalTokens();
      rejectedDrafts += step.draftTokens() - step.acceptedTokens();
    }

    @Override
    public void onSettled(RequestTimeline request) {
      ended.put(request.id(), request);
      recomputedTokens += request.recomputedTokens();
    }
  }

  @Test
  void shouldTakeTheFiguresOfEachRequestThatTheModelHas() {
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final RunLog each = new RunLog(50_000);

      run.run((request, atNs) -> each.submitted(row(request, atNs)), new RunProbe(each), probe());

      for (RequestFigures figures : each.requests()) {
        final RequestTimeline request = model.ended.get(figures.id);
        if (request == null) {
          assertThat(figures.outcome).isEqualTo("context_length_limit");
          continue;
        }
        assertThat(figures.outcome).as(figures.id).isEqualTo(request.finishReason());
        assertThat(figures.ttftNs).as(figures.id).isEqualTo(orNone(request.ttftNs()));
        assertThat(figures.tpotNs).as(figures.id).isEqualTo(orNone(request.tpotNs()));
        assertThat(figures.endToEndNs).as(figures.id).isEqualTo(request.endToEndNs());
        assertThat(figures.preemptions).as(figures.id).isEqualTo(request.preemptions());
        assertThat(figures.recomputedTokens).as(figures.id).isEqualTo(request.recomputedTokens());
        assertThat(figures.cachedTokens)
            .as(figures.id)
            .isEqualTo((int) request.firstCachedTokens());
        assertThat(figures.produced).as(figures.id).isEqualTo(run.tokensNs(figures.id).size());
        assertThat(figures.gaps.count()).as(figures.id).isEqualTo(gaps(run.tokensNs(figures.id)));
      }
    }
  }

  /** Tokens of one step share an instant, and are one gap to those of the step before. */
  private static long gaps(List<Long> tokensNs) {
    return Math.max(0, tokensNs.stream().distinct().count() - 1);
  }

  @Test
  void shouldCountTheTokensThatStepsComputed() {
    final EventfulRun run =
        EventfulRun.plain()
            .run((request, atNs) -> log.submitted(row(request, atNs)), new RunProbe(log), probe());

    assertThat(log.totals().computedTokens()).isEqualTo(model.scheduledTokens);
    assertThat(log.totals().recomputedTokens()).isEqualTo(model.recomputedTokens).isPositive();
    assertThat(log.totals().outputs()).isEqualTo(tokensOfClients(run));
  }

  @Test
  void shouldLeaveOutRejectedDrafts() {
    final EventfulRun run =
        EventfulRun.withDrafts()
            .run((request, atNs) -> log.submitted(row(request, atNs)), new RunProbe(log), probe());

    assertThat(model.rejectedDrafts).isPositive();
    assertThat(log.totals().computedTokens())
        .isEqualTo(model.scheduledTokens - model.rejectedDrafts - PADDING);
    assertThat(log.totals().outputs()).isEqualTo(tokensOfClients(run));
  }

  private RunProbe probe() {
    return new RunProbe(model);
  }

  private static long tokensOfClients(EventfulRun run) {
    final long[] tokens = new long[1];
    run.forEachWithTokens(request -> tokens[0] += request.getValue().size());
    return tokens[0];
  }

  private static long orNone(long ns) {
    return ns == ABSENT ? RequestFigures.NONE : ns;
  }

  private static WorkloadRequest row(Request request, long arrivalNs) {
    return new WorkloadRequest(
        request.id(),
        arrivalNs,
        request.promptTokens(),
        request.stopRule().maxTokens(),
        new int[0],
        0,
        request.tenant(),
        0);
  }
}
