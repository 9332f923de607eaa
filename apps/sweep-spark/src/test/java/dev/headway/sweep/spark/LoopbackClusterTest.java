package dev.headway.sweep.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a master of Spark 4 prints. */
class LoopbackClusterTest {

  @Test
  void shouldCountAWorkerOnceThatTriedAgain() {
    final String output =
        """
        26/11/27 15:02:11 INFO Master: Registering worker 127.0.0.1:40113 with 1 cores, 1024.0 MiB RAM
        26/11/27 15:02:12 INFO Master: Registering worker 127.0.0.1:37511 with 1 cores, 1024.0 MiB RAM
        26/11/27 15:02:19 INFO Master: Registering worker 127.0.0.1:40113 with 1 cores, 1024.0 MiB RAM
        """;

    assertThat(LoopbackCluster.registered(output)).isEqualTo(2);
  }
}
