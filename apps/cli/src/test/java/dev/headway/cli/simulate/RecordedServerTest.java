package dev.headway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.cli.CsvRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of vLLM in the files that LLMServingSim records, repeated with its own settings. */
class RecordedServerTest {

  private static final String MIXTURE =
      """
      {"model_type": "qwen3_moe", "num_hidden_layers": 4, "hidden_size": 1024,
       "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 32000,
       "intermediate_size": 2048, "moe_intermediate_size": 512, "num_experts": 32,
       "num_experts_per_tok": 4, "torch_dtype": "bfloat16"}
      """;

  private static final String CLUSTER =
      """
      {"link_bw": 16, "link_latency": 20000,
       "nodes": [{"instances": [{"hardware": "RTXPRO6000", "tp_size": 1}]}]}
      """;

  @TempDir private Path dir;

  private Path run;

  @BeforeEach
  void writeRequests() throws IOException {
    run = Files.createDirectories(dir.resolve("Qwen3-30B-A3B/vllm"));
    final StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      rows.append(
          "{\"request_id\": \"bench-%1$d\", \"input_toks\": %2$d, \"output_toks\": 8,"
                  .formatted(i, 100 + 50 * i)
              + " \"arrival_time\": 1777142838.%1$02d, \"queued_ts\": 479748.%1$02d,".formatted(i)
              + " \"scheduled_ts\": 479748.5, \"first_token_ts\": 479749.1,"
              + " \"last_token_ts\": 479750.2}\n");
    }
    Files.writeString(run.resolve("requests.jsonl"), rows);
    Files.writeString(run.resolve("../config.json"), CLUSTER);
    Files.writeString(dir.resolve("config.json"), MIXTURE);
  }

  private void meta(String text) throws IOException {
    Files.writeString(run.resolve("meta.json"), text);
  }

  private CliRun simulate(Object load, Object... more) {
    return run("simulate", load, more);
  }

  private CliRun run(String command, Object load, Object... more) {
    final Object[] words = new Object[more.length + 5];
    System.arraycopy(
        new Object[] {command, load, "--out", dir.resolve("out"), "--overwrite"}, 0, words, 0, 5);
    System.arraycopy(more, 0, words, 5, more.length);
    return CliRun.of(words);
  }

  private static final String ASKED =
      """
      {"model": "Qwen/Qwen3-30B-A3B", "engine_kwargs": {"model": "Qwen/Qwen3-30B-A3B",
       "tensor_parallel_size": 1, "data_parallel_size": 2, "enable_expert_parallel": true,
       "max_num_seqs": 4, "max_num_batched_tokens": 512, "max_model_len": null,
       "dtype": "bfloat16", "kv_cache_dtype": "auto", "seed": 42}}
      """;

  @Test
  void shouldRunTheRanksOfTheRecordedServer() throws IOException {
    meta(ASKED);

    final CliRun of = simulate(run, "--model", dir.resolve("config.json"));

    assertThat(of.exitCode()).as(of.err()).isZero();
    assertThat(of.out())
        .contains(
            "from meta.json: max-num-seqs=4, max-num-batched-tokens=512, tensor-parallel-size=1,"
                + " data-parallel-size=2, enable-expert-parallel=true, gpu=rtx-pro-6000,"
                + " link-gb-per-s=17.179869184, link-us=20",
            "instances     2, requests [6, 6]",
            "model=Qwen/Qwen3-30B-A3B")
        .doesNotContain("not taken");
    assertThat(CsvRows.of(dir.resolve("out/requests.csv")).column("request_id"))
        .contains("bench-0", "bench-11");
    assertThat(CliRun.of("calibrate", run, dir.resolve("out")).out())
        .contains("12 requests matched by id");
    assertThat(run("replay", run, "--model", dir.resolve("config.json")).err())
        .contains("--data-parallel-size must be 1 where one engine is run", "headway simulate");
  }

  @Test
  void shouldPreferWhatTheServerResolvedAndOptionsToBoth() throws IOException {
    meta(
        """
        {"model": "m", "engine_kwargs": {"max_num_seqs": null, "max_num_batched_tokens": 512,
          "data_parallel_size": 1, "pipeline_parallel_size": 2, "swap_space": 4},
         "kv_cache": {"num_gpu_blocks": 300, "block_size": 8, "gpu_memory_utilization": 0.7},
         "resolved_config": {
           "cache_config": {"enable_prefix_caching": false, "cache_dtype": "auto"},
           "model_config": {"max_model_len": 2048, "enforce_eager": true},
           "scheduler_config": {"max_num_seqs": 6, "async_scheduling": true, "policy": "priority",
             "enable_chunked_prefill": true, "scheduler_reserve_full_isl": false}}}
        """);

    final CliRun of =
        simulate(
            run.resolve("requests.jsonl"),
            "--model",
            dir.resolve("config.json"),
            "--block-size",
            16);

    assertThat(of.exitCode()).as(of.err()).isZero();
    assertThat(of.out())
        .contains(
            "from meta.json: max-num-seqs=6, max-num-batched-tokens=512, max-model-len=2048,"
                + " num-blocks=300, no-prefix-caching=true, no-full-sequence-gate=true,"
                + " async-scheduling=true, policy=priority, data-parallel-size=1,"
                + " enforce-eager=true, gpu=rtx-pro-6000\n",
            "not taken     of the settings of meta.json, no option has them:"
                + " pipeline_parallel_size=2, swap_space=4");
  }

  @Test
  void shouldTakeTheEnginesSettingsWithoutAModel() throws IOException {
    meta(ASKED.replace("\"max_num_seqs\": 4", "\"max_num_seqs\": 3"));

    final CliRun of = simulate(run);

    assertThat(of.exitCode()).as(of.err()).isZero();
    assertThat(of.out())
        .contains(
            "from meta.json: max-num-seqs=3, max-num-batched-tokens=512\n",
            "model=Qwen/Qwen3-30B-A3B, tensor-parallel-size=1, data-parallel-size=2");
  }

  @Test
  void shouldTakeTheMemoryAndTheLinkThatOptionsGive() throws IOException {
    meta(
        """
        {"engine_kwargs": {"tensor_parallel_size": 2, "gpu_memory_utilization": 0.5}}
        """);
    final Path model = dir.resolve("config.json");

    assertThat(simulate(run, "--model", model).out())
        .contains("gpu-memory-utilization=0.5", "link-us=20");
    final CliRun own = simulate(run, "--model", model, "--num-blocks", 900, "--link-gb-per-s", 25);
    assertThat(own.exitCode()).as(own.err()).isZero();
    assertThat(own.out()).doesNotContain("gpu-memory-utilization=", "link-");
  }

  @Test
  void shouldKeepKeysAndValuesAsTheServerDid() throws IOException {
    final Path model = dir.resolve("config.json");
    meta("{\"engine_kwargs\": {\"kv_cache_dtype\": \"fp8\"}}");
    assertThat(simulate(run, "--model", model).out())
        .contains("from meta.json: gpu=rtx-pro-6000, kv-cache-dtype=fp8");

    meta("{\"engine_kwargs\": {\"kv_cache_dtype\": \"fp8_e5m2\"}}");
    assertThat(simulate(run, "--model", model).out())
        .contains("no option has them: kv_cache_dtype=fp8_e5m2")
        .doesNotContain("kv-cache-dtype=");
  }

  @Test
  void shouldNameAFileThatIsNoJson() throws IOException {
    meta("{");

    final CliRun of = simulate(run);

    assertThat(of.exitCode()).isOne();
    assertThat(of.err()).contains("meta.json must be JSON");
  }

  @Test
  void shouldReadRequestsWithoutSettings() {
    final CliRun of = simulate(run);

    assertThat(of.exitCode()).as(of.err()).isZero();
    assertThat(of.out()).contains("12 finished").doesNotContain("settings ");
  }
}
