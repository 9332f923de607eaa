package dev.headway.cli.load;

import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.workload.generated.LoadFiles;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The settings of a server of vLLM that LLMServingSim recorded: {@code meta.json} beside {@code
 * requests.jsonl}, and {@code config.json} there or one folder above. What vLLM resolved counts
 * before what it was asked for; what is in neither has no option. The GPU is that of the built-in
 * catalogue with the name, and the link that of {@code config.json}: {@code link_bw} in GiB/s and
 * {@code link_latency} in ns, as ASTRA-Sim counts them.
 */
final class RecordedServer {

  private static final String META = "meta.json";
  private static final String CLUSTER = "config.json";
  private static final BigDecimal BYTES_PER_GIB = BigDecimal.valueOf(1L << 30);
  private static final JsonNode MISSING = JsonMapper.shared().missingNode();

  /** Arguments that say nothing of how long steps take or what is planned. */
  private static final Set<String> WITHOUT_EFFECT = Set.of("model", "seed");

  private final JsonNode asked;
  private final JsonNode resolved;
  private final JsonNode kvCache;
  private final Set<String> read = new HashSet<>(WITHOUT_EFFECT);
  private final Map<String, String> options = new LinkedHashMap<>();
  private final Map<String, String> ofModel = new LinkedHashMap<>();
  private final Map<String, String> notTaken = new TreeMap<>();
  private final Map<String, String> ranOn = new LinkedHashMap<>();

  private RecordedServer(JsonNode meta) {
    asked = meta.path("engine_kwargs");
    resolved = meta.path("resolved_config");
    kvCache = meta.path("kv_cache");
  }

  /**
   * The settings of a recorded run.
   *
   * @param load its folder, or its requests
   * @return {@link RecordedSettings#NONE} if there are none
   * @throws IOException if they cannot be read; names the file
   */
  static RecordedSettings settings(Path load) throws IOException {
    final @Nullable Path folder = folderOf(load);
    final JsonNode meta = folder == null ? MISSING : read(folder.resolve(META));
    if (folder == null || !meta.path("engine_kwargs").isObject()) {
      return RecordedSettings.NONE;
    }
    final RecordedServer server = new RecordedServer(meta);
    server.take(meta, read(clusterOf(folder)));
    return new RecordedSettings(
        META, server.options, server.ofModel, server.notTaken, server.ranOn);
  }

  private static @Nullable Path folderOf(Path load) {
    final Path folder = Files.isDirectory(load) ? load : load.toAbsolutePath().getParent();
    final boolean isOne =
        folder != null
            && Files.isRegularFile(folder.resolve(META))
            && Files.isRegularFile(folder.resolve(LoadFiles.RECORDED_REQUESTS))
            && (Files.isDirectory(load) || load.endsWith(LoadFiles.RECORDED_REQUESTS));
    return isOne ? folder : null;
  }

  private static Path clusterOf(Path folder) {
    final Path here = folder.resolve(CLUSTER);
    final Path above = folder.toAbsolutePath().normalize().getParent();
    return Files.isRegularFile(here) || above == null ? here : above.resolve(CLUSTER);
  }

