package dev.headway.simulation.workload.length;

import dev.headway.simulation.workload.RandomStream;

/** A share of Pareto draws among log-normal ones. */
record ParetoLogNormal(double alpha, double least, double mu, double sigma, double paretoShare)
    implements LengthDistribution {

  ParetoLogNormal {
    Lengths.requirePositive("alpha", alpha);
    Lengths.requirePositive("xm", least);
    Lengths.requireFinite("mu", mu);
    Lengths.requireNotNegative("sigma", sigma);
    Lengths.require(
        paretoShare >= 0 && paretoShare <= 1,
        "mix_weight must be in [0, 1]",
        "mix_weight",
        paretoShare);
  }

  @Override
  public int draw(RandomStream random) {
    final boolean pareto = random.nextDouble() < paretoShare;
    return Lengths.rounded(
        pareto
            ? least * StrictMath.exp(random.nextExponential() / alpha)
            : StrictMath.exp(mu + sigma * random.nextGaussian()));
  }
}
