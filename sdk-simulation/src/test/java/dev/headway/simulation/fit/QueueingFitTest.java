package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.regression.Coefficient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waits made with known coefficients. */
class QueueingFitTest {

  private static final String HEADER =
      "queued_ns,alpha_ingress_ns,alpha_wait_ns,censored,prompt_tokens,waiting_depth,"
          + "waiting_tokens,running_depth,decode_tokens_owed,kv_usage,kv_block_deficit,"
          + "since_decision_ns,mean_step_ns,config_limits.maxNumSeqs\n";

  @TempDir private Path folder;

  private QueueingFit read(int requests) throws IOException {
    final Random random = new Random(17);
    final StringBuilder rows = new StringBuilder(HEADER);
    for (int i = 0; i < requests; i++) {
      final int prompt = 1 + random.nextInt(2_000);
      final int waiting = random.nextInt(50);
      final double usage = random.nextDouble();
      final double waitNs = 1e6 + 2e5 * waiting + 3e5 * waiting * usage + 500 * prompt;
      rows.append(
          String.format(
              Locale.ROOT,
              "%d,%d,%.0f,%s,%d,%d,%d,%d,%d,%.6f,0,%d,8000000,256%n",
              requests - i, // not in order
              2_000_000 + 40 * prompt,
              waitNs,
              i % 10 == 0,
              prompt,
              waiting,
              waiting * 700 + random.nextInt(500),
              random.nextInt(256),
              random.nextInt(10_000),
              usage,
              random.nextInt(8_000_000)));
    }
    Files.writeString(folder.resolve("alpha.csv"), rows);
    final QueueingFit fit = new QueueingFit();
    fit.read(folder);
    return fit;
  }

  private static double value(List<Coefficient> coefficients, String name) {
    return coefficients.stream()
        .filter(coefficient -> coefficient.feature().name().equals(name))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void shouldGiveCoefficientsBack() throws IOException {
    final QueueingFit fit = read(2_000);

    assertThat(fit.fit(0.7)).isTrue();

    assertThat(value(fit.waitCoefficients(), "waiting_depth")).isCloseTo(2e5, within(2e3));
    assertThat(value(fit.waitCoefficients(), "queue_x_kv")).isCloseTo(3e5, within(3e3));
    assertThat(value(fit.waitCoefficients(), "prompt_tokens")).isCloseTo(500, within(5.0));
    assertThat(value(fit.ingressCoefficients(), "constant")).isCloseTo(2e6, within(1e3));
    assertThat(value(fit.ingressCoefficients(), "prompt_tokens")).isCloseTo(40, within(0.1));
    assertThat(fit.quality().r2()).isGreaterThan(0.999);
    assertThat(fit.quality().rankCorrelation()).isGreaterThan(0.999);
    assertThat(fit.baseline().r2()).isLessThan(fit.quality().r2());
    assertThat(fit.censored()).isEqualTo(200);
    assertThat(fit.quality().requests()).isEqualTo(540);
  }

  @Test
  void shouldSayWhenThereAreTooFew() throws IOException {
    assertThat(read(30).fit(0.7)).isFalse();
  }
}
