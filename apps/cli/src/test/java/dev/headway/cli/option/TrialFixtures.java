package dev.headway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;

/** The files that trials name in braces, made by the program itself where it makes such files. */
final class TrialFixtures {

  private static final String LLAMA_8B =
      """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
       "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192,
       "torch_dtype": "bfloat16"}
      """;

  private static final String OWN_DEVICE =
      """
      {"gpus": {"own": {"tflops_fp32": 10, "tflops_bf16": 100, "memory_gib": 40.0,
       "memory_gb_per_s": 1000, "link_gb_per_s_one_way": 0, "source": "this test"}}}
      """;

  private static final Path KERNELS =
      Path.of("..", "..", "sdk-simulation", "src", "test", "resources", "kernels");

  private static final String MIXTURE =
      """
      {"model_type": "qwen3_moe", "num_hidden_layers": 4, "hidden_size": 1024,
       "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 32000,
       "intermediate_size": 2048, "moe_intermediate_size": 512, "num_experts": 32,
       "num_experts_per_tok": 4, "torch_dtype": "bfloat16"}
      """;

  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  private static final String PLAN =
      """
      load: chatbot(rate=60,requests=12)
      grid:
        max-num-seqs: [2, 8]
      """;

  private final Path folder;
  private final Map<String, String> values = new LinkedHashMap<>();

  private TrialFixtures(Path folder) {
    this.folder = folder;
  }

  static TrialFixtures in(Path folder) throws IOException {
    final TrialFixtures made = new TrialFixtures(folder);
    made.file("model", "config.json", LLAMA_8B);
    made.file("mixture", "experts.json", MIXTURE);
    made.file("gpu-table", "own.json", OWN_DEVICE);
    made.file("odd-trace", "odd.csv", "Timestamp,Request tokens,Response tokens\n1,10,5\n2,7,0\n");
    made.values.put("{kernels}", KERNELS.toString());
    made.file("urgent", "urgent.csv", urgent());
    made.file("turns", "turns.csv", turns());
    made.file("favourite", "favourite.csv", favourite());
    made.file(
        "few",
        "few.csv",
        "request_id,arrival_ns,input_tokens,output_tokens,tenant,priority\n"
            + "a,0,5,3,,0\nb,20000000,6,3,,0\nc,60000000,7,3,,0\n");
    made.file(
        "schedule", "schedule.jsonl", "{\"offset_ns\":0,\"prompt_len\":5,\"output_len\":2}\n");
    made.file("workers", "workers.txt", "http://127.0.0.1:9\n");
    made.file("plan", "plan.yaml", PLAN);
    made.file("measured", "measured.csv", measured());
    made.file("failed", "failed.csv", measured() + "failed,70.0,50,5,,\n");
    made.run(
        "replay",
        "chatbot(rate=30,requests=40)",
        "--model",
        made.values.get("{model}"),
        "-o",
        made.path("run"),
        "--reproducible");
    made.values.put("{run}", made.path("run"));
    made.run("simulate", "chatbot(rate=30,requests=40)", "-o", made.path("served"));
    final String served = Files.readString(made.folder.resolve("served").resolve("requests.csv"));
    made.file("served", "served.csv", served);
    made.file("served-failed", "served-failed.csv", served + failed(served));
    made.values.put("{journal}", made.path("run") + "/journal");
    made.run(
        "replay",
        "chatbot(rate=60,requests=40,seed=2)",
        "--reproducible",
        "--num-blocks=120",
        "-o",
        made.path("other"));
    made.values.put("{other}", made.path("other") + "/journal");
    made.run(
        "fit",
        made.values.get("{journal}"),
        "--model",
        made.values.get("{model}"),
        "--form=linear",
        "-o",
        made.path("steps.json"));
    made.values.put("{step-model}", made.path("steps.json"));
    made.twoRuns();
    made.values.put("{stories}", STORIES.toString());
    for (int i = 1; i <= 4; i++) {
      made.values.put("{port-" + i + "}", freePort());
    }
    return made;
  }

  /** A journal of two runs: what a server leaves that was started twice. */
  private void twoRuns() throws IOException {
    final Path two = Files.createDirectory(folder.resolve("two"));
    copy(folder.resolve("run").resolve("journal").resolve("run-000001"), two.resolve("run-000001"));
    copy(
        folder.resolve("other").resolve("journal").resolve("run-000001"),
        two.resolve("run-000002"));
    values.put("{two}", two.toString());
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path each : files.toList()) {
        Files.copy(each, to.resolve(from.relativize(each)));
      }
    }
  }

  /** Every fourth request is more important than those that run by then, by 3. */
  private static String urgent() {
    final StringBuilder rows =
        new StringBuilder("request_id,arrival_ns,input_tokens,output_tokens,tenant,priority\n");
    for (int i = 0; i < 24; i++) {
      rows.append(
          "r-%d,%d,%d,60,t-%d,%d%n"
              .formatted(i, i * 100_000_000L, 90 + i, i % 3, i % 4 == 3 ? 2 : 5));
    }
    return rows.toString();
  }

  /** Four prefixes of 512 tokens in turn, more than a small cache keeps. */
  private static String turns() {
    return prefixed(i -> i % 4);
  }

  /** One prefix comes back, the others never do. */
  private static String favourite() {
    return prefixed(i -> i % 4 < 2 ? 0 : i);
  }

  private static String prefixed(IntUnaryOperator prefix) {
    final StringBuilder rows =
        new StringBuilder(
            "request_id,arrival_ns,input_tokens,output_tokens,tenant,priority,prefix_block_tokens,prefix_blocks\n");
    for (int i = 0; i < 24; i++) {
      rows.append(
          "r-%d,%d,600,20,,0,512,%d%n".formatted(i, i * 300_000_000L, prefix.applyAsInt(i)));
    }
    return rows.toString();
  }

  private static String measured() {
    final StringBuilder rows =
        new StringBuilder("request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s\n");
    for (int i = 0; i < 120; i++) {
      final int input = 50 + 37 * i % 400;
      final int output = 5 + 11 * i % 40;
      final double ttft = 0.02 + 1e-4 * input + 1e-6 * input * (i % 3);
      rows.append(
          "r-%d,%.1f,%d,%d,%.6f,%.6f%n"
              .formatted(i, i * 0.5, input, output, ttft, ttft + 0.007 * (output - 1)));
    }
    return rows.toString();
  }

  /** A row of a request that got no token, under the header of a file. */
  private static String failed(String file) {
    final int columns = file.substring(0, file.indexOf('\n')).split(",", -1).length;
    return "failed,70.0,50,5" + ",".repeat(columns - 4) + "\n";
  }

  private static String freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return String.valueOf(socket.getLocalPort());
    }
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private void file(String key, String name, String text) throws IOException {
    values.put("{" + key + "}", Files.writeString(folder.resolve(name), text).toString());
  }

  private void run(Object... words) {
    final CliRun run = CliRun.of(words);
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  /** These and one more. */
  TrialFixtures with(String name, String value) {
    values.put("{" + name + "}", value);
    return this;
  }

  /** A word with the paths of what it names. */
  String fill(String word) {
    String filled = word;
    for (Map.Entry<String, String> each : values.entrySet()) {
      filled = filled.replace(each.getKey(), each.getValue());
    }
    return filled;
  }
}
