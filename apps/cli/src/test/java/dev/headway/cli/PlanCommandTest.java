package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanCommandTest {

  private static final String LOAD =
      "generated(rate=20,requests=200,seed=3,input=uniform:50:400,output=constant:50)";

  private static final String LLAMA_8B =
      """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
       "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192,
       "torch_dtype": "bfloat16"}
      """;

  @TempDir private Path dir;
  private Path model;
  private Path csv;

  @BeforeEach
  void makeModel() throws IOException {
    model = Files.writeString(dir.resolve("config.json"), LLAMA_8B);
    csv = dir.resolve("plan.csv");
  }

  private CliRun plan(String load, String... more) {
    final List<Object> words =
        new ArrayList<>(List.of("plan", load, "--model", model, "-o", csv, "--overwrite"));
    words.addAll(List.of(more));
    return CliRun.of(words.toArray());
  }

  private List<Map<String, String>> rows() throws IOException {
    return CsvReader.rows(csv);
  }

  private static double number(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  @Test
  void shouldNameTheCheapestThatKeepsToTheLimits() throws IOException {
    final CliRun run =
        plan(
            LOAD,
            "--gpu",
            "h100-sxm,l40s",
            "--instances",
            "1,2",
            "--price",
            "h100-sxm=2.5,l40s=0.75",
            "--request-rate",
            "30");

    assertThat(run.exitCode()).as(run.err()).isZero();
    final List<Map<String, String>> rows = rows();
    final Map<String, String> cheapest =
        rows.stream()
            .filter(row -> row.get("meets_limits").equals("1"))
            .reduce((a, b) -> number(a, "cost_per_hour") <= number(b, "cost_per_hour") ? a : b)
            .orElseThrow();
    assertThat(cheapest.get("gpu")).isEqualTo("l40s");
    assertThat(cheapest.get("devices")).isEqualTo("1");
    // 0.75 an hour for 30 requests of 50 tokens in a second
    assertThat(number(cheapest, "cost_per_million_output_tokens"))
        .isCloseTo(0.75 * 1e6 / (30 * 50 * 3_600), within(1e-9));
    assertThat(run.out())
        .contains(
            "cheapest that keeps to the limits at 30.0 requests/s: 1 x l40s, TP 1, 1 instance",
            "$0.750 per hour, $0.139 per million output tokens",
            "per device and hour: h100-sxm $2.50, l40s $0.750",
            "a roofline of the device's peaks, not the line that simulate takes without"
                + " --model; no interval is known");
  }

  /** What a plan says of a rate is what a simulation of that rate says. */
  @Test
  void shouldSayWhatASimulationSays() throws IOException {
    plan(LOAD, "--instances", "2", "--router", "round-robin", "--gpu", "l40s");
    CliRun.of(
        "simulate",
        LOAD,
        "--model",
        model,
        "--gpu",
        "l40s",
        "--instances",
        2,
        "--router",
        "round-robin",
        "-o",
        dir.resolve("run"));

    final String summary = Files.readString(dir.resolve("run/summary.json"));
    final Map<String, String> row = rows().getFirst();
    assertThat(number(row, "ttft_ns")).isCloseTo(figure(summary, "ttft_p99"), within(1.0));
    assertThat(number(row, "e2e_ns")).isCloseTo(figure(summary, "e2e_p99"), within(1.0));
  }

  private static double figure(String json, String name) {
    final Matcher value =
        Pattern.compile("\"" + name + "\"[^}]*?\"value\"\\s*:\\s*([0-9.E]+)").matcher(json);
    assertThat(value.find()).as("%s in %s", name, json).isTrue();
    return Double.parseDouble(value.group(1));
  }

  @Test
  void shouldCountDeviceHoursWithoutPrices() throws IOException {
    final CliRun run = plan(LOAD, "-tp", "1,2");

    assertThat(run.out())
        .contains("1 device-hour per hour", "no prices were given: costs are device-hours");
    assertThat(rows()).extracting(row -> row.get("cost_per_hour")).containsExactly("1", "2");
    assertThat(rows()).extracting(row -> row.get("cost_unit")).containsOnly("device-hours");
  }

  @Test
  void shouldTakePricesFromATableOfDevices() throws IOException {
    final Path table =
        Files.writeString(
            dir.resolve("gpus.json"),
            """
            {"gpus": {"own": {"tflops_bf16": 400, "memory_gib": 40.0, "memory_gb_per_s": 1500,
             "link_gb_per_s_one_way": 0, "price_per_gpu_hour": 1.25}}}
            """);

    assertThat(plan(LOAD, "--gpu", "own", "--gpu-table", table.toString()).exitCode()).isZero();
    assertThat(rows().getFirst().get("cost_per_hour")).isEqualTo("1.25");

    plan(LOAD, "--gpu", "own", "--gpu-table", table.toString(), "--price", "own=2");
    assertThat(rows().getFirst().get("cost_per_hour")).isEqualTo("2");
  }

  @Test
  void shouldLeaveOutWhatDoesNotFitInWords() throws IOException {
    final CliRun run =
        plan(LOAD, "--gpu", "h100-sxm", "-tp", "1,3", "--gpu-memory-utilization", "0.2");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.out())
        .contains(
            "no configuration can serve: ",
            "weights of 15.0 GiB per device leave no room for a KV cache in the 15.9 GiB of h100-sxm"
                + " that may be used with TP 1: 1 left out",
            "tensor parallelism must divide the attention heads");
    assertThat(rows()).extracting(row -> row.get("stage")).containsOnly("left-out");
  }

  /** Of which attention reads half the bytes. */
  @Test
  void shouldPlanWithKeysAndValuesOfEightBits() throws IOException {
    plan(LOAD, "--request-rate", "10");
    final double usual = number(rows().getFirst(), "tpot_ns");

    plan(LOAD, "--request-rate", "10", "--policy", "engine(kv-cache-dtype=fp8)");

    assertThat(number(rows().getFirst(), "tpot_ns")).isLessThan(usual);
  }

  @Test
  void shouldEndWithFourAndNameTheNearestWhereNoneKeepsToTheLimits() throws IOException {
    final CliRun run = plan(LOAD, "--slo-tpot", "1");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.out())
        .contains(
            "no configuration keeps to the limits at",
            "nearest: 1 x h100-sxm, TP 1, 1 instance",
            "p99 of the TPOT is",
            "no rate is within the limits, limited by TPOT");
    assertThat(rows().getFirst().get("worst_limit")).isEqualTo("tpot");
    assertThat(number(rows().getFirst(), "worst_ratio")).isGreaterThan(4);
  }

  /** All steps half as long, or twice as long: the rates are on either side. */
  @Test
  void shouldSayTheRateWithTheIntervalOfAFittedModel() throws IOException {
    final Path steps = fitted();

    final CliRun run =
        plan(LOAD, "--gpu", "h100-sxm,l40s", "--step-model", "h100-sxm=" + steps, "--slo-ttft=100");

    assertThat(run.exitCode()).as(run.err()).isZero();
    final Map<String, String> fitted = rows().getFirst();
    assertThat(number(fitted, "max_rate_low")).isLessThan(number(fitted, "max_rate"));
    assertThat(number(fitted, "max_rate_high")).isGreaterThan(number(fitted, "max_rate"));
    assertThat(number(fitted, "cost_per_million_output_tokens_low"))
        .isLessThan(number(fitted, "cost_per_million_output_tokens_at_max_rate"));
    assertThat(fitted.get("step_times")).isEqualTo("fitted");
    assertThat(rows().getLast().get("step_times")).isEqualTo("roofline");
    assertThat(rows().getLast().get("max_rate_low")).isEmpty();
    assertThat(run.out())
        .contains(
            "nine in ten measured steps against it: decode -50 % to +100 %, prefill -50 % to +100"
                + " %, mixed -50 % to +100 %",
            "l40s, TP 1: a roofline of the device's peaks, not the line that simulate takes without"
                + " --model; no interval is known");
    assertThat(run.out()).doesNotContain("it was not fitted on this");
  }

  @Test
  void shouldSayThatAnIntervalIsOfAnotherNumberOfDevices() throws IOException {
    final CliRun run = plan(LOAD, "--step-model", fitted().toString(), "-tp", "2");

    assertThat(run.out())
        .contains("carried over by shares of the peaks, how far they are off is not known");
  }

  private Path fitted() throws IOException {
    CliRun.of(
        "replay", "chatbot(rate=30,requests=80)", "--model", model, "-o", dir.resolve("recorded"));
    final Path steps = dir.resolve("steps.json");
    final CliRun fit =
        CliRun.of("fit", dir.resolve("recorded/journal"), "--model", model, "-o", steps);
    assertThat(fit.exitCode()).as(fit.err()).isZero();
    final String band = "{\"p5\": 0.5, \"p95\": 2.0}";
    final String banded =
        Files.readString(steps)
            .replaceFirst(
                "(\"measured_over_predicted\"\\s*:\\s*)\\{(?:[^{}]|\\{[^{}]*\\})*\\}",
                "$1{\"decode\": %1$s, \"prefill\": %1$s, \"mixed\": %1$s}".replace("%1$s", band));
    return Files.writeString(steps, banded);
  }

  @Test
  void shouldMakeAPageThatEqualRunsMakeEqual() throws IOException {
    final Path first = dir.resolve("a.html");
    final Path second = dir.resolve("b.html");
    final String[] axes = {"-tp", "1,2", "--max-num-seqs", "16,256", "--slo-e2e", "4000", "--html"};

    final CliRun run = plan(LOAD, with(axes, first));
    final byte[] rows = Files.readAllBytes(csv);
    plan(LOAD, with(axes, second));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(second).hasSameBinaryContentAs(first);
    assertThat(Files.readAllBytes(csv)).isEqualTo(rows);
    assertThat(first)
        .content()
        .contains("Cheapest that keeps to the limits", "TTFT p99", "E2E p99", "What it rests on");
  }

  private static String[] with(String[] words, Path last) {
    final List<String> all = new ArrayList<>(List.of(words));
    all.add(last.toString());
    return all.toArray(new String[0]);
  }

  @Test
  void shouldSayWhereTheLoadIsTooShort() {
    assertThat(plan(LOAD, "--request-rate", "20").out())
        .contains(
            "rates above 5.00 requests/s may be overstated, the wanted one too: the load's 200"
                + " requests last less than 40.0 s then");
    assertThat(plan(LOAD, "--request-rate", "20", "--slo-ttft", "100").out())
        .doesNotContain("the wanted one too");
  }

  @Test
  void shouldRefuseRowsThatAreNoRequestIfStrict() throws IOException {
    final Path odd =
        Files.writeString(
            dir.resolve("odd.csv"),
            "Timestamp,Request tokens,Response tokens\n1,10,5\n2,7,0\n3,7,9\n");

    assertThat(plan(odd.toString()).exitCode()).isZero();
    assertThat(plan(odd.toString(), "--strict").exitCode()).isEqualTo(1);
  }

  @Test
  void shouldSayWhatIsWrong() {
    assertThat(plan(LOAD, "--router", "random").err())
        .contains("--router needs --instances above 1");
    assertThat(plan(LOAD, "--gpu", "h100-sxm,l40s", "--price", "l40s=1").err())
        .contains("--price must be given for each --gpu or for none: without=[h100-sxm]");
    assertThat(plan(LOAD, "--price", "l40s=1").err())
        .contains("--price must be of a --gpu of the plan: --price=l40s, --gpu=[h100-sxm]");
    assertThat(plan(LOAD, "--price", "h100-sxm=-1").err())
        .contains("--price must be finite and > 0: --price=h100-sxm=-1.0");
    assertThat(plan(LOAD, "--gpu", "h100-sxm,l40s", "--step-model", "steps.json").err())
        .contains("--step-model must say of which device it is where there are several");
    assertThat(plan(LOAD, "--step-model", "l40s=steps.json").err())
        .contains("--step-model must be of a --gpu of the plan");
    assertThat(plan(LOAD, "--policy", "engine(max-num-seqs=4)").err())
        .contains("--policy engine(...) sets what headway plan has an option for: [max-num-seqs]");
    assertThat(plan(LOAD, "--instances", "2,2").err())
        .contains("--instances must have each value once: --instances=[2, 2]");
    assertThat(plan(LOAD, "--gpu", "tpu").err()).contains("gpu must be one of");
    assertThat(plan(LOAD, "--instances", "2", "--router", "fastest").err())
        .contains("no routing policy named 'fastest'");
    assertThat(plan("random(requests=5)").err()).contains("a load must have a rate");
    assertThat(CliRun.of("plan", LOAD, "--gpu", "h100-sxm").err())
        .contains("headway plan: --model must be given: the Hugging Face folder");
    assertThat(plan(LOAD, "--slo-ttft", "1").out())
        .contains("; no rate is within the limits, limited by TTFT");
    assertThat(plan(LOAD, "--rate-scale", "2", "--request-rate", "3").err())
        .contains("exclude each other");
  }
}
