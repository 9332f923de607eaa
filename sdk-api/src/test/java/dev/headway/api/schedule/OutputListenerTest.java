package dev.headway.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import dev.headway.api.support.SimpleRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputListenerTest {

  @Test
  void shouldTakeTokensWithLogprobsAsAnyOthersUnlessToldOtherwise() {
    final RequestView request =
        new SimpleRequest(Request.builder("r", 1).maxTokens(1).build(), 0, 0, 0);
    final Lines listener = new Lines();

    listener.onTokens(request, 2, new StepOutput(), 3, 40);
    listener.onWaitTimes(request, new long[0]);

    assertThat(listener.lines).containsExactly("r has 2 more at 40");
  }

  private static final class Lines implements OutputListener {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {
      lines.add(request.id() + " has " + count + " more at " + nowNs);
    }

    @Override
    public void onFinished(
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
      lines.add(request.id() + " ended");
    }
  }
}
