package dev.headway.server;

import dev.headway.api.executor.Executor;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.cuda.executor.CudaExecutorBuilder;
import dev.headway.cuda.executor.KvCacheType;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.reference.ReferenceExecutorBuilder;
import dev.headway.executor.speculation.NgramOptions;
import dev.headway.executor.vector.VectorExecutor;
import dev.headway.executor.vector.VectorExecutorBuilder;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tokenizer.FileTokenizer;
import dev.headway.serving.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A model with its tokenizer, and the executor that runs it. One thread. */
public final class ModelSource implements AutoCloseable {

  /** What the built-in model is called. */
  public static final String BUILT_IN_NAME = "headway-random";

  /** Small enough for thousands of tokens a second in plain Java. */
  private static final ModelConfig BUILT_IN =
      ModelConfig.builder(ModelFamily.LLAMA)
          .vocabularySize(ByteTokenizer.VOCABULARY_SIZE)
          .hiddenSize(64)
          .intermediateSize(128)
          .layers(2)
          .attention(new AttentionShape(4, 2, 16))
          .maxPositions(2_048)
          .outputHead(OutputHead.TIED)
          .eosTokenIds(List.of(ByteTokenizer.EOS))
          .build();

  private final Model model;
  private final Tokenizer tokenizer;
  private final ChatTemplate chatTemplate;
  private final String name;
  private final String origin;

