package dev.headway.simulation.step;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.MatMul.Rows;
import java.util.Arrays;
import java.util.List;

/**
 * The duration of a step: the sum of its operators, one after the other, as one stream of a device
 * runs them, and what the host adds.
 *
 * <p>In {@link LaunchMode#EAGER} the host starts kernel after kernel while the device runs those
 * before: the operators together take no less than the launches of all kernels.
 *
 * <p>Of data parallel ranks that share experts this is one: its experts work for the tokens of all,
 * of which the others have as many as it has unless {@link #groupStepNs} is asked. That tokens are
 * brought to the experts and back takes an all-gather and a reduce-scatter, each half an
 * all-reduce.
 *
 * <p>All but attention depends on the number of tokens alone, and is computed once per number. One
 * thread; allocates only to grow.
 */
public final class ForwardPassTime implements LatencyModel, GroupLatency {

  private final ForwardPass pass;
  private final OperatorTimes times;
  private final HostTime host;
  private final double blockTransferNs;
  private final double launchesNs;
  private double[] tokensNs = {};
  private double[] expertsNs = {};
  private double[] sampledNs = {};

  /**
   * The time of a forward pass.
   *
   * @param pass what is computed
   * @param times what each operator takes
   * @param host what the host adds to every step
   */
  public ForwardPassTime(ForwardPass pass, OperatorTimes times, HostTime host) {
    this(pass, times, host, 0);
  }

  /**
   * As above, on a device whose blocks move to host memory and back.
   *
   * @param blockTransferNs per block moved, either way, not hidden behind computation; >= 0
   * @throws IllegalArgumentException if an operator of the pass has no time; names it
   */
  public ForwardPassTime(
      ForwardPass pass, OperatorTimes times, HostTime host, double blockTransferNs) {
    if (!(blockTransferNs >= 0)) {
      throw new IllegalArgumentException(
          "blockTransferNs must be >= 0: blockTransferNs=" + blockTransferNs);
    }
    this.pass = pass;
    this.times = times;
    this.host = host;
    this.blockTransferNs = blockTransferNs;
    launchesNs = pass.launchMode() == LaunchMode.EAGER ? pass.kernels() * host.launchNs() : 0;
    tryOut();
  }

  /** So that an operator that has no time is missed now, and not in a run. */
  private void tryOut() {
    final StepFeatures smallest = new StepFeatures();
    smallest.addPrefill(1, 0);
    smallest.addDecode(1, 1);
    smallest.addSampling(1);
    stepNs(smallest);
  }

  @Override
  public long stepNs(StepFeatures step) {
    return Math.round(ns(step));
  }

  /**
   * As long as that of the slowest rank: they wait for each other in every layer, and layers are
   * alike. A batch is not padded to the longest one.
   */
  @Override
  public long groupStepNs(List<StepFeatures> ranks) {
    long tokens = 0;
    for (StepFeatures rank : ranks) {
      tokens += Math.max(1, rank.totalTokens());
    }
    double longest = 0;
    for (StepFeatures rank : ranks) {
      longest = Math.max(longest, ns(rank, tokens));
    }
    return Math.round(longest);
  }

  /** Whether the host takes no time of its own, launches of kernels aside. */
  public boolean isWithoutHost() {
    return host.stepNs() == 0 && host.requestNs() == 0;
  }

  /** The duration of a step, in ns, not rounded. */
  public double ns(StepFeatures step) {
    return ns(step, pass.parallelism().data() * step.totalTokens());
  }

  private double ns(StepFeatures step, long tokensOfAll) {
    final double transfersNs = blockTransferNs * step.transferredBlocks();
    if (step.requests() == 0) {
      return transfersNs;
    }
    final double outside = transfersNs + host.ns(step.requests());
    double ns = outside + ofTokens(Math.toIntExact(step.totalTokens()));
    ns += ofExperts(Math.toIntExact(tokensOfAll));
    ns += ofSampled(Math.toIntExact(step.samplingRequests() + step.draftTokens()));
    for (AttentionCall call : pass.attention()) {
      ns += call.layers() * times.attentionNs(call, step);
    }
    return ns + Math.max(0, launchesNs - (ns - outside));
  }

  private double ofTokens(int tokens) {
    if (tokens >= tokensNs.length) {
      tokensNs = grown(tokensNs, tokens);
    }
    if (Double.isNaN(tokensNs[tokens])) {
      tokensNs[tokens] = computeTokensNs(tokens);
    }
    return tokensNs[tokens];
  }

  private double ofExperts(int tokens) {
    final ExpertCall experts = pass.experts();
    if (experts == null) {
      return 0;
    }
    if (tokens >= expertsNs.length) {
      expertsNs = grown(expertsNs, tokens);
    }
    if (Double.isNaN(expertsNs[tokens])) {
      expertsNs[tokens] =
          experts.spec().layers() * times.expertsNs(experts, tokens) + exchangesNs(tokens);
    }
    return expertsNs[tokens];
  }

  private double exchangesNs(int tokens) {
    if (pass.expertExchanges() == 0) {
      return 0;
    }
    final int ranks = pass.parallelism().data();
    final double gatherNs = times.allReduceNs(tokens * pass.gatheredBytesPerToken(), ranks) / 2;
    final double scatterNs = times.allReduceNs(tokens * pass.allReduceBytesPerToken(), ranks) / 2;
    return pass.expertExchanges() * (gatherNs + scatterNs);
  }

  private double ofSampled(int rows) {
    if (rows >= sampledNs.length) {
      sampledNs = grown(sampledNs, rows);
    }
    if (Double.isNaN(sampledNs[rows])) {
      sampledNs[rows] = rows == 0 ? 0 : computeSampledNs(rows);
    }
    return sampledNs[rows];
  }

  private double computeSampledNs(int rows) {
    final double ns = matMulsNs(Rows.SAMPLED, rows) + times.samplingNs(rows);
    final double gathered = rows * pass.gatheredLogitsBytesPerRow();
    return gathered == 0
        ? ns
        : ns + times.allReduceNs(gathered, pass.parallelism().tensor()) / 2; // an all-gather
  }

  private double computeTokensNs(int tokens) {
    double ns = matMulsNs(Rows.TOKENS, tokens);
    ns += times.elementwiseNs(pass, tokens);
    if (pass.allReduces() > 0) {
      final double bytes = tokens * pass.allReduceBytesPerToken();
      ns += pass.allReduces() * times.allReduceNs(bytes, pass.parallelism().tensor());
    }
    return ns;
  }

  private double matMulsNs(Rows kind, int rows) {
    double ns = 0;
    for (MatMul matMul : pass.matMuls()) {
      if (matMul.rows() == kind) {
        ns += matMul.times() * times.matMulNs(matMul, rows);
      }
    }
    return ns;
  }

  private static double[] grown(double[] table, int index) {
    final double[] grown = Arrays.copyOf(table, Math.max(index + 1, 2 * table.length));
    Arrays.fill(grown, table.length, grown.length, Double.NaN);
    return grown;
  }

  /** What the model, its devices and the source of the times are, in words. */
  @Override
  public String toString() {
    final int devices = pass.parallelism().devices();
    return pass.model() + " on " + devices + (devices == 1 ? " device, " : " devices, ") + times;
  }
}
