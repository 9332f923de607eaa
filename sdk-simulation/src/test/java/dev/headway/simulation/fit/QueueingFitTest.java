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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waits made with known coefficients. */
class QueueingFitTest {

  private static final String HEADER =
      "queued_ns,alpha_ingress_ns,alpha_wait_ns,censored,prompt_tokens,waiting_depth,"
          + "waiting_tokens,running_depth,decode_tokens_owed,kv_usage,kv_block_deficit,"
          + "since_decision_ns,mean_step_ns,config_limits.maxNumSeqs\n";

  @TempDir private Path folder;

  private QueueingFit read(int requests) throws IOException {
    return read(requests, "%1$.0f");
  }

  /** The wait is one of two: with a product that every form has, or with a square. */
  private QueueingFit read(int requests, String which) throws IOException {
    final Random random = new Random(17);
    final StringBuilder rows = new StringBuilder(HEADER);
    for (int i = 0; i < requests; i++) {
      final int prompt = 1 + random.nextInt(2_000);
      final int waiting = random.nextInt(50);
      final double usage = random.nextDouble();
      final double waitNs = 1e6 + 2e5 * waiting + 3e5 * waiting * usage + 500 * prompt;
      final double squareNs = 1e6 + 2e4 * waiting * waiting;
      rows.append(
          String.format(
              Locale.ROOT,
              "%d,%d,%s,%s,%d,%d,%d,%d,%d,%.6f,0,%d,8000000,256%n",
              requests - i, // not in order
              2_000_000 + 40 * prompt,
              String.format(Locale.ROOT, which, waitNs, squareNs),
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

    assertThat(fit.fit(0.7, RequestForm.LINEAR)).isTrue();

    assertThat(value(fit.queueWait().coefficients(), "waiting_depth")).isCloseTo(2e5, within(2e3));
    assertThat(value(fit.queueWait().coefficients(), "queue_x_kv")).isCloseTo(3e5, within(3e3));
    assertThat(value(fit.queueWait().coefficients(), "prompt_tokens")).isCloseTo(500, within(5.0));
    assertThat(value(fit.ingressCoefficients(), "constant")).isCloseTo(2e6, within(1e3));
    assertThat(value(fit.ingressCoefficients(), "prompt_tokens")).isCloseTo(40, within(0.1));
    assertThat(fit.queueWait().quality().r2()).isGreaterThan(0.999);
    assertThat(fit.queueWait().quality().rankCorrelation()).isGreaterThan(0.999);
    assertThat(fit.baseline().r2()).isLessThan(fit.queueWait().quality().r2());
    assertThat(fit.censored()).isEqualTo(200);
    assertThat(fit.egressCoefficients()).as("no server told").isEmpty();
    assertThat(fit.queueWait().quality().requests()).isEqualTo(540);
  }

  @ParameterizedTest
  @EnumSource(
      value = RequestForm.class,
      names = {"POLYNOMIAL", "RIDGE", "LASSO"})
  void shouldFindProductsThatTheLinearFormDoesNotHave(RequestForm form) throws IOException {
    final QueueingFit linear = read(2_000, "%2$.0f");
    linear.fit(0.7, RequestForm.LINEAR);
    final QueueingFit fit = read(2_000, "%2$.0f");

    assertThat(fit.fit(0.7, form)).isTrue();

    assertThat(fit.queueWait().form()).isEqualTo(form);
    assertThat(fit.queueWait().coefficients()).hasSize(1 + 9 + 9 * 10 / 2);
    assertThat(linear.queueWait().quality().r2()).isLessThan(0.97);
    assertThat(fit.queueWait().quality().r2()).isGreaterThan(0.99);
    assertThat(fit.queueWait().strength() > 0).isEqualTo(form != RequestForm.POLYNOMIAL);
    assertThat(fit.queueWait().coefficients())
        .filteredOn(coefficient -> coefficient.value() == 0)
        .as("lasso leaves most of the columns out")
        .hasSizeGreaterThanOrEqualTo(form == RequestForm.LASSO ? 30 : 0);
    assertThat(value(fit.ingressCoefficients(), "prompt_tokens")).isCloseTo(40, within(0.1));
  }

  @Test
  void shouldKeepWhatFollowsTheEngineApart() throws IOException {
    final StringBuilder rows = new StringBuilder("finished_ns,output_tokens,alpha_egress_ns\n");
    for (int i = 0; i < 100; i++) {
      rows.append("%d,%d,%d%n".formatted(i, i % 30, 70_000 + 250 * (i % 30)));
    }
    Files.writeString(folder.resolve("egress.csv"), rows);

    final QueueingFit fit = read(100);
    fit.fit(0.7, RequestForm.LINEAR);

    assertThat(value(fit.egressCoefficients(), "constant")).isCloseTo(70_000, within(1.0));
    assertThat(value(fit.egressCoefficients(), "output_tokens")).isCloseTo(250, within(0.1));
    assertThat(value(fit.ingressCoefficients(), "constant"))
        .as("not mixed with it")
        .isCloseTo(2e6, within(1e3));
  }

  @Test
  void shouldSayWhenThereAreTooFew() throws IOException {
    assertThat(read(30).fit(0.7, RequestForm.LINEAR)).isFalse();
  }
}