  private ModelSource(
      Model model, Tokenizer tokenizer, ChatTemplate chatTemplate, String name, String origin) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.chatTemplate = chatTemplate;
    this.name = name;
    this.origin = origin;
  }

  /** Random weights from a seed, over bytes: needs no file, and says nothing. */
  public static ModelSource builtIn(long seed, ChatTemplate chatTemplate) {
    return new ModelSource(
        Model.random(BUILT_IN, seed),
        new ByteTokenizer(),
        chatTemplate,
        BUILT_IN_NAME,
        "built in, random weights of seed " + seed + ": answers are gibberish");
  }

  /**
   * A Hugging Face folder: config.json, safetensors, tokenizer.json; or a GGUF file with a
   * tokenizer.json beside it.
   *
   * @throws IOException if there is no tokenizer
   * @throws dev.headway.executor.model.ModelFormatException if the model cannot be run
   */
  public static ModelSource folder(Path folder, ChatTemplate chatTemplate) throws IOException {
    final Model model = Model.load(folder);
    final Tokenizer tokenizer;
    try {
      tokenizer = tokenizer(folder);
    } catch (IOException e) {
      model.close();
      throw e;
    }
    return new ModelSource(model, tokenizer, chatTemplate, nameOf(folder), folder.toString());
  }

  /**
   * A model of the shape that a folder's config.json says, with random weights: for what a model
   * takes, and not for what it answers. Texts are bytes where there is no tokenizer.json.
   *
   * @throws IOException if the folder has a tokenizer that cannot be used
   * @throws IllegalArgumentException if it has weights, or a vocabulary that bytes do not fit into
   * @throws dev.headway.executor.model.ModelFormatException if the model cannot be run
   */
  public static ModelSource randomFolder(Path folder, long seed, ChatTemplate chatTemplate)
      throws IOException {
    if (Model.hasWeights(folder)) {
      throw new IllegalArgumentException(
          "--random-weights must be of a folder without weights: leave it out, or copy config.json"
              + " and tokenizer.json into another folder: --model="
              + folder);
    }
    final ModelConfig config = Model.readConfig(folder);
    return new ModelSource(
        Model.random(config, seed),
        tokenizerOrBytes(folder, config),
        chatTemplate,
        nameOf(folder),
        folder + ", random weights of seed " + seed + ": answers are gibberish");
  }

  private static Tokenizer tokenizerOrBytes(Path folder, ModelConfig config) throws IOException {
    if (Files.exists(folder.resolve("tokenizer.json"))) {
      return FileTokenizer.open(folder);
    }
    if (config.vocabularySize() < ByteTokenizer.VOCABULARY_SIZE) {
      throw new IllegalArgumentException(
          "vocab_size of config.json must be >= "
              + ByteTokenizer.VOCABULARY_SIZE
              + " where there is no tokenizer.json, so that texts can be bytes: vocab_size="
              + config.vocabularySize()
              + ", --model="
              + folder);
    }
    return new ByteTokenizer();
  }

  private static String nameOf(Path folder) {
    final Path last = folder.toAbsolutePath().normalize().getFileName();
    return last == null ? "model" : last.toString();
  }

  /** The shape of the built-in model. */
  public static ModelConfig builtInConfig() {
    return BUILT_IN;
  }

  /** The vocabulary in a GGUF file says too little of how a text is split. */
  private static Tokenizer tokenizer(Path model) throws IOException {
    final Path folder = Model.folderOf(model);
    if (!folder.equals(model) && Files.notExists(folder.resolve("tokenizer.json"))) {
      throw new IOException(
          "the model's tokenizer.json must lie beside its .gguf file, whose vocabulary is not"
              + " read: model="
              + model);
    }
    return FileTokenizer.open(folder);
  }

  /** What clients see unless the user names it. */
  public String name() {
    return name;
  }

  public Tokenizer tokenizer() {
    return tokenizer;
  }

  public ChatTemplate chatTemplate() {
    return chatTemplate;
  }

  public ModelConfig config() {
    return model.config();
  }

  /** The model, for people. */
  public String describe() {
    final String eightBitKv = model.weights().eightBitKv().describe(model.config().layers());
    final String rounded = InputQuantization.describe(model);
    return String.format(
        Locale.ROOT,
        "%s (%s, %.2f M parameters%s%s%s)",
        origin,
        model.config().family().architecture(),
        model.config().parameters() / 1e6,
        eightBitKv.isEmpty() ? "" : "; 8-bit keys and values " + eightBitKv,
        rounded.isEmpty() ? "" : "; asks for " + rounded,
        model.weights().notRead().isEmpty() ? "" : "; " + model.weights().notRead());
  }

  /** What is served. */
  public ServedModel served(String servedName, int maxModelLen) {
    return new ServedModel(
        servedName,
        tokenizer,
        chatTemplate,
        model.config().eosTokenIds().stream().mapToInt(Integer::intValue).toArray(),
        model.config().vocabularySize(),
        maxModelLen);
  }

  /**
   * Bytes of the weights in an executor.
   *
   * @param maxModelLen longest context that is served, in tokens
   * @throws IllegalArgumentException if the executor cannot run the model; says why
   */
  public long weightBytes(ExecutorChoice.Backend executor, int blockSize, int maxModelLen) {
    final Model limited = limited(maxModelLen);
    return switch (executor) {
      case CUDA -> CudaExecutor.memory(limited, blockSize, KvCacheType.BF16).weightBytes();
      case VECTOR -> VectorExecutor.memory(limited).weightBytes();
      case REFERENCE -> ReferenceExecutor.memory(limited).weightBytes();
      case AUTO, SIMULATED -> 0;
    };
  }

  /**
   * Opens the executor; it copies the weights.
   *
   * @throws IllegalArgumentException if the choice is none that runs a model
   * @throws dev.headway.cuda.CudaUnavailableException if a device was asked for and there is none;
   *     the message says why
   * @throws dev.headway.executor.vector.VectorUnavailableException if the Vector API was asked for
   *     and is not there
   */
  public Executor open(ExecutorChoice choice, NanoClock clock, ExecutorSizes sizes) {
    if (choice.backend() == ExecutorChoice.Backend.SIMULATED) {
      throw new IllegalArgumentException(
          "an executor that runs the model must be chosen: simulated");
    }
    final Integer numBlocks = sizes.numBlocks();
    final NgramOptions ngrams = sizes.ngrams();
    if (choice.backend() == ExecutorChoice.Backend.CUDA) {
      final CudaExecutorBuilder builder =
          CudaExecutor.builder(model, clock)
              .maxNumSeqs(sizes.maxNumSeqs())
              .maxNumBatchedTokens(sizes.maxNumBatchedTokens())
              .maxModelLen(sizes.maxModelLen())
              .blockSize(sizes.blockSize())
              .hostBlocks(sizes.numHostBlocks())
              .memoryUtilization(sizes.gpuMemoryUtilization())
              .precision(sizes.precision())
              .stepsInFlight(ngrams == null ? 2 : 1);
      sizes.adapters().forEach(builder::adapter);
      if (sizes.kvCacheType() != null) {
        builder.kvCacheType(sizes.kvCacheType());
      }
      if (ngrams != null) {
        builder.ngrams(ngrams, sizes.draftTokens());
      }
      return (numBlocks == null ? builder : builder.kvBlocks(numBlocks)).build();
    }
    final int blocks = numBlocks == null ? ExecutorSizes.USUAL_BLOCKS : numBlocks;
    final Model limited = limited(sizes.maxModelLen());
    if (choice.backend() == ExecutorChoice.Backend.VECTOR) {
      final VectorExecutorBuilder builder =
          VectorExecutor.builder(limited, clock)
              .blockSize(sizes.blockSize())
              .numBlocks(blocks)
              .hostBlocks(sizes.numHostBlocks())
              .maxNumSeqs(sizes.maxNumSeqs())
              .threads(choice.threads());
      sizes.adapters().forEach(builder::adapter);
      return (ngrams == null ? builder : builder.ngrams(ngrams)).build();
    }
    final ReferenceExecutorBuilder builder =
        ReferenceExecutor.builder(limited, clock)
            .blockSize(sizes.blockSize())
            .numBlocks(blocks)
            .hostBlocks(sizes.numHostBlocks())
            .maxNumSeqs(sizes.maxNumSeqs());
    sizes.adapters().forEach(builder::adapter);
    return (ngrams == null ? builder : builder.ngrams(ngrams)).build();
  }

  private Model limited(int maxModelLen) {
    return model.withMaxPositions(Math.min(maxModelLen, model.config().maxPositions()));
  }

  @Override
  public void close() {
    model.close();
    if (tokenizer instanceof FileTokenizer file) {
      file.close();
    }
  }
}
