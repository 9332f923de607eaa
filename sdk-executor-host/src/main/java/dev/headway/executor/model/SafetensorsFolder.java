package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Finds a model's tensors in its folder: in {@code model.safetensors}, or in the files that {@code
 * model.safetensors.index.json} names. Exactly the tensors of {@link ModelLayout} must be there;
 * tables that old checkpoints carry along and a tied head stored twice are passed over.
 */
final class SafetensorsFolder {

  private static final String SINGLE = "model.safetensors";
  private static final String INDEX = "model.safetensors.index.json";

  private final ModelConfig config;
  private final Path listing;
  private final Map<String, SafetensorsFile> files = new TreeMap<>();
  private int visionTensors;

  private SafetensorsFolder(ModelConfig config, Path listing) {
    this.config = config;
    this.listing = listing;
  }

  /**
   * What a folder holds.
   *
   * @param tensors by the names of {@link ModelLayout}
   * @param visionTensors how many others there are, for images
   */
  record Contents(Map<String, StoredTensor> tensors, int visionTensors) {}

  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(INDEX)) || Files.exists(directory.resolve(SINGLE));
  }

  /** Maps the files for the life of {@code arena}. */
  static Contents open(Path directory, ModelConfig config, Arena arena) {
    final Path index = directory.resolve(INDEX);
    final boolean sharded = Files.exists(index);
    final SafetensorsFolder folder =
        new SafetensorsFolder(config, sharded ? index : directory.resolve(SINGLE));
    if (sharded) {
      folder.openShards(directory, arena);
    } else {
      folder.openSingle(directory.resolve(SINGLE), arena);
    }
    final Map<String, StoredTensor> stored = folder.stored();
    return new Contents(stored, folder.visionTensors);
  }

  private void openSingle(Path path, Arena arena) {
    final SafetensorsFile file = SafetensorsFile.open(path, arena);
    for (String tensor : file.entries().keySet()) {
      files.put(tensor, file);
    }
  }

  private void openShards(Path directory, Arena arena) {
    final Map<String, SafetensorsFile> opened = new HashMap<>();
    final JsonFile index = JsonFile.read(listing);
    if (!index.has("weight_map")) {
      throw new ModelFormatException(listing, "weight_map must be given");
    }
    for (Map.Entry<String, JsonNode> field : index.object("weight_map").root().properties()) {
      final String tensor = field.getKey();
      final Path path = shard(directory, tensor, field.getValue());
      final SafetensorsFile file =
          opened.computeIfAbsent(
              path.getFileName().toString(), name -> SafetensorsFile.open(path, arena));
      if (!file.entries().containsKey(tensor)) {
        throw new ModelFormatException(
            path, tensor, "file must hold what " + INDEX + " says it does");
      }
      files.put(tensor, file);
    }
    for (SafetensorsFile file : opened.values()) {
      for (String tensor : file.entries().keySet()) {
        if (files.get(tensor) != file) {
          throw new ModelFormatException(
              file.path(), tensor, "tensor must be in the weight_map of " + INDEX + ", once");
        }
      }
    }
  }

  /** An index is data from elsewhere: it must not lead out of the folder. */
  private Path shard(Path directory, String tensor, JsonNode node) {
    final String name = node.isString() ? node.stringValue() : "";
    if (!name.matches("[A-Za-z0-9_][A-Za-z0-9._-]*\\.safetensors")) {
      throw new ModelFormatException(
          listing, tensor, "weight_map must name a .safetensors file of the folder: file=" + node);
    }
    return directory.resolve(name);
  }

  private Map<String, StoredTensor> stored() {
    final Map<String, StoredTensor> stored = new LinkedHashMap<>();
    for (FileTensor tensor : FileTensor.of(config)) {
      final String name = nameInFile(tensor);
      final SafetensorsFile file = files.remove(name);
      if (file == null) {
        throw new ModelFormatException(listing, tensor.name(), "tensor is missing");
      }
      putParts(stored, tensor, name, file);
    }
    files.keySet().removeIf(this::isPassedOver);
    final int before = files.size();
    files.keySet().removeIf(config.family()::isOfVision);
    visionTensors = before - files.size();
    final Optional<String> unexpected = files.keySet().stream().findFirst();
    if (unexpected.isPresent()) {
      throw new ModelFormatException(
          listing,
          unexpected.get(),
          "tensor is not expected in "
              + config.family().architecture()
              + " of this config: unexpected tensors="
              + files.size());
    }
    return stored;
  }

  /** A tied model may store its one matrix by either name. */
  private String nameInFile(FileTensor tensor) {
    final boolean isHeadToo =
        config.outputHead() == OutputHead.TIED
            && tensor.parts().getFirst().name().equals(ModelLayout.EMBEDDING);
    return Stream.of(tensor.name(), tensor.newName())
        .filter(files::containsKey)
        .findFirst()
        .or(
            () ->
                isHeadToo ? namesOfHead().filter(files::containsKey).findFirst() : Optional.empty())
        .orElse(tensor.name());
  }

  private Stream<String> namesOfHead() {
    return Stream.of(
        config.family().nameInFile(ModelLayout.OWN_HEAD),
        config.family().newNameInFile(ModelLayout.OWN_HEAD));
  }

  private boolean isPassedOver(String tensor) {
    return tensor.endsWith(".rotary_emb.inv_freq")
        || (config.outputHead() == OutputHead.TIED && namesOfHead().anyMatch(tensor::equals));
  }

  private static void putParts(
      Map<String, StoredTensor> stored, FileTensor tensor, String name, SafetensorsFile file) {
    final SafetensorsHeader.Entry entry = file.entries().get(name);
    if (entry == null) {
      throw new IllegalStateException("files are listed by their tensors: tensor=" + name);
    }
    if (!entry.shape().equals(tensor.shape())) {
      throw new ModelFormatException(
          file.path(),
          name,
          "shape must be that of config.json: shape="
              + entry.shape()
              + ", expected="
              + tensor.shape());
    }
    final WeightType type =
        Arrays.stream(WeightType.values())
            .filter(t -> t.name().equals(entry.dtype()))
            .findFirst()
            .orElseThrow(
                () ->
                    new ModelFormatException(
                        file.path(),
                        name,
                        "dtype must be F32, F16 or BF16: dtype=" + entry.dtype()));
    long from = 0;
    for (TensorSpec part : tensor.parts()) {
      final long bytes = type.bytes() * part.elements();
      stored.put(part.name(), new StoredTensor(part, type, file.bytes(entry).asSlice(from, bytes)));
      from += bytes;
    }
  }
}
