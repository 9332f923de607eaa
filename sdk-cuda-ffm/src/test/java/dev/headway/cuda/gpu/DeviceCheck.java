package dev.headway.cuda.gpu;

import java.nio.file.Path;

/**
 * Measures one part on the device, as CSV on standard output: {@code steps}, {@code products},
 * {@code kernels} or {@code load FOLDER}. Each in a process of its own, so that one that fails, or
 * is out of time, takes no other along. {@code -Dheadway.bench.tiny=true} takes the smallest shapes
 * there are, to see that it runs.
 */
final class DeviceCheck {
  private DeviceCheck() {}

  public static void main(String[] args) throws Exception {
    final RateTable table = new RateTable(System.out);
    System.setOut(System.err); // what libraries print is no table
    final Scale scale = Scale.ofProperty();
    switch (args[0]) {
      case "steps" -> new StepRates(table, scale).run();
      case "products" -> products(table, scale);
      case "kernels" -> kernels(table, scale);
      case "load" -> new LoadRates(table, scale, Path.of(args[1])).run();
      default -> throw new IllegalArgumentException("a part must be known: part=" + args[0]);
    }
    System.exit(0); // whatever threads a library left
  }

  private static void products(RateTable table, Scale scale) {
    try (ProductRates rates = new ProductRates(table, scale)) {
      rates.run();
    }
  }

  private static void kernels(RateTable table, Scale scale) {
    try (MemoryRates rates = new MemoryRates(table, scale)) {
      rates.run();
    }
    try (AttentionRates rates = new AttentionRates(table, scale)) {
      rates.run();
    }
    try (SamplingRates rates = new SamplingRates(table, scale)) {
      rates.run();
    }
  }
}
