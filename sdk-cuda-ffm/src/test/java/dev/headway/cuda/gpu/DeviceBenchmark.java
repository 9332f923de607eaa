package dev.headway.cuda.gpu;

import dev.headway.cuda.CudaException;
import dev.headway.executor.model.ModelConfig;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rates of kernels, of attention and of moving blocks, then of whole steps, as CSV on standard
 * output. {@code -Dheadway.bench.tiny=true} takes the smallest shapes there are, to see that it
 * runs.
 */
final class DeviceBenchmark {
  private DeviceBenchmark() {}

  public static void main(String[] args) throws InterruptedException {
    final RateTable table = new RateTable(System.out);
    final Scale scale = Scale.ofProperty();
    final double copyRate;
    try (KernelRates kernels = new KernelRates(table, scale)) {
      copyRate = kernels.run();
    }
    try (AttentionRates attention = new AttentionRates(table, scale, copyRate)) {
      attention.run();
    }
    try (TransferRates transfers = new TransferRates(table, scale)) {
      transfers.run();
    }
    for (Map.Entry<String, ModelConfig> model : new TreeMap<>(scale.models()).entrySet()) {
      try {
        new StepRates(table, scale, copyRate).run(model.getKey(), model.getValue());
      } catch (CudaException e) {
        if (e.isSticky()) {
          throw e;
        }
        System.err.println(model.getKey() + " is left out: " + e.getMessage());
      }
    }
  }
}
