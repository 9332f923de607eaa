package dev.headway.cli.simulate;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.OutputHead;
import dev.headway.server.ModelSource;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.ModelSpecException;
import dev.headway.simulation.model.ModelSpecReader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Models as a command line names them. Stateless. */
public final class NamedModel {

  /** The name of the model that the server has built in. */
  static final Path BUILT_IN = Path.of(ModelSource.BUILT_IN_NAME);

  private NamedModel() {}

  /**
   * Reads the shape of a model.
   *
   * @param model a folder of Hugging Face or its {@code config.json}; or, where there is no such
   *     file, the name of the built-in model
   * @throws ModelSpecException if it cannot be read, or lacks a field; says which
   */
  public static ModelSpec read(Path model) {
    return model.equals(BUILT_IN) && Files.notExists(model)
        ? builtIn(ModelSource.builtInConfig())
        : ModelSpecReader.read(model);
  }

  private static ModelSpec builtIn(ModelConfig config) {
    final AttentionShape attention = config.attention();
    return ModelSpec.builder(ModelSource.BUILT_IN_NAME)
        .layers(config.layers())
        .hiddenSize(config.hiddenSize())
        .vocabularySize(config.vocabularySize())
        .attention(
            new AttentionSpec.Grouped(attention.heads(), attention.kvHeads(), attention.headDim()))
        .windowTokens(new int[config.layers()])
        .denseIntermediateSize(config.intermediateSize())
        .tiedEmbeddings(config.outputHead() == OutputHead.TIED)
        .build();
  }
}
