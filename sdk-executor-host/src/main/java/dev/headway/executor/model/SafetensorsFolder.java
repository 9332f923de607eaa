package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Finds a model's tensors in its folder: in {@code model.safetensors}, or in the files that {@code
 * model.safetensors.index.json} names. Exactly the tensors of {@link ModelLayout} must be there;
 * tables that old checkpoints carry along, a tied head stored twice and layers that draft tokens
 * are passed over.
 */
final class SafetensorsFolder {

  private static final String SINGLE = "model.safetensors";
  private static final String INDEX = "model.safetensors.index.json";

  private final ModelConfig config;
  private final WeightQuantization quantization;
  private final Path listing;
  private final TreeMap<String, SafetensorsFile> files = new TreeMap<>();
  private int visionTensors;
  private int queryScales;
  private EightBitKv eightBitKv = EightBitKv.NONE;

  private SafetensorsFolder(ModelConfig config, WeightQuantization quantization, Path listing) {
    this.config = config;
    this.quantization = quantization;
    this.listing = listing;
  }

  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(INDEX)) || Files.exists(directory.resolve(SINGLE));
  }

  /** Opens the weights of a folder. */
  static MappedWeights open(Path directory, ModelConfig config, WeightQuantization quantization) {
    final Path index = directory.resolve(INDEX);
    final boolean sharded = Files.exists(index);
    if (quantization.hasMxfp4Experts()) {
      requireMxfp4(directory.resolve("config.json"), config);
    }
    final SafetensorsFolder folder =
        new SafetensorsFolder(config, quantization, sharded ? index : directory.resolve(SINGLE));
    final Arena arena = Arena.ofShared();
    try {
      if (sharded) {
        folder.openShards(directory, arena);
      } else {
        folder.openSingle(directory.resolve(SINGLE), arena);
      }
      final Map<String, StoredTensor> stored = folder.stored();
      return new MappedWeights(arena, stored, folder.eightBitKv, folder.notRead());
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  private static void requireMxfp4(Path file, ModelConfig config) {
    if (!config.family().stacksExperts()) {
      throw new ModelFormatException(
          file,
          "quant_method mxfp4 is for experts that "
              + ModelFamily.GPT_OSS.architecture()
              + " has: architecture="
              + config.family().architecture());
    }
    if (config.hiddenSize() % Mxfp4Matrix.BLOCK != 0
        || config.intermediateSize() % Mxfp4Matrix.BLOCK != 0) {
      throw new ModelFormatException(
          file,
          "hidden_size and intermediate_size must be multiples of "
              + Mxfp4Matrix.BLOCK
              + " with quant_method mxfp4: hidden_size="
              + config.hiddenSize()
              + ", intermediate_size="
              + config.intermediateSize());
    }
  }

  private String notRead() {
    final List<String> parts = new ArrayList<>();
    if (visionTensors > 0) {
      parts.add(visionTensors + " tensors of the vision part are not read: images are not taken");
    }
    if (queryScales > 0) {
      parts.add(queryScales + " scales of queries are not read: these are not rounded");
    }
    return String.join("; ", parts);
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
      if (ExpertStack.isOne(tensor)) {
        putStack(stored, new ExpertStack(tensor));
      } else if (!putQuantized(stored, tensor)) {
        putPlain(stored, tensor);
      }
    }
    files.keySet().removeIf(this::isPassedOver);
    final int before = files.size();
    files.keySet().removeIf(config.family()::isOfVision);
    visionTensors = before - files.size();
    if (!quantization.equals(WeightQuantization.NONE)) {
      final KvScaleReader scales =
          new KvScaleReader(files, listing, config.layers(), quantization.kvScheme());
      eightBitKv = scales.read();
      queryScales = scales.notRead();
    }
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
        || config.family().isOfDraft(tensor, config.layers())
        || (config.outputHead() == OutputHead.TIED && namesOfHead().anyMatch(tensor::equals));
  }

  /** Takes the matrix of a linear layer that is stored as quantization_config says, if it is. */
  private boolean putQuantized(Map<String, StoredTensor> stored, FileTensor tensor) {
    if (!tensor.isOfLinearLayer()) {
      return false;
    }
    final List<String> modules =
        Stream.of(tensor.name(), tensor.newName())
            .map(SafetensorsFolder::module)
            .distinct()
            .toList();
    final MatrixFormat format = quantization.formatOf(modules);
    if (format == null) {
      return false;
    }
    final String module =
        modules.stream().filter(this::isInAFile).findFirst().orElse(modules.getFirst());
    final QuantizedMatrix matrix =
        format.open(new MatrixFile(files, listing, module, tensor.shape()));
    if (matrix == null) {
      return false;
    }
    int row = 0;
    for (TensorSpec part : tensor.parts()) {
      stored.put(part.name(), new QuantizedTensor(part, matrix, row));
      row += part.shape().getFirst();
    }
    return true;
  }

  private boolean isInAFile(String module) {
    final String next = files.ceilingKey(module + ".");
    return next != null && next.startsWith(module + ".");
  }

  private static String module(String weight) {
    return weight.substring(0, weight.length() - FileTensor.WEIGHT.length());
  }

  /** Takes the experts of a layer that the file holds together. */
  private void putStack(Map<String, StoredTensor> stored, ExpertStack stack) {
    final String name = stack.tensor().name();
    final List<StoredTensor> parts;
    if (quantization.hasMxfp4Experts() && !stack.isOfBiases()) {
      parts =
          stack.mxfp4(
              bytesOf(name + "_blocks", stack.blocksShape()),
              bytesOf(name + "_scales", stack.scalesShape()));
    } else {
      final SafetensorsFile file = taken(name, stack.shape());
      final SafetensorsHeader.Entry entry = file.entry(name);
      parts = stack.plain(typeOf(file, entry), file.bytes(entry));
    }
    parts.forEach(part -> stored.put(part.spec().name(), part));
  }

  private MemorySegment bytesOf(String name, List<Integer> shape) {
    final SafetensorsFile file = taken(name, shape);
    final SafetensorsHeader.Entry entry = file.entry(name);
    if (!entry.dtype().equals("U8")) {
      throw new ModelFormatException(
          file.path(),
          name,
          "dtype must be U8 as quantization_config of config.json says: dtype=" + entry.dtype());
    }
    return file.bytes(entry);
  }

  /** Takes a tensor that must be there, in this shape; says which file has it. */
  private SafetensorsFile taken(String name, List<Integer> shape) {
    final SafetensorsFile file = files.remove(name);
    if (file == null) {
      throw new ModelFormatException(listing, name, "tensor is missing");
    }
    final SafetensorsHeader.Entry entry = file.entry(name);
    if (!entry.shape().equals(shape)) {
      throw new ModelFormatException(
          file.path(),
          name,
          "shape must be that of config.json: shape=" + entry.shape() + ", expected=" + shape);
    }
    return file;
  }

  private static WeightType typeOf(SafetensorsFile file, SafetensorsHeader.Entry entry) {
    return WeightType.ofDtype(entry.dtype()).orElseThrow(() -> noWeight(file, entry));
  }

  private void putPlain(Map<String, StoredTensor> stored, FileTensor tensor) {
    final String name = nameInFile(tensor);
    final SafetensorsFile file = taken(name, tensor.shape());
    final SafetensorsHeader.Entry entry = file.entry(name);
    final WeightType type = typeOf(file, entry);
    long from = 0;
    for (TensorSpec part : tensor.parts()) {
      final long bytes = type.bytes() * part.elements();
      stored.put(
          part.name(), new StoredTensor.Plain(part, type, file.bytes(entry).asSlice(from, bytes)));
      from += bytes;
    }
  }

  private static ModelFormatException noWeight(
      SafetensorsFile file, SafetensorsHeader.Entry entry) {
    return new ModelFormatException(
        file.path(),
        entry.name(),
        "dtype must be F32, F16 or BF16"
            + (entry.dtype().startsWith("F8_")
                ? ", since quantization_config of config.json does not say that it is quantised"
                : "")
            + ": dtype="
            + entry.dtype());
  }
}
