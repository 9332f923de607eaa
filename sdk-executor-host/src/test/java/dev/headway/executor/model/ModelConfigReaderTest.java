package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.headway.executor.model.ExpertRouting.Scoring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class ModelConfigReaderTest {

  private static final String LLAMA =
      """
      {"architectures": ["LlamaForCausalLM"], "vocab_size": 32, "hidden_size": 8,
       "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
       "max_position_embeddings": 64%s}
      """;

  private static final String QWEN3_MOE =
      """
      {"architectures": ["Qwen3MoeForCausalLM"], "vocab_size": 32, "hidden_size": 8,
       "intermediate_size": 16, "num_hidden_layers": 5, "num_attention_heads": 4,
       "num_key_value_heads": 2, "head_dim": 2, "max_position_embeddings": 64, "num_experts": 4,
       "num_experts_per_tok": 2, "moe_intermediate_size": 6%s}
      """;

  private static final String GLM4_MOE =
      QWEN3_MOE
          .replace("Qwen3Moe", "Glm4Moe")
          .replace("num_experts\"", "n_routed_experts\"")
          .replace("head_dim\": 2", "head_dim\": 8");

  @TempDir Path directory;

  @Test
  void shouldReadStories260K() {
    assertThat(Model.readConfig(TestModels.stories260K()))
        .isEqualTo(
            ModelConfig.builder(ModelFamily.LLAMA)
                .vocabularySize(512)
                .hiddenSize(64)
                .intermediateSize(172)
                .layers(5)
                .attention(new AttentionShape(8, 4, 8))
                .maxPositions(512)
                .outputHead(OutputHead.TIED)
                .eosTokenIds(List.of(2))
                .build());
  }

  @Test
  void shouldReadTheScalingOfLlama31() {
    final ModelConfig config = Model.readConfig(committed("llama-3.1-70b-instruct"));

    assertThat(config.rope())
        .isEqualTo(new RopeConfig(500_000, new RopeScaling.Llama3(8, 1, 4, 8192)));
    assertThat(config.eosTokenIds()).containsExactly(128001, 128008, 128009);
    assertThat(config.parameters()).isEqualTo(70_553_706_496L);
  }

  @Test
  void shouldReadQwen2WhoseWindowIsOff() {
    final ModelConfig config = Model.readConfig(committed("qwen2.5-7b-instruct"));

    assertThat(config.family()).isEqualTo(ModelFamily.QWEN2);
    assertThat(config.attention()).isEqualTo(new AttentionShape(28, 4, 128));
    assertThat(config.parameters()).isEqualTo(7_615_616_512L);
  }

  @Test
  void shouldRefuseAnArchitectureByName() {
    assertThatThrownBy(() -> read(LLAMA.formatted("").replace("Llama", "Gemma")))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(
            "config.json: architecture GemmaForCausalLM is not supported: supported are"
                + " LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM,"
                + " Phi3ForCausalLM, Mistral3ForConditionalGeneration, Qwen3MoeForCausalLM,"
                + " MixtralForCausalLM, Glm4MoeForCausalLM, Gemma3ForCausalLM,"
                + " Gemma3ForConditionalGeneration, GptOssForCausalLM");
  }

  @Test
  void shouldReadTheExpertsOfMixtral() {
    final ModelConfig config = Model.readConfig(committed("mixtral-8x7b-v0.1"));

    assertThat(config.experts())
        .isEqualTo(
            new ExpertsShape(8, 2, 14336, new ExpertRouting(Scoring.SOFTMAX, true), 0, List.of()));
    assertThat(config.parameters()).isEqualTo(46_702_792_704L);
    assertThat(config.denseIntermediateSize()).isZero();
  }

  /** A layer has experts if it is not listed and its number, from 1, is a multiple of the step. */
  @Test
  void shouldReadWhichLayersOfQwen3HaveExperts() throws IOException {
    final String json =
        QWEN3_MOE.formatted(", \"decoder_sparse_step\": 2, \"mlp_only_layers\": [3]");

    final ModelConfig config = read(json);

    assertThat(config.experts())
        .isEqualTo(
            new ExpertsShape(
                4, 2, 6, new ExpertRouting(Scoring.SOFTMAX, false), 0, List.of(0, 2, 3, 4)));
    assertThat(config.expertsIn(1)).isEqualTo(config.experts());
    assertThat(config.expertsIn(3)).isNull();
    assertThat(config.denseIntermediateSize()).isEqualTo(16);
    assertThat(config.qkNorm()).isTrue();
  }

  /** That of all layers, whatever max_window_layers says, which modeling_qwen3_moe.py reads not. */
  @Test
  void shouldReadTheWindowOfMixturesOfExperts() throws IOException {
    final String window = ", \"sliding_window\": 8, \"max_window_layers\": 3%s";
    final String asked = window.formatted(", \"use_sliding_window\": true");

    assertThat(read(QWEN3_MOE.formatted(window.formatted(""))).windows())
        .isEqualTo(LayerWindows.NONE);
    assertThat(read(QWEN3_MOE.formatted(asked)).windows()).isEqualTo(LayerWindows.all(5, 8));
    assertThat(
            read(QWEN3_MOE
                    .formatted(window.formatted(", \"num_local_experts\": 4"))
                    .replace("Qwen3Moe", "Mixtral"))
                .windows())
        .isEqualTo(LayerWindows.all(5, 8));
  }

  @Test
  void shouldReadTheExpertsOfGlm4() throws IOException {
    final ModelConfig config =
        read(
            GLM4_MOE.formatted(
                """
                , "n_shared_experts": 2, "norm_topk_prob": false, "n_group": 2, "topk_group": 1,
                "routed_scaling_factor": 2.5, "first_k_dense_replace": 3, "use_qk_norm": true,
                "attention_bias": true, "num_nextn_predict_layers": 1"""));

    assertThat(config.experts())
        .isEqualTo(
            new ExpertsShape(
                4,
                2,
                6,
                new ExpertRouting(Scoring.SIGMOID, false, 2.5, 2, 1),
                2,
                List.of(0, 1, 2)));
    assertThat(config.biases()).isEqualTo(new ProjectionBiases(true, false, false));
    assertThat(config.qkNorm()).isTrue();
    assertThat(config.denseIntermediateSize()).isEqualTo(16);
  }

  @Test
  void shouldFillInTheDefaultsOfGlm4AndMixtral() throws IOException {
    final ModelConfig glm = read(GLM4_MOE.formatted(""));

    assertThat(glm.experts())
        .isEqualTo(
            new ExpertsShape(4, 2, 6, new ExpertRouting(Scoring.SIGMOID, true), 1, List.of(0)));
    assertThat(glm.rope()).isEqualTo(new RopeConfig(10_000, new RopeScaling.None(), 0.5));
    assertThat(glm.qkNorm()).isFalse();
    assertThat(glm.rmsNormEps()).isEqualTo(1e-5f);
    assertThat(
            read(QWEN3_MOE.formatted(", \"num_local_experts\": 4").replace("Qwen3Moe", "Mixtral"))
                .rope()
                .theta())
        .isEqualTo(1_000_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Qwen3Moe | 'num_experts': 0 | num_experts must be in [1, 1024]: num_experts=0",
        "Qwen3Moe | 'num_experts_per_tok': 5"
            + "| num_experts_per_tok must be in [1, num_experts]: num_experts_per_tok=5,"
            + " num_experts=4",
        "Qwen3Moe | 'decoder_sparse_step': 0"
            + "| decoder_sparse_step must be >= 1: decoder_sparse_step=0",
        "Qwen3Moe | 'mlp_only_layers': 1"
            + "| mlp_only_layers must be a list of integers: mlp_only_layers=1",
        "Qwen3Moe | 'moe_intermediate_size': 0"
            + "| moe_intermediate_size must be >= 1 and n_shared_experts >= 0:"
            + " moe_intermediate_size=0, n_shared_experts=0",
        "Qwen3Moe | 'num_hidden_layers': 10000, 'num_experts': 1000"
            + "| num_hidden_layers * num_experts must be <= 100000: num_hidden_layers=10000,"
            + " num_experts=1000",
        "Glm4Moe | 'scoring_func': 'softmax' | scoring_func must be sigmoid: scoring_func=softmax",
        "Glm4Moe | 'topk_method': 'greedy' | topk_method must be noaux_tc: topk_method=greedy",
        "Glm4Moe | 'first_k_dense_replace': 6"
            + "| first_k_dense_replace must be in [0, num_hidden_layers):"
            + " first_k_dense_replace=6, num_hidden_layers=5",
        "Glm4Moe | 'n_group': 3, 'topk_group': 2"
            + "| n_group must cut num_experts into equal groups of 2 or more, of which topk_group"
            + " have num_experts_per_tok experts: n_group=3, topk_group=2, num_experts=4,"
            + " num_experts_per_tok=2",
        "Glm4Moe | 'topk_group': 2 | topk_group must be in [1, n_group]: topk_group=2, n_group=1",
        "Glm4Moe | 'routed_scaling_factor': 0"
            + "| routed_scaling_factor must be > 0 and finite: routed_scaling_factor=0.0",
        "Glm4Moe | 'n_shared_experts': 0"
            + "| experts must be those that a config.json of Glm4MoeForCausalLM can describe:"
            + " experts=ExpertsShape[experts=4, expertsPerToken=2, intermediateSize=6,"
            + " routing=ExpertRouting[scoring=SIGMOID, renormalise=true, scalingFactor=1.0,"
            + " groups=1, groupsPerToken=1], sharedExperts=0, denseLayers=[0]]"
      },
      quoteCharacter = '`')
  void shouldRefuseExpertsThatItCannotRun(String family, String fields, String reason)
      throws IOException {
    final ObjectNode json =
        (ObjectNode)
            new JsonMapper()
                .readTree((family.equals("Glm4Moe") ? GLM4_MOE : QWEN3_MOE).formatted(""));
    json.setAll((ObjectNode) new JsonMapper().readTree("{" + fields.replace('\'', '"') + "}"));

    assertThatThrownBy(() -> read(json.toString()))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith("config.json: " + reason.strip());
  }

  /** Shapes as published; parameters counted by hand from the cards of the models. */
  @TestFactory
  Stream<DynamicTest> shouldReadPublishedConfigs() {
    return forEachFound(
        """
        codellama-34b-instruct-hf, LLAMA, 48, 64, 8, 128, 1000000, 33743970304
        llama-2-7b-hf, LLAMA, 32, 32, 32, 128, 10000, 6738415616
        llama-3.1-8b-instruct, LLAMA, 32, 32, 8, 128, 500000, 8030261248
        llama-3.1-70b-instruct, LLAMA, 80, 64, 8, 128, 500000, 70553706496
        mixtral-8x7b-v0.1, MIXTRAL, 32, 32, 8, 128, 1000000, 46702792704
        qwen3-30b-a3b, QWEN3_MOE, 48, 32, 4, 128, 1000000, 30532122624
        qwen3-235B-A22B, QWEN3_MOE, 94, 64, 4, 128, 5000000, 235093634560
        mistral-small-3.1-24b-instruct-2503, MISTRAL3, 40, 32, 8, 128, 1000000000, 23572403200
        phi-4-mini-instruct, PHI3, 32, 24, 8, 128, 10000, 3836021760
        mistral-nemo-instruct-2407, MISTRAL, 40, 32, 8, 128, 1000000, 12247782400
        qwen2.5-7b-instruct, QWEN2, 28, 28, 4, 128, 1000000, 7615616512
        qwen3-14b, QWEN3, 40, 40, 8, 128, 1000000, 14768307200
        qwen3-8B, QWEN3, 36, 32, 8, 128, 1000000, 8190735360
        tinystories-656k, LLAMA, 2, 8, 4, 16, 10000, 656000
        yi-34b, LLAMA, 60, 56, 8, 128, 5000000, 34388917248
        """,
        (directory, expected) -> {
          final ModelConfig config = Model.readConfig(directory);

          assertThat(config.family()).isEqualTo(ModelFamily.valueOf(expected[1]));
          assertThat(config.layers()).isEqualTo(Integer.parseInt(expected[2]));
          assertThat(config.attention())
              .isEqualTo(
                  new AttentionShape(
                      Integer.parseInt(expected[3]),
                      Integer.parseInt(expected[4]),
                      Integer.parseInt(expected[5])));
          assertThat(config.rope().theta()).isEqualTo(Double.parseDouble(expected[6]));
          assertThat(config.parameters()).isEqualTo(Long.parseLong(expected[7]));
        });
  }

  @TestFactory
  Stream<DynamicTest> shouldRefuseOtherPublishedConfigs() {
    return forEachFound(
        """
        deepseek-v2-lite, DeepseekV2ForCausalLM
        deepseek_v3, DeepseekV3ForCausalLM
        glm-5.2-fp8, GlmMoeDsaForCausalLM
        llama-4-scout-17b-16e-instruct-fp8-dynamic, Llama4ForConditionalGeneration
        """,
        (directory, expected) ->
            assertThatThrownBy(() -> Model.readConfig(directory))
                .isInstanceOf(ModelFormatException.class)
                .hasMessageContaining("architecture " + expected[1] + " is not supported, since "));
  }

  @ParameterizedTest
  @CsvSource({
    "DeepseekV2ForCausalLM, multi-head latent attention (MLA)",
    "DeepseekV3ForCausalLM, multi-head latent attention (MLA)",
    "GlmMoeDsaForCausalLM, multi-head latent attention (MLA) over chosen keys (DSA)",
    "Llama4ForConditionalGeneration, chunked attention and layers without positions",
    "Qwen2MoeForCausalLM, the gate of its shared expert"
  })
  void shouldSayWhatAnArchitectureHasThatItCannotRun(String architecture, String missing) {
    assertThatThrownBy(() -> read(LLAMA.formatted("").replace("LlamaForCausalLM", architecture)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(
            "config.json: architecture %s is not supported, since %s would have to be computed:"
                + " supported are LlamaForCausalLM,",
            architecture, missing);
  }

  @Test
  void shouldFillInTheDefaultsOfTransformers() throws IOException {
    final ModelConfig config = read(LLAMA.formatted(""));

    assertThat(config.attention()).isEqualTo(new AttentionShape(4, 4, 2));
    assertThat(config.rope()).isEqualTo(new RopeConfig(10_000, new RopeScaling.None()));
    assertThat(config.rmsNormEps()).isEqualTo(1e-6f);
    assertThat(config.outputHead()).isEqualTo(OutputHead.OWN);
    assertThat(config.eosTokenIds()).isEmpty();
  }

  @Test
  void shouldReadBiases() throws IOException {
    assertThat(read(LLAMA.formatted(", \"attention_bias\": true, \"mlp_bias\": true")).biases())
        .isEqualTo(new ProjectionBiases(true, true, true));
    assertThat(read(LLAMA.formatted(", \"attention_bias\": false")).biases())
        .isEqualTo(ProjectionBiases.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "Qwen3, attention_bias, false",
    "Qwen3, mlp_bias, true",
    "Qwen2, attention_bias, true",
    "Mistral, attention_bias, true",
    "Mistral, mlp_bias, true"
  })
  void shouldRefuseBiasesThatTheArchitectureOfTransformersDoesNotHave(
      String family, String bias, boolean refused) throws IOException {
    final String json =
        LLAMA
            .formatted(", \"num_key_value_heads\": 4, \"sliding_window\": null, \"%s\": true")
            .formatted(bias)
            .replace("Llama", family);
    if (refused) {
      assertThatThrownBy(() -> read(json))
          .hasMessageEndingWith(
              ": %s is not supported in %sForCausalLM: %s=true", bias, family, bias);
    } else {
      assertThat(read(json).biases()).isEqualTo(new ProjectionBiases(true, true, false));
    }
  }

  @Test
  void shouldReadTheRopeParametersOfTransformers5() throws IOException {
    final ModelConfig config =
        read(
            LLAMA.formatted(
                ", \"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 4, \"rope_theta\": 7}"));

    assertThat(config.rope()).isEqualTo(new RopeConfig(7, new RopeScaling.Linear(4)));
  }

  /** The defaults of transformers; the context that it reaches is that of vLLM. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Qwen's own instruction: the context in the file stays as it is
        "'factor': 4.0, 'original_max_position_embeddings': 32 | 4 | 32 | 1.138629436111989 | 128",
        // no context of the training: the one in the file is it
        "'factor': 4.0 | 4 | 64 | 1.138629436111989 | 256",
        // no factor: the ratio of the contexts
        "'original_max_position_embeddings': 16 | 4 | 16 | 1.138629436111989 | 64",
        "'factor': 4, 'attention_factor': 0.5 | 4 | 64 | 0.5 | 256",
        "'factor': 4, 'mscale': 1.0, 'mscale_all_dim': 1.0 | 4 | 64 | 1 | 256",
        "'factor': 4, 'mscale': 2.0, 'mscale_all_dim': 1.0 | 4 | 64 | 1.121751143713058 | 256",
        "'factor': 4, 'mscale': 2.0 | 4 | 64 | 1.138629436111989 | 256",
        "'factor': 1.0 | 1 | 64 | 1 | 64"
      },
      quoteCharacter = '`')
  void shouldReadYarn(
      String fields, double factor, int original, double attentionFactor, int maxPositions)
      throws IOException {
    final String json = ", 'rope_scaling': {'rope_type': 'yarn', %s}".formatted(fields);

    final ModelConfig config = read(LLAMA.formatted(json.replace('\'', '"')));

    assertThat(config.rope().scaling())
        .isEqualTo(new RopeScaling.Yarn(factor, attentionFactor, 32, 1, true, original));
    assertThat(config.maxPositions()).isEqualTo(maxPositions);
  }

  @Test
  void shouldReadTheLimitsOfYarnAndTheContextBesideIt() throws IOException {
    final ModelConfig config =
        read(
            LLAMA.formatted(
                """
                , "original_max_position_embeddings": 8, "rope_scaling": {"type": "yarn", "factor": 2,
                "original_max_position_embeddings": 32, "beta_fast": 16, "beta_slow": 2,
                "truncate": false}"""));

    assertThat(config.rope().scaling())
        .isEqualTo(new RopeScaling.Yarn(2, 1 + 0.1 * Math.log(2), 16, 2, false, 8));
  }

  @Test
  void shouldAddTheEndTokensOfTheGenerationConfig() throws IOException {
    Files.writeString(directory.resolve("generation_config.json"), "{\"eos_token_id\": [9, 3, 3]}");

    assertThat(read(LLAMA.formatted(", \"eos_token_id\": 9")).eosTokenIds()).containsExactly(9, 3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 4}"
            + "| rope_type must be default, linear, llama3, yarn or longrope:"
            + " rope_type=dynamic",
        "\"rope_scaling\": {\"rope_type\": \"yarn\"} | rope_scaling.factor must be given",
        "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"mrope_section\": [1]}"
            + "| mrope_section is not supported with rope_type yarn: mrope_section=[1]",
        "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"beta_fast\": 0.5}"
            + "| beta_fast must be >= beta_slow > 0 and finite: beta_fast=0.5, beta_slow=1.0",
        "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"attention_factor\": 0}"
            + "| attention_factor must be > 0 and finite: attention_factor=0.0",
        "\"rope_theta\": 1, \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4}"
            + "| rope_theta must be > 1 with rope_type yarn: rope_theta=1.0",
        "\"rope_scaling\": {\"rope_type\": \"linear\"} | rope_scaling.factor must be given",
        "\"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 0}"
            + "| factor must be >= 1 and finite: factor=0.0",
        "\"rope_scaling\": 3 | rope_scaling must be an object: rope_scaling=3",
        "\"rope_theta\": 0 | rope_theta must be > 0 and finite: rope_theta=0.0",
        "\"hidden_act\": \"gelu\" | hidden_act must be silu: hidden_act=gelu",
        "\"attention_bias\": 1 | attention_bias must be true or false: attention_bias=1",
        "\"quantization_config\": {} | quantization_config.quant_method must be given",
        "\"quantization_config\": 8 | quantization_config must be an object: quantization_config=8",
        "\"partial_rotary_factor\": 0.5"
            + "| partial_rotary_factor must be 1 in LlamaForCausalLM:"
            + " partial_rotary_factor=0.5",
        "\"layer_types\": [\"sliding_attention\", \"full_attention\"]"
            + "| layer_types must all be full_attention in LlamaForCausalLM without"
            + " sliding_window: layer_types has sliding_attention",
        "\"num_key_value_heads\": 3"
            + "| heads must be a multiple of kvHeads, both >= 1: heads=4, kvHeads=3",
        "\"head_dim\": 3 | headDim must be even and >= 2: headDim=3",
        "\"head_dim\": \"8\" | head_dim must be an integer: head_dim=\"8\"",
        "\"head_dim\": 8.5 | head_dim must be an integer: head_dim=8.5",
        "\"eos_token_id\": 32"
            + "| eos_token_id must be in [0, vocab_size): eos_token_id=32, vocab_size=32",
        "\"eos_token_id\": [1, \"a\"] | eos_token_id must be an integer or a list of integers:"
            + " eos_token_id=[1,\"a\"]",
        "\"tie_word_embeddings\": 1 | tie_word_embeddings must be true or false:"
            + " tie_word_embeddings=1"
      })
  void shouldRefuseWhatItCannotRun(String field, String reason) {
    final ModelFormatException refusal =
        catchThrowableOfType(ModelFormatException.class, () -> read(LLAMA.formatted(", " + field)));

    assertThat(refusal).as(field).isNotNull();
    assertThat(refusal.reason()).isEqualTo(reason.strip());
    assertThat(refusal.file()).isEqualTo(directory.resolve("config.json"));
  }

  @Test
  void shouldRefuseSizesThatNoModelHas() {
    assertThatThrownBy(() -> read(LLAMA.formatted("").replace("layers\": 2", "layers\": 10001")))
        .hasMessageEndingWith(": num_hidden_layers must be <= 10000: num_hidden_layers=10001");
    assertThatThrownBy(() -> read(LLAMA.formatted(", \"head_dim\": 1000000000")))
        .hasMessageEndingWith(
            ": heads * headDim must be <= 2147483647: heads=4, headDim=1000000000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\": 1,]} | JSON is broken: Unexpected character (']' (code 93)): was expecting double-quote"
            + " to start property name at line 1, column 9",
        "{ | JSON is broken: Unexpected end-of-input",
        "[] | JSON must be an object: it is ARRAY",
        "{\"a\": 1, \"a\": 2} | JSON is broken: Duplicate Object property \"a\"",
        "{} {} | JSON is broken: Trailing token",
        "{} | architectures must be a list of one name: architectures=",
        "{\"architectures\": [\"LlamaForCausalLM\"]} | max_position_embeddings must be given"
      })
  void shouldRefuseWhatIsNoConfig(String json, String reason) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(": " + reason.strip());
  }

  @Test
  void shouldRefuseAFolderWithoutConfig() {
    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage(directory.resolve("config.json") + ": file must exist");
  }

  @Test
  void shouldFillInTheDefaultsOfPhi3() throws IOException {
    final ModelConfig config = read(LLAMA.formatted("").replace("Llama", "Phi3"));

    assertThat(config.attention()).isEqualTo(new AttentionShape(4, 4, 2));
    assertThat(config.rope()).isEqualTo(new RopeConfig(10_000, new RopeScaling.None(), 1));
    assertThat(config.rmsNormEps()).isEqualTo(1e-5f);
  }

  /** By the names that it had; the context of the training is 4,096 unless the file says more. */
  @ParameterizedTest
  @ValueSource(strings = {"longrope", "su", "yarn"})
  void shouldReadTheLongRopeOfPhi3(String type) throws IOException {
    final String scaling =
        "{\"type\": \"%s\", \"short_factor\": [1], \"long_factor\": [2.5]}".formatted(type);
    final String json = LLAMA.formatted(", \"rope_scaling\": " + scaling).replace("Llama", "Phi3");

    assertThat(read(json.replace("64", "32768")).rope().scaling())
        .isEqualTo(
            new RopeScaling.LongRope(
                List.of(1.0), List.of(2.5), Math.sqrt(1 + Math.log(8) / Math.log(4096)), 4096));
    assertThat(
            read(json.replace("64", "64, \"original_max_position_embeddings\": 16"))
                .rope()
                .scaling())
        .isEqualTo(
            new RopeScaling.LongRope(
                List.of(1.0), List.of(2.5), Math.sqrt(1 + Math.log(4) / Math.log(16)), 16));
    assertThat(read(json).rope().magnitude()).isEqualTo(1);
  }

  @Test
  void shouldReadThePartOfAHeadThatPhi3Turns() throws IOException {
    final String json =
        LLAMA
            .formatted(", \"head_dim\": 16, \"rope_parameters\": {\"partial_rotary_factor\": 0.75}")
            .replace("Llama", "Phi3");

    assertThat(read(json).rope().rotaryDim(16)).isEqualTo(12);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"sliding_window\": -1 | sliding_window must be >= 1: sliding_window=-1",
        "\"sliding_window\": 63, \"layer_types\": [\"sliding_attention\", \"full_attention\"]"
            + "| layer_types must all be sliding_attention in Phi3ForCausalLM with"
            + " sliding_window=63: layer_types has full_attention",
        "\"layer_types\": [\"full_attention\", \"sliding_attention\"]"
            + "| layer_types must all be full_attention in Phi3ForCausalLM without sliding_window:"
            + " layer_types has sliding_attention",
        "\"layer_types\": [\"full_attention\"] | layer_types must have an entry for each layer:"
            + " entries=1, num_hidden_layers=2",
        "\"layer_types\": [\"full_attention\", \"chunked_attention\"]"
            + "| layer_types must be full_attention or sliding_attention: layer_types has"
            + " \"chunked_attention\"",
        "\"attention_bias\": true"
            + "| attention_bias is not supported in Phi3ForCausalLM: attention_bias=true",
        "\"lm_head_bias\": true | lm_head_bias is not supported: lm_head_bias=true",
        "\"partial_rotary_factor\": 0.75 | head_dim * partial_rotary_factor must be even and >= 2:"
            + " head_dim=2, partial_rotary_factor=0.75",
        "\"partial_rotary_factor\": 1.5"
            + "| partial_rotary_factor must be in (0, 1]: partial_rotary_factor=1.5",
        "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}"
            + "| rope_type must be default or longrope in Phi3ForCausalLM: rope_type=linear",
        "\"rope_scaling\": {\"type\": \"su\"} | rope_scaling.short_factor must be given",
        "\"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1], \"long_factor\": [\"1\"]}"
            + "| rope_scaling.long_factor must be a list of numbers: rope_scaling.long_factor=[\"1\"]",
        "\"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1, 2], \"long_factor\": [1]}"
            + "| short_factor must have a factor for each pair of elements that is turned:"
            + " factors=2, pairs=1",
        "\"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1], \"long_factor\": [0]}"
            + "| long_factor must be > 0 and finite in each place: long_factor=[0.0]",
        "\"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1], \"long_factor\": [1],"
            + " \"long_mscale\": 1.2}"
            + "| long_mscale is not supported with rope_type longrope: long_mscale=1.2"
      })
  void shouldRefuseAPhi3ThatItCannotRun(String field, String reason) {
    final ModelFormatException refusal =
        catchThrowableOfType(
            ModelFormatException.class,
            () -> read(LLAMA.formatted(", " + field).replace("Llama", "Phi3")));

    assertThat(refusal).as(field).isNotNull();
    assertThat(refusal.reason()).isEqualTo(reason.strip());
  }

  private static final String MISTRAL3 =
      """
      {"architectures": ["Mistral3ForConditionalGeneration"]%s, "text_config": {
       "vocab_size": 32, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2,
       "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 64,
       "sliding_window": null%s}, "vision_config": {"hidden_act": "gelu", "vocab_size": 7}}
      """;

  @Test
  void shouldReadTheTextPartOfMistral3() throws IOException {
    final ModelConfig config =
        read(MISTRAL3.formatted(", \"eos_token_id\": 5", ", \"eos_token_id\": 2"));

    assertThat(config.family()).isEqualTo(ModelFamily.MISTRAL3);
    assertThat(config.vocabularySize()).isEqualTo(32);
    assertThat(config.outputHead()).isEqualTo(OutputHead.OWN);
    assertThat(config.eosTokenIds()).containsExactly(2, 5);
  }

  @ParameterizedTest
  @CsvSource({"'', '', OWN", "true, '', TIED", "'', true, TIED", "true, false, OWN"})
  void shouldTieMistral3AsItsTextPartSaysOrElseTheWhole(
      String whole, String text, OutputHead expected) throws IOException {
    assertThat(read(MISTRAL3.formatted(tied(whole), tied(text))).outputHead()).isEqualTo(expected);
  }

  private static String tied(String value) {
    return value.isEmpty() ? "" : ", \"tie_word_embeddings\": " + value;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ", \"quantization_config\": {} | ''" + "| quantization_config.quant_method must be given",
        "'' | , \"quantization_config\": {}"
            + "| text_config.quantization_config.quant_method must be given",
        ", \"quantization_config\": {} | , \"quantization_config\": {}"
            + "| quantization_config must be given once, here or in text_config:"
            + " quantization_config={}",
        "'' | , \"model_type\": \"ministral3\""
            + "| text_config must be of model_type mistral: model_type=ministral3",
        "'' | , \"hidden_act\": \"gelu\" | hidden_act must be silu: hidden_act=gelu"
      })
  void shouldRefuseAMistral3ThatItCannotRun(String whole, String text, String reason) {
    assertThatThrownBy(() -> read(MISTRAL3.formatted(whole, text)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining("config.json: " + reason);
  }

  @Test
  void shouldRefuseAMistral3WithoutItsTextPart() {
    final String json = LLAMA.formatted("");

    assertThatThrownBy(
            () -> read(json.replace("LlamaForCausalLM", "Mistral3ForConditionalGeneration")))
        .hasMessageEndingWith(": text_config must be given in Mistral3ForConditionalGeneration");
  }

  /** The class of transformers has a window of 4096 unless the file says otherwise. */
  @ParameterizedTest
  @CsvSource({
    "'', 4096",
    "', \"sliding_window\": null', 0",
    "', \"sliding_window\": 4095', 4095",
    "', \"sliding_window\": 32768', 0"
  })
  void shouldReadTheWindowOfAMistral(String field, int window) throws IOException {
    final String json =
        LLAMA
            .formatted(", \"num_key_value_heads\": 4" + field)
            .replace("Llama", "Mistral")
            .replace("64", "32768");

    final ModelConfig config = read(json);

    assertThat(config.family()).isEqualTo(ModelFamily.MISTRAL);
    assertThat(config.windowOf(0)).isEqualTo(window);
    assertThat(config.windowOf(1)).isEqualTo(window);
  }

  /** As configuration_qwen2.py and configuration_qwen3.py make layer_types. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"sliding_window\": 8 | 0 | 0",
        "\"use_sliding_window\": true, \"sliding_window\": 8 | 0 | 0",
        "\"use_sliding_window\": true, \"sliding_window\": 8, \"max_window_layers\": 1 | 0 | 8",
        "\"use_sliding_window\": true, \"sliding_window\": 8, \"max_window_layers\": 0 | 8 | 8",
        "\"use_sliding_window\": true, \"sliding_window\": 8, \"max_window_layers\": 1,"
            + " \"layer_types\": [\"sliding_attention\", \"full_attention\"] | 8 | 0",
        "\"use_sliding_window\": true, \"max_window_layers\": 0 | 0 | 0"
      })
  void shouldReadTheWindowsOfQwen(String fields, int first, int second) throws IOException {
    for (String family : List.of("Qwen2", "Qwen3")) {
      final ModelConfig config =
          read(LLAMA.formatted(", \"num_key_value_heads\": 4, " + fields).replace("Llama", family));

      assertThat(List.of(config.windowOf(0), config.windowOf(1)))
          .as(family)
          .containsExactly(first, second);
    }
  }

  /** The fields of google/gemma-3-4b-it that its config.json has; the others are the class's. */
  private static final String GEMMA =
      """
      {"architectures": ["Gemma3ForConditionalGeneration"], "eos_token_id": [1, 106],
       "model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
       "model_type": "gemma3_text", "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0,
       "rope_type": "linear"}, "sliding_window": 1024%s}, "vision_config": {"hidden_size": 1152}}
      """;

  @Test
  void shouldReadGemma3ByTheDefaultsOfItsClass() throws IOException {
    final ModelConfig config = read(GEMMA.formatted(""));

    assertThat(config.family()).isEqualTo(ModelFamily.GEMMA3_VISION);
    assertThat(config.attention()).isEqualTo(new AttentionShape(8, 4, 256));
    assertThat(config.vocabularySize()).isEqualTo(262_208);
    assertThat(config.maxPositions()).isEqualTo(131_072);
    assertThat(config.outputHead()).isEqualTo(OutputHead.TIED);
    assertThat(config.rope()).isEqualTo(new RopeConfig(1e6, new RopeScaling.Linear(8)));
    assertThat(config.localRope()).isEqualTo(new RopeConfig(1e4, new RopeScaling.None()));
    assertThat(config.attentionScale()).isEqualTo(1 / 16f);
    assertThat(config.windowOf(4)).isEqualTo(1_024);
    assertThat(config.windowOf(5)).isZero();
    assertThat(config.eosTokenIds()).containsExactly(1, 106);
    assertThat(config.parameters()).isEqualTo(3_880_263_168L); // 4.3 B with the vision part
    assertThat(KvLayers.of(config))
        .hasToString(
            "6 groups of 5 layers, window of 1024 tokens; 1 group of 5 layers, whole context");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"hidden_activation\": \"silu\""
            + "| hidden_activation must be gelu_pytorch_tanh: hidden_activation=silu",
        "\"use_bidirectional_attention\": true"
            + "| attention must be causal: use_bidirectional_attention=true",
        "\"attn_logit_softcapping\": 50.0 | attn_logit_softcapping is not supported in"
            + " Gemma3ForConditionalGeneration: attn_logit_softcapping=50.0",
        "\"final_logit_softcapping\": 30.0 | final_logit_softcapping is not supported in"
            + " Gemma3ForConditionalGeneration: final_logit_softcapping=30.0",
        "\"sliding_window_pattern\": 0"
            + "| sliding_window_pattern must be >= 1: sliding_window_pattern=0",
        "\"query_pre_attn_scalar\": 0"
            + "| query_pre_attn_scalar must be > 0 and finite: query_pre_attn_scalar=0.0",
        "\"model_type\": \"gemma2\""
            + "| text_config must be of model_type gemma3_text: model_type=gemma2"
      })
  void shouldRefuseAGemma3ThatItCannotRun(String field, String reason) {
    final String given =
        field.startsWith("\"model_type")
            ? GEMMA.formatted("").replace("\"model_type\": \"gemma3_text\"", field)
            : GEMMA.formatted(", " + field);
    assertThatThrownBy(() -> read(given))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(reason);
  }

  private ModelConfig read(String json) throws IOException {
    Files.writeString(directory.resolve("config.json"), json);
    return Model.readConfig(directory);
  }

  /**
   * A test for each line whose first cell names a folder that is here: in the test resources or
   * beside the checkout. One more says which are not.
   */
  private static Stream<DynamicTest> forEachFound(
      String lines, BiConsumer<Path, String[]> assertion) {
    final List<DynamicTest> tests = new ArrayList<>();
    final List<String> missing = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      final String[] cells = line.split(", ");
      found(cells[0])
          .ifPresentOrElse(
              directory ->
                  tests.add(dynamicTest(cells[0], () -> assertion.accept(directory, cells))),
              () -> missing.add(cells[0]));
    }
    if (!missing.isEmpty()) {
      tests.add(dynamicTest("what is not here", () -> notTested(missing)));
    }
    return tests.stream();
  }

  private static Optional<Path> found(String name) {
    return ModelConfigReaderTest.class.getResource("/model-configs/" + name) == null
        ? TestModels.configBeside(name)
        : Optional.of(committed(name));
  }

  private static void notTested(List<String> names) {
    throw new TestAbortedException(
        "not tested with the published configurations of "
            + String.join(", ", names)
            + ": give their parent by -Dheadway.modelConfigs=DIR");
  }

  private static Path committed(String name) {
    return TestModels.resource("/model-configs/" + name);
  }
}
