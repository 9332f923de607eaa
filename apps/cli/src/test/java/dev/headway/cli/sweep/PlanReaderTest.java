package dev.headway.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.RandomSample;
import dev.headway.simulation.sweep.SweepAxis.Listed;
import dev.headway.simulation.sweep.SweepAxis.Range;
import dev.headway.simulation.sweep.SweepAxis.Range.Scale;
import dev.headway.simulation.sweep.SweepPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlanReaderTest {

  private static SweepJob read(String text) {
    return SweepJob.of("plan.yaml", text, Path.of("/plans"));
  }

  @Test
  void shouldReadAGrid() {
    final SweepPlan plan =
        read("""
                load: "short-long(requests=100)"
                options:
                  kv-gib: 0.50
                  no-prefix-caching: true
                grid:
                  policy: [fcfs, "vtc(wq=2)+least-computed"]
                  load.rate:
                  - 1.50
                  - 2
                limits: {ttft_ms: 2000, tpot_ms: 50}
                price_per_gpu_hour: {h100-sxm: 2.5, b200-sxm: 5}
                """)
            .plan();

    assertThat(plan)
        .isEqualTo(
            new SweepPlan(
                List.of(
                    new Listed("policy", List.of("fcfs", "vtc(wq=2)+least-computed")),
                    new Listed("load.rate", List.of("1.50", "2"))),
                null,
                null));
  }

  @Test
  void shouldReadARandomSampleAndASearch() {
    final SweepPlan plan =
        read("""
                load: synthetic
                random:
                  samples: 40
                  seed: 9
                  parameters:
                    max-num-seqs: {min: 16, max: 512, scale: log}
                    watermark: {min: 0, max: 0.1}
                    policy: [fcfs, hrrn]
                capacity: {parameter: load.rate, min: 0.5, max: 64, tolerance: 0.02}
                limits: {ttft_ms: 500, tpot_ms: 40, share: 0.9}
                """)
            .plan();

    assertThat(plan)
        .isEqualTo(
            new SweepPlan(
                List.of(
                    new Range("max-num-seqs", "16", "512", Scale.LOG),
                    new Range("watermark", "0", "0.1", Scale.LINEAR),
                    new Listed("policy", List.of("fcfs", "hrrn"))),
                new RandomSample(40, 9),
                new CapacitySearch("load.rate", 0.5, 64, 0.02)));
  }

  @Test
  void shouldReadTheExamplesThatTheGuideShows() throws IOException {
    final Path root = Path.of("..", "..");
    final Path example = root.resolve("examples/sweep.yaml");
    final String text = Files.readString(example);

    assertThat(SweepJob.read(example).plan().cells()).isEqualTo(36);
    assertThat(SweepJob.read(root.resolve("examples/capacity.yaml")).plan().cells()).isEqualTo(6);
    assertThat(Files.readString(root.resolve("site/guide/sweep.md")))
        .contains("```yaml\n" + text.substring(text.indexOf("load:")) + "```\n");
  }

  @Test
  void shouldHaveThePlanWithoutCommentsInItsIdentity() {
    final String grid = "grid: {seed: [1, 2]}\n";

    assertThat(read("# one\nload: synthetic\n" + grid).asJson())
        .isEqualTo(read(grid + "load: 'synthetic'").asJson())
        .isNotEqualTo(read("load: synthetic\ngrid: {seed: [2, 1]}").asJson());
  }

  static Stream<Arguments> wrongPlans() {
    return Stream.of(
        Arguments.of("", "plan.yaml:1: a plan must not be empty; it needs at least load"),
        Arguments.of("- a\n", "plan.yaml:1: a plan must have keys, not a list"),
        Arguments.of(
            "grid:\n  seed: [1]\n",
            "plan.yaml:1: the key load is needed: a trace, or a made-up load"),
        Arguments.of(
            "load: synthetic\ngird:\n  seed: [1]\n",
            "plan.yaml:2: there is no key 'gird'; the nearest: grid"),
        Arguments.of(
            "load: synthetic\noptions:\n  # seats\n  max_num_seq: 4\n",
            "plan.yaml:4: there is no option 'max_num_seq'; the nearest: max-num-seqs"),
        Arguments.of(
            "load: synthetic\ngrid:\n  seed: [1, 2]\n  polcy: [fcfs]\n",
            "plan.yaml:4: there is no option 'polcy'; the nearest: policy"),
        Arguments.of(
            "load: synthetic\ngrid:\n  seed: 1\n",
            "plan.yaml:3: seed must be a list of values; one value for all cells belongs into"
                + " options"),
        Arguments.of(
            "load: synthetic\ngrid:\n  policy: [fcfs, fcfs]\n",
            "plan.yaml:3: policy must have at least one value, and each once: policy=[fcfs, fcfs]"),
        Arguments.of(
            "load: synthetic\ngrid:\n  policy:\n  - fcfs\n  - [a]\n",
            "plan.yaml:5: policy must be a value, not a list"),
        Arguments.of(
            "load: synthetic\nload: azure.csv\n", "plan.yaml:2: a key must be given once: load"),
        Arguments.of(
            "load: &a synthetic\noptions:\n  policy: *a\n",
            "plan.yaml:3: a plan must have no aliases or tags: quote the value if it is one"),
        Arguments.of(
            "load: !!str synthetic\n",
            "plan.yaml:1: a plan must have no aliases or tags: quote the value if it is one"),
        Arguments.of("load:\n", "plan.yaml:1: a value must not be empty"),
        Arguments.of("load: a\n---\nload: b\n", "plan.yaml:3: a plan must be one document"),
        Arguments.of(
            "load: synthetic\noptions: {seed: 4}\ngrid: {seed: [1]}\n",
            "plan.yaml:1: a parameter must be fixed or vary, not both: seed"),
        Arguments.of(
            "load: synthetic\ngrid: {seed: [1]}\nrandom: {samples: 3}\n",
            "plan.yaml:3: a plan must have one of grid and random"),
        Arguments.of(
            "load: synthetic\nrandom:\n  samples: 0\n  parameters: {seed: {min: 1, max: 9}}\n",
            "plan.yaml:3: samples must be a whole number in [1, 1000000]"),
        Arguments.of(
            "load: synthetic\nrandom:\n  samples: many\n",
            "plan.yaml:3: samples must be a number: samples=many"),
        Arguments.of(
            "load: synthetic\nrandom:\n  samples: 3\n  parameters:\n    seed: {min: 1, most: 9}\n",
            "plan.yaml:5: the key max is needed"),
        Arguments.of(
            "load: synthetic\nlimits:\n  share: 0.9\n",
            "plan.yaml:3: limits must have one of the keys ttft_ms and tpot_ms, or both"),
        Arguments.of(
            "load: synthetic\ncapacity: {parameter: load.rate, min: 1, max: 9}\n",
            "plan.yaml:1: capacity needs limits: ttft_ms, tpot_ms or both"),
        Arguments.of(
            "load: synthetic\ncapacity: {parameter: rate, min: 1, max: 9}\n",
            "plan.yaml:2: there is no option 'rate'; the nearest: rate-scale"),
        Arguments.of(
            "load: synthetic\nprice_per_gpu_hour: cheap\n",
            "plan.yaml:2: price_per_gpu_hour must be a number >= 0: price_per_gpu_hour=cheap"));
  }

  @ParameterizedTest
  @MethodSource("wrongPlans")
  void shouldNameTheLineThatIsWrong(String text, String message) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(PlanException.class).hasMessage(message);
  }

  @Test
  void shouldNameTheLineThatIsNotYaml() {
    assertThatThrownBy(() -> read("load: synthetic\ngrid: [\n"))
        .isInstanceOf(PlanException.class)
        .hasMessageMatching("plan\\.yaml:\\d+: this must be YAML: .*");
  }
}
