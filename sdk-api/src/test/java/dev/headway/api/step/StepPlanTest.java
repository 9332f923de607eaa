package dev.headway.api.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import dev.headway.api.support.SimplePlan;
import dev.headway.api.support.SimpleRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepPlanTest {

  @ParameterizedTest
  @CsvSource({
    "4, 0, 0, 4, false, a prompt",
    "4, 0, 3, 1, false, the last token of a prompt",
    "4, 1, 4, 1, true,  the first output",
    "4, 3, 6, 1, true,  the newest output",
    "4, 3, 6, 4, true,  the newest output with drafts",
    "4, 3, 5, 2, false, two outputs computed again",
    "4, 3, 0, 7, false, all computed again"
  })
  void shouldDecodeOnlyTheNewestOutput(
      int prompt, int outputs, int computed, int scheduled, boolean decodes, String why) {
    final SimpleRequest request = request(prompt);
    for (int i = 0; i < outputs; i++) {
      request.append(i);
    }
    request.computedTokens(computed);
    final SimplePlan plan = new SimplePlan();
    plan.add(request, null, EntryKind.RUNNING, scheduled, 0, 0);

    assertThat(plan.isDecode(0)).as(why).isEqualTo(decodes);
  }

  @Test
  void shouldTakeAsLongAsFromItsBeginningToItsEnd() {
    final SimplePlan plan = new SimplePlan();
    plan.begin(1, 100);
    plan.end(130);

    assertThat(plan.scheduleNs()).isEqualTo(30);
  }

  private static SimpleRequest request(int prompt) {
    return new SimpleRequest(Request.builder("r", new int[prompt]).maxTokens(9).build(), 0, 0, 0);
  }
}
