package dev.headway.cli.plan;

import java.util.Locale;

/**
 * A combination of the values of all axes.
 *
 * @param number from 1, in the order of the axes
 * @param gpu name of the device
 * @param tensorParallelSize devices that share an instance's layers
 * @param instances how many
 * @param router the routing policy before them; empty where there is one instance
 * @param maxNumSeqs most requests running at once in an instance
 * @param maxNumBatchedTokens most tokens of a step
 * @param prefixCaching whether computed blocks are shared
 * @param steps where step times come from
 * @param costPerHour price of all devices, or their number where no price is known
 * @param leftOut why it cannot be; empty if it can
 */
record Configuration(
    int number,
    String gpu,
    int tensorParallelSize,
    int instances,
    String router,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    boolean prefixCaching,
    StepSource steps,
    double costPerHour,
    String leftOut) {

  int devices() {
    return tensorParallelSize * instances;
  }

  /** What its instances are. */
  String instance() {
    return "%s TP %d %d %d %b"
        .formatted(gpu, tensorParallelSize, maxNumSeqs, maxNumBatchedTokens, prefixCaching);
  }

  /** Devices, and how they are put together. */
  String machine() {
    return "%d x %s, TP %d, %s"
        .formatted(
            devices(),
            gpu,
            tensorParallelSize,
            instances == 1 ? "1 instance" : instances + " instances behind " + router);
  }

  /** All of it. */
  String text() {
    return machine()
        + String.format(
            Locale.ROOT,
            ", --max-num-seqs %d, --max-num-batched-tokens %d, prefix caching %s",
            maxNumSeqs,
            maxNumBatchedTokens,
            caching());
  }

  /** The word for prefix caching. */
  String caching() {
    return prefixCaching ? "on" : "off";
  }
}