  private static JsonNode read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return MISSING;
    }
    try {
      return JsonMapper.shared().readTree(Files.readAllBytes(file));
    } catch (JacksonException e) {
      throw new IOException(file + " must be JSON: " + e.getOriginalMessage(), e);
    }
  }

  private void take(JsonNode meta, JsonNode cluster) {
    put(options, "max-num-seqs", "scheduler_config", "max_num_seqs");
    put(options, "max-num-batched-tokens", "scheduler_config", "max_num_batched_tokens");
    put(options, "max-model-len", "model_config", "max_model_len");
    put(options, "max-num-scheduled-tokens", "scheduler_config", "max_num_scheduled_tokens");
    put(
        options,
        "long-prefill-token-threshold",
        "scheduler_config",
        "long_prefill_token_threshold");
    put(options, "block-size", "cache_config", "block_size");
    put(options, "num-blocks", "cache_config", "num_gpu_blocks");
    flag(options, "no-prefix-caching", "cache_config", "enable_prefix_caching", false);
    flag(options, "no-chunked-prefill", "scheduler_config", "enable_chunked_prefill", false);
    flag(options, "no-full-sequence-gate", "scheduler_config", "scheduler_reserve_full_isl", false);
    flag(options, "async-scheduling", "scheduler_config", "async_scheduling", true);
    if (value("scheduler_config", "policy").asString("").equals("priority")) {
      options.put("policy", "priority");
    }
    put(ofModel, "tensor-parallel-size", "parallel_config", "tensor_parallel_size");
    put(ofModel, "data-parallel-size", "parallel_config", "data_parallel_size");
    flag(ofModel, "enable-expert-parallel", "parallel_config", "enable_expert_parallel", true);
    flag(ofModel, "enforce-eager", "model_config", "enforce_eager", true);
    if (!options.containsKey("num-blocks")) {
      put(ofModel, "gpu-memory-utilization", "cache_config", "gpu_memory_utilization");
    }
    read.add("gpu_memory_utilization");
    takeDevice(meta, cluster);
    unlike("pipeline_parallel_size", "parallel_config", "1");
    unlike(
        "dtype", "model_config", "auto", "bfloat16", "float16", "torch.bfloat16", "torch.float16");
    takeKvCacheDtype();
    unlike("quantization", "model_config");
    noteTheRest();
  }

  private void takeKvCacheDtype() {
    final String dtype = value("cache_config", "kv_cache_dtype").asString("auto");
    if (List.of("bfloat16", "fp8", "fp8_e4m3").contains(dtype)) {
      ofModel.put("kv-cache-dtype", dtype);
    } else {
      unlike("kv_cache_dtype", "cache_config", "auto");
    }
  }

  private void takeDevice(JsonNode meta, JsonNode cluster) {
    final String model = meta.path("model").asString(asked.path("model").asString(""));
    if (!model.isEmpty()) {
      ranOn.put("model", model);
    }
    final JsonNode instance = cluster.path("nodes").path(0).path("instances").path(0);
    final String device =
        meta.path("hardware").path("device_name").asString(instance.path("hardware").asString(""));
    final String gpu = gpuOf(device);
    if (!gpu.isEmpty()) {
      ofModel.put("gpu", gpu);
    } else if (!device.isEmpty()) {
      ranOn.put("hardware", device);
    }
    final boolean isShared =
        !"1".equals(ofModel.getOrDefault("tensor-parallel-size", "1"))
            || !"1".equals(ofModel.getOrDefault("data-parallel-size", "1"));
    final JsonNode bandwidth = cluster.path("link_bw");
    if (isShared && bandwidth.isNumber()) {
      ofModel.put(
          "link-gb-per-s", text(bandwidth.decimalValue().multiply(BYTES_PER_GIB).movePointLeft(9)));
      ofModel.put("link-us", text(cluster.path("link_latency").asDecimal().movePointLeft(3)));
    }
  }

  private static String text(BigDecimal value) {
    return value.stripTrailingZeros().toPlainString();
  }

  /** The device of the catalogue whose name is in another; the longest, or "" if there is none. */
  private static String gpuOf(String device) {
    final String wanted = letters(device);
    return GpuCatalog.builtIn().names().stream()
        .filter(name -> wanted.contains(letters(name)))
        .max(Comparator.comparingInt(String::length))
        .orElse("");
  }

  private static String letters(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  /** What vLLM resolved, else what it was asked for. */
  private JsonNode value(String section, String name) {
    read.add(name);
    for (JsonNode each : List.of(resolved.path(section), kvCache, asked)) {
      if (each.hasNonNull(name)) {
        return each.path(name);
      }
    }
    return MISSING;
  }

  private void put(Map<String, String> to, String option, String section, String name) {
    final JsonNode value = value(section, name);
    if (value.isNumber()) {
      to.put(option, text(value.decimalValue()));
    }
  }

  private void flag(
      Map<String, String> to, String option, String section, String name, boolean when) {
    final JsonNode value = value(section, name);
    if (value.isBoolean() && value.booleanValue() == when) {
      to.put(option, "true");
    }
  }

  /** Notes a setting that no option has, unless it is one of those that make no difference. */
  private void unlike(String name, String section, String... usual) {
    final JsonNode value = value(section, name);
    if (!value.isMissingNode() && !List.of(usual).contains(value.asString(""))) {
      notTaken.put(name, value.asString(value.toString()));
    }
  }

  /** What the server was asked for beyond all this. */
  private void noteTheRest() {
    for (Map.Entry<String, JsonNode> each : asked.properties()) {
      if (!read.contains(each.getKey()) && !each.getValue().isNull()) {
        notTaken.put(each.getKey(), each.getValue().asString(each.getValue().toString()));
      }
    }
    if (resolved.path("speculative_config").isObject()) {
      notTaken.put("speculative_config", "set");
    }
  }
}
