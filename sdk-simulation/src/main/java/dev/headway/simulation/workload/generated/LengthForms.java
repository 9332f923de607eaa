package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Length distributions as a command line writes them. */
final class LengthForms {
  private static final Forms<LengthDistribution> FORMS =
      new Forms<LengthDistribution>()
          .add("constant:TOKENS", n -> LengthDistribution.constant(Forms.tokens(n[0])))
          .add(
              "uniform:MIN:MAX",
              n -> LengthDistribution.uniform(Forms.tokens(n[0]), Forms.tokens(n[1])))
          .add(
              "normal:MEAN:SD:MIN:MAX",
              n -> LengthDistribution.normal(n[0], n[1], Forms.tokens(n[2]), Forms.tokens(n[3])))
          .add("lognormal:MU:SIGMA", n -> LengthDistribution.logNormal(n[0], n[1]))
          .add("exponential:MEAN", n -> LengthDistribution.exponential(n[0]))
          .add(
              "pareto-lognormal:ALPHA:XM:MU:SIGMA:SHARE",
              n -> LengthDistribution.paretoLogNormal(n[0], n[1], n[2], n[3], n[4]))
          .add("zipf:EXPONENT:MAX", n -> LengthDistribution.zipf(n[0], Forms.tokens(n[1])))
          .add("empirical:TOKENS:WEIGHT...", LengthForms::empirical);

  private LengthForms() {}

  static LengthDistribution parse(String option, String text) {
    return text.chars().allMatch(Character::isDigit)
        ? FORMS.parse(option, "constant:" + text)
        : FORMS.parse(option, text);
  }

  static List<String> usages() {
    return FORMS.usages();
  }

  private static LengthDistribution empirical(double[] pairs) {
    final Map<Integer, Double> weights = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      weights.merge(Forms.tokens(pairs[i]), pairs[i + 1], Double::sum);
    }
    return LengthDistribution.empirical(weights);
  }
}
