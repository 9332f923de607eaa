package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.EightBitKvFolder;
import dev.headway.executor.model.GptOssFolder;
import dev.headway.executor.model.KvScale;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelWriter;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {

  /** Of Llama-3.1-8B: 8,030,261,248 parameters, 131,072 bytes of KV a token in bf16. */
  private static final String LLAMA_8B =
      """
      {"architectures": ["LlamaForCausalLM"], "vocab_size": 128256, "hidden_size": 4096,
       "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "max_position_embeddings": 131072, "rms_norm_eps": 1e-5,
       "tie_word_embeddings": false}
      """;

  @TempDir private Path folder;

  @Test
  void shouldCountWhatFitsBesideTheWeights() throws IOException {
    Files.writeString(folder.resolve("config.json"), LLAMA_8B);

    final CliRun run = CliRun.of("inspect", folder, "--gpu=h100-sxm", "--gpu=l4");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("LlamaForCausalLM, 8.03 B parameters", "none in this folder")
        .containsPattern("cuda +15\\.0 GiB +128 KiB +256 MiB")
        .containsPattern("vector +15\\.0 GiB +256 KiB +512 MiB")
        .containsPattern("reference +29\\.9 GiB")
        // 0.9 * 79.6 = 71.6 GiB - 14.96 of weights - 1.5 of runtime and graphs - 0.4 of activations
        .containsPattern("h100-sxm +79\\.6 GiB +54\\.7 GiB +218")
        .containsPattern("l4 +22\\.5 GiB +3\\.\\d+ GiB +13")
        .doesNotContain("a100");
  }

  /** (54.7 GiB, 2 * 218 and a half): the others keep floats. */
  @Test
  void shouldCountTwiceTheRequestsOfEightBitKeysAndValues() throws IOException {
    Files.writeString(folder.resolve("config.json"), LLAMA_8B);

    final CliRun run = CliRun.of("inspect", folder, "--gpu=h100-sxm", "--kv-cache-dtype=fp8_e4m3");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("steps of 2,048 tokens, keys and values in fp8 (E4M3), scale 1:")
        .containsPattern("cuda +15\\.0 GiB +64 KiB +128 MiB")
        .containsPattern("vector +15\\.0 GiB +256 KiB +512 MiB")
        .containsPattern("h100-sxm +79\\.6 GiB +54\\.7 GiB +437");
    assertThat(CliRun.of("inspect", folder, "--kv-cache-dtype=auto").out())
        .isEqualTo(CliRun.of("inspect", folder).out())
        .contains("keys and values in bf16");
  }

  /** Three layers of 2 x 8 keys and as many values: 96 bytes of a token, or 192 in bf16. */
  @Test
  void shouldFollowTheCheckpointsSchemeOfKeysAndValues() throws IOException {
    write(EightBitKvFolder.ASKS_FOR_IT);

    final CliRun auto = CliRun.of("inspect", folder, "--gpu=l4");
    final CliRun other = CliRun.of("inspect", folder, "--gpu=l4", "--kv-cache-dtype=bfloat16");

    assertThat(auto.exitCode()).as(auto.err()).isZero();
    assertThat(auto.out())
        .contains(
            "8-bit KV     asked for by kv_cache_scheme, with scales for all 3 layers: keys 0.5 to"
                + " 2.0, values 0.25",
            "keys and values in fp8 (E4M3), by scales of the checkpoint:")
        .containsPattern("cuda +\\S+ KiB +96 B");
    assertThat(other.out())
        .contains("keys and values in bf16:", "8-bit KV     asked for")
        .containsPattern("cuda +\\S+ KiB +192 B");
  }

  @Test
  void shouldSayWhichSchemeOfKeysAndValuesNoDeviceHas() throws IOException {
    write(EightBitKvFolder.ASKS_FOR_IT.replace("\"float\"", "\"int\""));

    final CliRun auto = CliRun.of("inspect", folder, "--gpu=l4");
    final CliRun other = CliRun.of("inspect", folder, "--gpu=l4", "--kv-cache-dtype=bfloat16");

    assertThat(auto.exitCode()).as("the CPU runs it").isZero();
    assertThat(auto.out())
        .contains(
            "cuda             cannot run it: kv_cache_scheme must be of eight-bit floats with one",
            "; --kv-cache-dtype bfloat16 keeps keys and values as they are computed");
    assertThat(other.out()).contains("keys and values in bf16:");
  }

  private void write(String quantization) throws IOException {
    final ModelConfig tiny =
        ModelConfig.builder(ModelFamily.LLAMA)
            .vocabularySize(50)
            .hiddenSize(32)
            .intermediateSize(32)
            .layers(3)
            .attention(new AttentionShape(4, 2, 8))
            .maxPositions(64)
            .build();
    final List<KvScale> scales =
        List.of(new KvScale(0.5f, 0.25f), new KvScale(2, 0.25f), new KvScale(1, 0.25f));
    EightBitKvFolder.write(
        Model.random(tiny, 1), folder, quantization, EightBitKvFolder.named(scales));
  }

  /** 655,360 weights in matrices, 32,768 in embedding and head, 768 in norms, 11 scales. */
  @Test
  void shouldCountAByteForEachEightBitFloat() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"architectures": ["LlamaForCausalLM"], "vocab_size": 64, "hidden_size": 256,
         "intermediate_size": 512, "num_hidden_layers": 1, "num_attention_heads": 4,
         "num_key_value_heads": 4, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
         "tie_word_embeddings": false,
         "quantization_config": {"quant_method": "fp8", "activation_scheme": "dynamic"}}
        """);
    writeEightBitFloats(folder.resolve("model.safetensors"));

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "640 KiB in E4M3",
            "8-bit inputs asks for inputs of 7 matrices in fp8_e4m3, per token: serve --precision"
                + " quantized on a device of compute capability 8.9 or newer")
        .containsPattern("cuda +70[67](\\.\\d+)? KiB +1 KiB");
  }

  /** 110,592 weights of experts; beside them 79,276 bytes, and what lies between tensors. */
  @Test
  void shouldCountFourBitsAndAPartOfAScaleForEachWeightInMxfp4() throws IOException {
    new GptOssFolder(3).write(folder);

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("54 KiB in MXFP4").containsPattern("cuda +144 KiB");
  }

  @Test
  void shouldSayWhyInputsStayAsTheyAre() throws IOException {
    final ModelConfig mixture = TestModels.tiny(ModelFamily.QWEN3_MOE);
    QuantizedModel.TENSORS_DYNAMIC.write(Model.random(mixture, 1), folder);

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "matrices in fp8_e4m3, per token: left as they are, since experts must not have their"
                + " inputs rounded for --precision quantized, which has no kernels for them:"
                + " tensor=model.layers.0.mlp.experts.0.gate_proj.weight; --precision bfloat16 leaves"
                + " inputs as they are");
  }

  /** All zeros. */
  private static void writeEightBitFloats(Path file) throws IOException {
    final StringBuilder header = new StringBuilder("{");
    int end = add(header, 0, "model.embed_tokens.weight", "BF16", 64, 256);
    end = add(header, end, "lm_head.weight", "BF16", 64, 256);
    end = add(header, end, "model.norm.weight", "BF16", 256);
    for (String norm : List.of("input_layernorm", "post_attention_layernorm")) {
      end = add(header, end, "model.layers.0." + norm + ".weight", "BF16", 256);
    }
    for (String name : List.of("q", "k", "v", "o")) {
      end = addMatrix(header, end, "self_attn." + name + "_proj", 256, 256);
    }
    end = addMatrix(header, end, "mlp.gate_proj", 512, 256);
    end = addMatrix(header, end, "mlp.up_proj", 512, 256);
    end = addMatrix(header, end, "mlp.down_proj", 256, 512);
    header.setCharAt(header.length() - 1, '}');
    final byte[] json = header.toString().getBytes(StandardCharsets.UTF_8);
    Files.write(
        file,
        ByteBuffer.allocate(8 + json.length + end)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(json.length)
            .put(json)
            .array());
  }

  private static int addMatrix(
      StringBuilder header, int begin, String name, int rows, int columns) {
    final String module = "model.layers.0." + name;
    final int end = add(header, begin, module + ".weight", "F8_E4M3", rows, columns);
    return add(header, end, module + ".weight_scale", "F32", 1);
  }

  private static int add(StringBuilder header, int begin, String name, String dtype, int... shape) {
    final int bytes = dtype.equals("F32") ? 4 : dtype.equals("BF16") ? 2 : 1;
    final int end = begin + bytes * IntStream.of(shape).reduce(1, (a, b) -> a * b);
    header.append(
        String.format(
            Locale.ROOT,
            "\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]},",
            name,
            dtype,
            Arrays.toString(shape),
            begin,
            end));
    return end;
  }

  @Test
  void shouldSayWhatADeviceLacks() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        LLAMA_8B.replace("\"num_hidden_layers\": 32", "\"num_hidden_layers\": 64"));

    final CliRun run = CliRun.of("inspect", folder, "--gpu=l4");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).containsPattern("l4 +22\\.5 GiB +lacks \\d");
  }

  @Test
  void shouldSayWhyAnExecutorCannotRunTheModel() throws IOException {
    final ModelConfig heads =
        ModelConfig.builder(ModelFamily.LLAMA)
            .vocabularySize(50)
            .hiddenSize(48)
            .intermediateSize(32)
            .layers(1)
            .attention(new AttentionShape(2, 2, 24))
            .maxPositions(64)
            .build();
    try (Model model = Model.random(heads, 1)) {
      ModelWriter.write(model, folder);
    }

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains(
            "in BF16", "of 64 tokens", "cuda             cannot run it: headDim must be one of")
        .containsPattern("vector +\\d")
        .doesNotContain("on one device");
  }

  @Test
  void shouldSayWhatATokenHasOfTheExperts() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        LLAMA_8B
            .replace("LlamaForCausalLM", "MixtralForCausalLM")
            .replaceFirst("\\{", "{\"num_local_experts\": 8, \"num_experts_per_tok\": 2, "));

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("8 experts of 14,336 in 32 layers, a token has 2");
  }

  /** 32,767 tokens more have 4 x 2 x 2 x 14,336 numbers of two bytes each: 14.0 GiB. */
  @Test
  void shouldLeaveMemoryToAllExpertsOfAToken() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        LLAMA_8B
            .replace("LlamaForCausalLM", "MixtralForCausalLM")
            .replaceFirst("\\{", "{\"num_local_experts\": 8, \"num_experts_per_tok\": 2, "));

    assertThat(cacheGib(1) - cacheGib(32_768)).isCloseTo(14.0, within(0.11));
  }

  private double cacheGib(int tokens) {
    final CliRun run =
        CliRun.of("inspect", folder, "--gpu=h200-sxm", "--max-num-batched-tokens=" + tokens);
    final Matcher cache = Pattern.compile("h200-sxm +\\S+ GiB +(\\S+) GiB").matcher(run.out());
    assertThat(cache.find()).as(run.out()).isTrue();
    return Double.parseDouble(cache.group(1));
  }

  /** Gemma 3 1B: a request has the whole context in four layers of 26. */
  @Test
  void shouldSayThatADeviceRunsWindowsAndGemma() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "hidden_size": 1152,
         "intermediate_size": 6912, "num_hidden_layers": 26, "num_attention_heads": 4,
         "num_key_value_heads": 1, "head_dim": 256, "vocab_size": 262144,
         "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "rope_theta": 1000000,
         "rope_local_base_freq": 10000, "sliding_window": 512, "sliding_window_pattern": 6,
         "query_pre_attn_scalar": 256, "hidden_activation": "gelu_pytorch_tanh",
         "tie_word_embeddings": true, "torch_dtype": "bfloat16"}
        """);

    final CliRun run = CliRun.of("inspect", folder, "--gpu=l4");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern("cuda +1\\.86 GiB")
        .containsPattern("l4 +22\\.5 GiB +\\d");
  }

  @Test
  void shouldRefuseWhatNoExecutorReads() throws IOException {
    Files.writeString(
        folder.resolve("config.json"), LLAMA_8B.replace("LlamaForCausalLM", "MambaForCausalLM"));

    final CliRun run = CliRun.of("inspect", folder);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("architecture MambaForCausalLM is not supported");
  }

  @Test
  void shouldTakeAGgufFile() {
    final CliRun run =
        CliRun.of(
            "inspect",
            Path.of(
                "..", "..", "sdk-executor-host/src/test/resources/fuzz/GgufFuzzTest/qwen3.gguf"));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("Qwen3ForCausalLM", "in F16", "none: headway serve needs a tokenizer.json");
  }

  @Test
  void shouldRefuseWhatIsNoRequestAndNoDevice() throws IOException {
    Files.writeString(folder.resolve("config.json"), LLAMA_8B);

    final CliRun longer = CliRun.of("inspect", folder, "--request-tokens=131073");
    final CliRun other = CliRun.of("inspect", folder, "--gpu=mi300x");
    final CliRun none = CliRun.of("inspect", folder.resolve("none"));

    assertThat(longer.exitCode()).isEqualTo(2);
    assertThat(longer.err()).contains("within the model's context of 131072 tokens");
    assertThat(other.exitCode()).isEqualTo(2);
    assertThat(other.err()).contains("a device that CUDA runs on");
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("must be a folder or a .gguf file that exists");
  }
}
