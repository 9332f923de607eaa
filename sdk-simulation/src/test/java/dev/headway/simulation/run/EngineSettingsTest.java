package dev.headway.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LinearLatencyModel;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EngineSettingsTest {

  @Test
  void shouldTellAttributesInTheOrderOfTheirNames() {
    final Map<String, String> attributes =
        Stream.of("model", "hardware", "model_size", "enforce_eager", "tensor_parallel_size")
            .collect(Collectors.toUnmodifiableMap(Function.identity(), name -> name));

    final EngineSettings settings =
        new EngineSettings(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(8)
                            .maxNumBatchedTokens(64)
                            .maxModelLen(512)
                            .build())
                    .build(),
                KvCacheShape.builder().blockSize(16).blocks(64).build(),
                LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
                1)
            .withAttributes(attributes);

    assertThat(settings.attributes().keySet())
        .as("equal settings must give equal journals, whatever map they came in")
        .containsExactly(
            "enforce_eager", "hardware", "model", "model_size", "tensor_parallel_size");
  }
}
