package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.regression.Coefficient.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measured requests made with known coefficients. */
class RequestTimeFitTest {

  private static final String HEADER =
      "request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s,error,session\n";

  @TempDir private Path folder;

  private Path file(String rows) throws IOException {
    return Files.writeString(folder.resolve("measured.csv"), HEADER + rows);
  }

  /** First tokens after 20 ms and 30 µs per token of the prompt, further ones after 12 ms. */
  private static String requests(int count) {
    final Random random = new Random(3);
    final StringBuilder rows = new StringBuilder();
    double arrival = 0;
    for (int i = 0; i < count; i++) {
      arrival += 0.3 * random.nextDouble();
      final int input = 1 + random.nextInt(4_000);
      final int output = 1 + random.nextInt(50);
      final double ttft = 0.020 + 30e-6 * input;
      rows.append(
          String.format(
              Locale.ROOT,
              "r%d,%.6f,%d,%d,%.9f,%.9f,,%n",
              i,
              arrival,
              input,
              output,
              ttft,
              ttft + 0.012 * (output - 1)));
    }
    return rows.toString();
  }

  private static double value(FittedTerm term, String name) {
    return term.coefficients().stream()
        .filter(coefficient -> coefficient.feature().name().equals(name))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void shouldGiveCoefficientsBack() throws IOException {
    final RequestTimeFit fit = new RequestTimeFit();
    fit.read(file(requests(1_000)));

    assertThat(fit.fit(0.7, RequestForm.LINEAR)).isTrue();

    assertThat(value(fit.firstToken(), "constant")).isCloseTo(20e6, within(1e5));
    assertThat(value(fit.firstToken(), "prompt_tokens")).isCloseTo(30_000, within(100.0));
    assertThat(value(fit.furtherToken(), "constant")).isCloseTo(12e6, within(1e4));
    assertThat(fit.firstToken().quality().r2()).isGreaterThan(0.999);
    assertThat(fit.endToEnd().r2()).isGreaterThan(0.999);
    assertThat(fit.requests()).isEqualTo(990);
    assertThat(fit.firstToken().coefficients())
        .filteredOn(coefficient -> coefficient.feature().name().equals("session_prompt_tokens"))
        .allMatch(coefficient -> coefficient.status() == Status.UNSEEN);
  }

  @Test
  void shouldCountEveryRowLeftOutByReason() throws IOException {
    final RequestTimeFit fit = new RequestTimeFit();
    fit.read(
        file(
            requests(100)
                + """
                a,1.0,10,5,,,timeout,
                b,1.0,10,0,0.1,0.5,,
                c,1.0,10,5,NaN,0.5,,
                d,1.0,10,5,0.1,,,
                e,1.0,10,5,-0.1,0.5,,
                f,1.0,10,5,0.6,0.5,,
                g,1.0,-1,5,0.1,0.5,,
                r7,1.0,10,5,0.1,0.5,,
                """));

    assertThat(fit.requests()).isEqualTo(90);
    assertThat(fit.omitted())
        .containsEntry("failed", 1)
        .containsEntry("no output token", 1)
        .containsEntry("not a number", 2)
        .containsEntry("impossible times or counts", 3)
        .containsEntry("repeated request_id", 1)
        .containsEntry("warm-up", 10)
        .hasSize(6);
  }

  @Test
  void shouldCapTimesThatAreFarBeyondTheOthers() throws IOException {
    final RequestTimeFit fit = new RequestTimeFit();
    fit.read(file(requests(2_000).replaceFirst("(?m)^r50,([^,]+),.*$", "r50,$1,1,1,99,99,,")));

    fit.fit(0.7, RequestForm.LINEAR);

    assertThat(fit.capped()).as("the 2 in 1,393 first tokens beyond 99.9 %, and ties").isOne();
    assertThat(value(fit.firstToken(), "prompt_tokens")).isCloseTo(30_000, within(300.0));
  }

  @Test
  void shouldKnowWhatAClientKnowsAtArrival() {
    final RequestsAtArrival arrivals = new RequestsAtArrival();

    final double[] first = arrivals.next(request("a", 0, 100, 10, 30, "s"));
    final double[] second = arrivals.next(request("b", 5, 200, 10, 90, null));
    final double[] third = arrivals.next(request("c", 10, 300, 10, 90, "s"));
    final double[] last = arrivals.next(request("d", 40, 400, 10, 90, null));

    assertThat(first).containsExactly(1, 100, 0, 0, 0, 0, 0, 0);
    assertThat(second).as("a waits").containsExactly(1, 200, 1, 100, 0, 0, 0, 0);
    assertThat(third)
        .as("a has its first token, b waits; a's prompt and 2 answers come again")
        .containsExactly(1, 300, 1, 200, 1, 100, 102, 0);
    assertThat(last).as("a has ended").containsExactly(1, 400, 0, 0, 2, 500, 0, 0);
  }

  private static TimedRequest request(
      String id, long arrivalNs, int inputs, long ttftNs, long endNs, String session) {
    return new TimedRequest(id, arrivalNs, inputs, 2, ttftNs, endNs, null, session, null);
  }

  @Test
  void shouldSayWhenThereAreTooFewOrNone() throws IOException {
    final RequestTimeFit fit = new RequestTimeFit();
    fit.read(file(requests(40)));

    assertThat(fit.fit(0.7, RequestForm.LINEAR)).isFalse();
    assertThatThrownBy(() -> fit.read(file("a,1.0,10,5,x,0.5,,\n")))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith(
            "measured.csv must have requests that got tokens: failed=0, not a number=1");
  }
}
