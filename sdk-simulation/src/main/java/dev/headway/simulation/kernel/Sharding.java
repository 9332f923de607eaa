package dev.headway.simulation.kernel;

import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.Parallelism;
import java.util.HashMap;
import java.util.Map;

/**
 * What a device has of layers that it shares with more devices than they were timed with.
 *
 * <ul>
 *   <li>A multiplication with weights takes {@code floor + (t - floor) * share}, where the share is
 *       that of its weights, so of its arithmetic too, and the floor is the shortest kernel of the
 *       table, which is what starting one takes: the table has no other widths.
 *   <li>Attention has fewer heads of all requests. It takes as long as all heads of fewer requests
 *       do, which read as many keys and values in as many blocks of threads: {@code n * share}
 *       decodes; of a chunk {@code c * share} tokens, behind as many as give each of them the mean
 *       context it has.
 *   <li>What goes over heads or over the inner width token by token, as rotary embeddings do, takes
 *       what it does for {@code tokens * share} tokens.
 * </ul>
 *
 * <p>It does not know that a narrower multiplication may fill a device less well. Of
 * LLMServingSim's profiles of three models on an RTX PRO 6000, that of two devices from that of
 * one: multiplications -3 % in the median, nine in ten from -18 to +7 %; attention -1 to +1 % in
 * the median for decodes and for chunks, -3 % for both together, nine in ten from -38 to +19 %.
 *
 * <p>Immutable; allocates nothing once made.
 */
final class Sharding {

  private final Map<String, Double> ofMatMuls = new HashMap<>();
  private final double ofHeads;
  private final double ofKv;
  private final double ofFeedForward;

  private Sharding(ForwardPass here, ForwardPass timed) {
    timed.matMuls().forEach(each -> ofMatMuls.put(each.name(), size(each)));
    here.matMuls()
        .forEach(each -> ofMatMuls.merge(each.name(), size(each), (whole, own) -> own / whole));
    final AttentionCall call = here.attention().getFirst();
    final AttentionCall whole = timed.attention().getFirst();
    ofHeads = (double) call.multiplyAddsPerPair() / whole.multiplyAddsPerPair();
    ofKv = call.kvBytesPerToken() / whole.kvBytesPerToken();
    ofFeedForward = ofMatMuls.getOrDefault("down_proj", 1.0);
  }

  private static double size(MatMul matMul) {
    return (double) matMul.n() * matMul.k();
  }

  /**
   * How kernels of a profile are shared out.
   *
   * @param pass what one device runs
   * @param timedDevices that shared each layer when it was timed
   */
  static Sharding of(ForwardPass pass, int timedDevices) {
    return new Sharding(
        pass, ForwardPass.of(pass.model(), Parallelism.tensor(timedDevices), pass.launchMode()));
  }

  /** The share of a multiplication that a device has. */
  double of(MatMul matMul) {
    return ofMatMuls.getOrDefault(matMul.name(), 1.0);
  }

  /** The share of the query heads. */
  double ofHeads() {
    return ofHeads;
  }

  /**
   * The share of the keys and values: larger than that of the heads where devices are more than
   * heads of keys, which repeat then.
   */
  double ofKv() {
    return ofKv;
  }

  /** Tokens before a chunk of {@link #ofHeads} as many tokens that give them the mean context. */
  double before(double chunk, double before) {
    return before + chunk * (1 - ofHeads) / 2;
  }

  /** The share of the inner width of feed-forward networks. */
  double ofFeedForward() {
    return ofFeedForward;
  }

  /** What is left of a kernel of {@code ns}, of which {@code share} is on a device. */
  static double ns(double ns, double share, double floorNs) {
    return share == 1 ? ns : Math.min(ns, floorNs) + Math.max(0, ns - floorNs) * share;
  }
}
