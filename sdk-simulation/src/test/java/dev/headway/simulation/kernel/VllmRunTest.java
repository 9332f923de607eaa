package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.DeviceMemory;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recorded run of vLLM 0.19, Llama-3.1-8B on an RTX PRO 6000, 300 requests, against its
 * simulation from the kernel profile of that GPU alone. Both lie in {@code ../shared/profiles} or
 * where {@code -Dheadway.profiles=DIR} says (LLMServingSim's {@code op-profiles} and {@code
 * vllm-runs}); skipped elsewhere.
 */
class VllmRunTest {

  private static final String RUN = "llmservingsim/vllm-runs/RTXPRO6000_Llama-3.1-8B";
  private static final String PROFILE =
      "llmservingsim/op-profiles/RTXPRO6000_meta-llama_Llama-3.1-8B";
  private static final int MAX_NUM_SEQS = 128;
  private static final int MAX_NUM_BATCHED_TOKENS = 2_048;
  private static final int BLOCK_SIZE = 16;
  private static final double SECONDS = 1e9;

  private static final ModelSpec LLAMA_3_1_8B =
      ModelSpec.builder("Llama-3.1-8B")
          .layers(32)
          .hiddenSize(4_096)
          .vocabularySize(128_256)
          .attention(new AttentionSpec.Grouped(32, 8, 128))
          .denseIntermediateSize(14_336)
          .build();

  /** A request as it was measured and as it is simulated; instants in ns. */
  private static final class Pair implements TokenListener {
    final int inputTokens;
    final int outputTokens;
    final long arrivalNs;
    final double measuredTtftNs;
    final double measuredTpotNs;
    final double measuredE2eNs;
    private final VirtualClock clock;
    private long firstNs;
    private long lastNs;

    Pair(JsonNode row, double startS, VirtualClock clock) {
      this.clock = clock;
      inputTokens = row.path("input_toks").intValue();
      outputTokens = row.path("output_toks").intValue();
      arrivalNs = Math.round((row.path("arrival_time").doubleValue() - startS) * SECONDS);
      final double queued = row.path("queued_ts").doubleValue();
      final double first = row.path("first_token_ts").doubleValue();
      final double last = row.path("last_token_ts").doubleValue();
      measuredTtftNs = (first - queued) * SECONDS;
      measuredTpotNs = (last - first) * SECONDS / (outputTokens - 1);
      measuredE2eNs = (last - queued) * SECONDS;
    }

    @Override
    public void onToken(int position, int tokenId) {
      firstNs = position == 0 ? clock.nanoTime() : firstNs;
      lastNs = clock.nanoTime();
    }

    double ttftNs() {
      return firstNs - arrivalNs;
    }

    double tpotNs() {
      return (double) (lastNs - firstNs) / (outputTokens - 1);
    }

    double e2eNs() {
      return lastNs - arrivalNs;
    }
  }

  @Test
  void shouldPredictTheRunFromTheKernelsAlone() throws IOException {
    final VirtualClock clock = new VirtualClock();
    final List<Pair> requests = read(clock);

    simulate(requests, clock);

    // LLMServingSim's own simulation of this run: -4.0, -1.0 and -1.8 %
    assertThat(meanError(requests, Pair::ttftNs, pair -> pair.measuredTtftNs))
        .isCloseTo(0, within(0.04));
    assertThat(meanError(requests, Pair::tpotNs, pair -> pair.measuredTpotNs))
        .isCloseTo(0, within(0.012));
    assertThat(meanError(requests, Pair::e2eNs, pair -> pair.measuredE2eNs))
        .isCloseTo(0, within(0.02));
    assertThat(
            requests.stream()
                .mapToDouble(pair -> Math.abs(pair.e2eNs() / pair.measuredE2eNs - 1))
                .average()
                .orElseThrow())
        .as("mean absolute error per request, end to end")
        .isLessThan(0.025);
  }

  private static void simulate(List<Pair> requests, VirtualClock clock) throws IOException {
    final ForwardPass pass = ForwardPass.of(LLAMA_3_1_8B, Parallelism.NONE);
    final GpuSpec gpu = GpuCatalog.builtIn().get("rtx-pro-6000");
    final ForwardPassTime time =
        new ForwardPassTime(pass, LayerProfile.read(existing(PROFILE), pass, gpu), HostTime.NONE);
    final int blocks = DeviceMemory.blocks(pass, gpu, 0.9, BLOCK_SIZE, MAX_NUM_BATCHED_TOKENS);
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(MAX_NUM_SEQS)
                    .maxNumBatchedTokens(MAX_NUM_BATCHED_TOKENS)
                    .maxModelLen(131_072)
                    .build())
            .build();
    final EngineSettings settings =
        new EngineSettings(
            config, KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(blocks).build(), time, 1);
    try (Engine engine = settings.engine(clock, "vllm run", model -> model).build()) {
      drive(engine, clock, requests);
    }
  }

  private static void drive(Engine engine, VirtualClock clock, List<Pair> requests) {
    int next = 0;
    while (true) {
      while (next < requests.size() && requests.get(next).arrivalNs <= clock.nanoTime()) {
        final Pair due = requests.get(next);
        engine.submit(
            Request.builder("r" + next, prompt(next, due.inputTokens))
                .maxTokens(due.outputTokens)
                .build(),
            due,
            due.arrivalNs);
        next++;
      }
      if (!engine.step()) {
        if (next == requests.size()) {
          return;
        }
        clock.sleepUntil(requests.get(next).arrivalNs);
      }
    }
  }

  /** Prompts share nothing, as in the recorded run. */
  private static int[] prompt(int request, int tokens) {
    final int[] prompt = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      prompt[i] = (request * 7_919 + i) % 100_000;
    }
    return prompt;
  }

  private static double meanError(
      List<Pair> pairs, ToDoubleFunction<Pair> simulated, ToDoubleFunction<Pair> measured) {
    return pairs.stream().mapToDouble(simulated).sum() / pairs.stream().mapToDouble(measured).sum()
        - 1;
  }

  private static List<Pair> read(VirtualClock clock) throws IOException {
    final List<JsonNode> rows =
        Files.readAllLines(existing(RUN).resolve("requests.jsonl")).stream()
            .map(line -> JsonMapper.shared().readTree(line))
            .toList();
    final double startS =
        rows.stream()
            .mapToDouble(row -> row.path("arrival_time").doubleValue())
            .min()
            .orElseThrow();
    return rows.stream()
        .map(row -> new Pair(row, startS, clock))
        .sorted(Comparator.comparingLong(pair -> pair.arrivalNs))
        .toList();
  }

  private static Path existing(String name) {
    final Path folder = directory().resolve(name);
    assumeTrue(
        Files.isDirectory(folder),
        () ->
            "not tested with the recorded run of vLLM: give the parent of "
                + name
                + " by -Dheadway.profiles=DIR");
    return folder;
  }

  /** Maven runs tests in the module's directory, an editor perhaps in the repository's root. */
  static Path directory() {
    final String given = System.getProperty("headway.profiles");
    if (given != null) {
      return Path.of(given);
    }
    final Path fromModule = Path.of("..", "..", "shared", "profiles");
    return Files.isDirectory(fromModule) ? fromModule : Path.of("..", "shared", "profiles");
  }
}
