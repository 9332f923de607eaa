package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.simulation.workload.TraceWriters;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WrittenFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first requests of made-up loads, byte by byte: a seed means the same requests on every
 * machine and in every version. Written anew by {@code mvn test -Dtest=GoldenLoadsTest
 * -Dheadway.regenerateGolden=true}; look at every difference.
 */
class GoldenLoadsTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "loads.txt");

  private static final List<String> LOADS =
      List.of(
          "synthetic(requests=3,seed=42,tenants=2)",
          "short-long(requests=3,seed=42)",
          "chatbot(requests=3,seed=42)",
          "multidoc(requests=3,seed=42,arrival=weibull:3)",
          "generated(requests=3,seed=42,rate=diurnal:5:3:60:10,arrival=gamma:2,"
              + "input=lognormal:6:0.7,output=zipf:1.1:500,prefix-groups=2)",
          "generated(requests=3,seed=42,rate=on-off:20:1:2,input=pareto-lognormal:2:50:5:0.5:0.3,"
              + "output=empirical:10:1:20:3)",
          "random(requests=3,rate=4,burstiness=0.5,range-ratio=0.3)",
          "prefix_repetition(requests=3)");

  @Test
  void shouldMakeTheSameRequestsEverywhere() throws IOException {
    final StringBuilder made = new StringBuilder();
    for (String load : LOADS) {
      made.append("# ").append(load).append('\n');
      try (Workload workload = NamedLoads.open(load)) {
        TraceWriters.write(workload, WrittenFormat.CANONICAL, made);
      }
    }
    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.createDirectories(GOLDEN.getParent());
      Files.writeString(GOLDEN, made);
    }

    assertThat(made.toString()).isEqualTo(Files.readString(GOLDEN));
  }
}
