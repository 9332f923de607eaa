package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.arrival.ArrivalProcess;
import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.arrival.RateProfile;
import dev.headway.simulation.workload.arrival.RateProfile.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Arrival processes as a command line writes them: {@code rate=} and {@code arrival=}. */
final class ArrivalForms {
  /** What makes a process of gaps: most rates take any, a switching one has its own. */
  private interface Rate extends Function<Gaps, ArrivalProcess> {}

  private static final Forms<Gaps> GAPS =
      new Forms<Gaps>()
          .add("poisson", n -> Gaps.exponential())
          .add("constant", n -> Gaps.constant())
          .add("gamma:CV", n -> Gaps.gamma(n[0]))
          .add("weibull:CV", n -> Gaps.weibull(n[0]));

  private static final Forms<Rate> RATES =
      new Forms<Rate>()
          .add("constant:RATE", n -> profile(RateProfile.constant(n[0])))
          .add("ramp:FROM:TO:SECONDS", n -> profile(RateProfile.linearRamp(n[0], n[1], n[2])))
          .add(
              "exp-ramp:FROM:TO:SECONDS",
              n -> profile(RateProfile.exponentialRamp(n[0], n[1], n[2])))
          .add(
              "diurnal:MEAN:PEAK_TO_TROUGH:PERIOD_S:PEAK_S",
              n -> profile(RateProfile.diurnal(n[0], n[1], n[2], n[3])))
          .add(
              "spike:RATE:PEAK:START_S:SECONDS",
              n -> profile(RateProfile.spike(n[0], n[1], n[2], n[3])))
          .add("stages:RATE:SECONDS...", n -> profile(stages(n)))
          .add("on-off:RATE:ON_S:OFF_S", n -> own(ArrivalProcess.switching(n[0], 0, n[1], n[2])))
          .add(
              "switching:RATE:RATE:SECONDS:SECONDS",
              n -> own(ArrivalProcess.switching(n[0], n[1], n[2], n[3])))
          .add("inf", n -> gaps -> ArrivalProcess.allAtOnce());

  private ArrivalForms() {}

  /**
   * Reads the options of an arrival process, and takes them.
   *
   * @param requests how many there are, for an exact mean
   */
  static ArrivalProcess read(
      Options options, String usualRate, boolean usuallyExact, int requests) {
    final String rate = options.text("rate", usualRate);
    final Gaps gaps = gaps(options);
    final boolean constant = !rate.isEmpty() && isNumber(rate);
    final ArrivalProcess process =
        RATES.parse("rate", constant ? "constant:" + rate : rate).apply(gaps);
    final boolean exact = options.flag("exact-mean", constant && usuallyExact);
    if (exact && !constant) {
      throw options.wrong("exact-mean needs a rate that is a number", "rate", rate, null);
    }
    return exact && requests > 0
        ? process.withExactMean(requests, Double.parseDouble(rate))
        : process;
  }

  static List<String> usages() {
    return RATES.usages();
  }

  static List<String> gapUsages() {
    return GAPS.usages();
  }

  private static Gaps gaps(Options options) {
    final boolean named = options.has("arrival");
    if (named && options.has("burstiness")) {
      throw options.wrong(
          "arrival and burstiness say the same: give one",
          "arrival",
          options.text("arrival"),
          null);
    }
    final Gaps byName = GAPS.parse("arrival", options.text("arrival", "poisson"));
    final double shape = options.number("burstiness", 1);
    return named ? byName : Gaps.gammaOfShape(shape);
  }

  private static boolean isNumber(String rate) {
    return Character.isDigit(rate.charAt(0)) || ".-+".indexOf(rate.charAt(0)) >= 0;
  }

  private static Rate profile(RateProfile profile) {
    return gaps -> ArrivalProcess.of(gaps, profile);
  }

  private static Rate own(ArrivalProcess process) {
    return gaps -> process;
  }

  private static RateProfile stages(double[] pairs) {
    final List<Stage> stages = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      stages.add(new Stage(pairs[i + 1], pairs[i], pairs[i]));
    }
    return RateProfile.stages(stages, 0);
  }
}
