package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.support.SimpleRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestViewTest {

  @ParameterizedTest
  @CsvSource({
    "3, 0, 2, false, a prompt in chunks",
    "3, 0, 3, true,  the prompt is scheduled to be computed",
    "3, 1, 3, true,  all but the newest output is",
    "3, 4, 6, true,  all but the newest output is",
    "3, 4, 5, false, two outputs are computed again",
    "3, 4, 7, true,  nothing is left",
    "3, 1, 2, false, the prompt is computed again"
  })
  void shouldForetellADecode(int prompt, int outputs, int computed, boolean decodes, String why) {
    final SimpleRequest request =
        new SimpleRequest(Request.builder("r", new int[prompt]).maxTokens(9).build(), 0, 0, 0);
    for (int i = 0; i < outputs; i++) {
      request.append(i);
    }
    request.computedTokens(computed);

    assertThat(request.isDecoding()).as(why).isEqualTo(decodes);
  }
}
