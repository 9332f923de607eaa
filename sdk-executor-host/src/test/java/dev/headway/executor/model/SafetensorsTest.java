package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Files that are wrong in one way each, made from a right one. */
class SafetensorsTest {

  private static final String NORM = "model.norm.weight";
  private static final String EMBEDDING = "model.embed_tokens.weight";
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void writeRightModel() throws IOException {
    ModelWriter.write(
        Model.random(TestModels.tiny(ModelFamily.LLAMA, OutputHead.TIED), 1), directory);
    file = directory.resolve("model.safetensors");
  }

  @Test
  void shouldLoadTheRightFileBeforeItIsSpoilt() {
    Model.load(directory).close();
  }

  static List<Arguments> headers() {
    return List.of(
        header("a tensor renamed", h -> h.set("other", h.remove(NORM)), NORM, "tensor is missing"),
        header(
            "a tensor too many",
            h -> h.set("other", tensor("F32", List.of(0), 0, 0)),
            "other",
            "tensor is not expected in LlamaForCausalLM of this config: unexpected tensors=1"),
        header(
            "a dtype that is no weight",
            h -> at(h, NORM).put("dtype", "I16"),
            NORM,
            "dtype must be F32, F16 or BF16: dtype=I16"),
        header(
            "a dtype nobody knows",
            h -> at(h, NORM).put("dtype", "F12"),
            NORM,
            "dtype is not known: dtype=F12"),
        header(
            "a dtype that is no string",
            h -> at(h, NORM).put("dtype", 16),
            NORM,
            "dtype must be a string: dtype=16"),
        header(
            "a dtype of another size",
            h -> at(h, NORM).put("dtype", "F32"),
            NORM,
            "data_offsets must span the bytes of shape and dtype: shape=[24], dtype=F32, bytes=48"),
        header(
            "another shape of equal size",
            h -> at(h, NORM).set("shape", ints(2, 12)),
            NORM,
            "shape must be that of config.json: shape=[2, 12], expected=[24]"),
        header(
            "a shape that overflows",
            h -> at(h, NORM).set("shape", ints(1L << 31)),
            NORM,
            "shape is too large: shape=[2147483648]"),
        header(
            "a shape whose product overflows",
            h -> at(h, NORM).set("shape", ints(1L << 30, 1L << 30, 1L << 30)),
            NORM,
            "shape is too large: shape=[1073741824,1073741824,1073741824]"),
        header(
            "a negative shape",
            h -> at(h, NORM).set("shape", ints(-24)),
            NORM,
            "shape must be a list of integers >= 0: shape=[-24]"),
        header(
            "no shape",
            h -> at(h, NORM).remove("shape"),
            NORM,
            "shape must be a list of integers: shape="),
        header(
            "offsets back to front",
            h -> at(h, NORM).set("data_offsets", ints(48, 0)),
            NORM,
            "data_offsets must be [begin, end]: data_offsets=[48,0]"),
        header(
            "one offset",
            h -> at(h, NORM).set("data_offsets", ints(48)),
            NORM,
            "data_offsets must be [begin, end]: data_offsets=[48]"),
        header(
            "offsets behind the file",
            h -> at(h, NORM).set("data_offsets", ints(1 << 20, (1 << 20) + 48)),
            NORM,
            "data_offsets must lie inside the file, which may be truncated: end=1048624,"
                + " bytes behind the header=36096"),
        header(
            "an overlap",
            h -> at(h, NORM).set("data_offsets", ints(0, 48)),
            EMBEDDING,
            "data_offsets must follow the tensor before without overlap: begin=0, end of the"
                + " tensor before=48"),
        header(
            "a gap",
            h -> h.remove(EMBEDDING),
            "model.layers.0.input_layernorm.weight",
            "data_offsets must follow the tensor before without a gap: begin=4656, end of the"
                + " tensor before=0"),
        header(
            "bytes that no tensor covers",
            h -> h.remove(NORM),
            null,
            "tensors must cover the file: bytes covered=36048, bytes behind the header=36096"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("headers")
  void shouldRefuseAHeaderWith(
      String what, Consumer<ObjectNode> change, String tensor, String reason) throws IOException {
    final ObjectNode header = header();
    change.accept(header);
    rewrite(header.toString());

    assertRefused(file, tensor, reason);
  }

  static List<Arguments> bytes() {
    return List.of(
        Arguments.of(
            "an empty file", 0, "file must begin with the header's length, 8 bytes: bytes=0"),
        Arguments.of(
            "half a length", 7, "file must begin with the header's length, 8 bytes: bytes=7"),
        Arguments.of("no header", 8, "header must be at least 2 bytes"),
        Arguments.of("half a header", 100, "header must be at least 2 bytes"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bytes")
  void shouldRefuseAFileCutTo(String what, int length, String reason) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));

    assertRefused(file, null, reason);
  }

  @Test
  void shouldRefuseAFileCutInItsTensors() throws IOException {
    final byte[] right = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(right, right.length - 1));

    assertRefused(
        file, NORM, "data_offsets must lie inside the file, which may be truncated: end=36096");
  }

  @Test
  void shouldRefuseAHeaderLongerThanTheFileHoweverItIsSigned() throws IOException {
    final byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, -1);
    Files.write(file, bytes);

    assertRefused(
        file,
        null,
        "header must be at least 2 bytes, at most 100000000, and lie inside the file: header"
            + " bytes=18446744073709551615, file bytes="
            + bytes.length);
  }

  @Test
  void shouldRefuseAHeaderThatIsNoJson() throws IOException {
    rewrite("not JSON");
    assertRefused(file, null, "JSON is broken: Unrecognized token 'not'");
    rewrite("[]");
    assertRefused(file, null, "JSON must be an object: it is ARRAY");
    rewrite("{\"a\": 1}");
    assertRefused(file, "a", "dtype must be a string: dtype=");
  }

  @Test
  void shouldRefuseATensorNamedTwice() throws IOException {
    final String header = header().toString();
    rewrite(header.replace(NORM, EMBEDDING));

    assertRefused(file, null, "JSON is broken: Duplicate Object property \"" + EMBEDDING + "\"");
  }

  @Test
  void shouldRefuseAFolderWithoutWeights() throws IOException {
    Files.delete(file);

    assertRefused(file, null, "file must exist");
  }

  @Test
  void shouldPassOverTablesOfOldCheckpointsAndATiedHeadStoredTwice() throws IOException {
    final ObjectNode header = header();
    header.set(
        "model.layers.0.self_attn.rotary_emb.inv_freq", tensor("F32", List.of(0), 36096, 36096));
    header.set("lm_head.weight", tensor("BF16", List.of(0), 36096, 36096));
    rewrite(header.toString());

    Model.load(directory).close();
  }

  @Test
  void shouldFindTheOneMatrixOfATiedModelByItsOtherName() throws IOException {
    final float[] expected = new float[24];
    try (Model model = Model.load(directory)) {
      model.weights().read(EMBEDDING, 48, expected, 0, 24);
    }
    rewrite(header().toString().replace(EMBEDDING, "lm_head.weight"));

    try (Model model = Model.load(directory)) {
      final float[] read = new float[24];
      model.weights().read(EMBEDDING, 48, read, 0, 24);
      assertThat(read).isEqualTo(expected).isNotEqualTo(new float[24]);
    }
  }

  private void assertRefused(Path blamed, String tensor, String reason) {
    final ModelFormatException refusal =
        catchThrowableOfType(ModelFormatException.class, () -> Model.load(directory));

    assertThat(refusal).as("refusal").isNotNull();
    assertThat(refusal.file()).isEqualTo(blamed);
    assertThat(refusal.tensor().orElse(null)).isEqualTo(tensor);
    assertThat(refusal.reason()).startsWith(reason);
    assertThat(refusal).hasMessageContaining(blamed.toString()).hasMessageContaining(reason);
  }

  private ObjectNode header() throws IOException {
    final ByteBuffer bytes =
        ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    final byte[] json = new byte[(int) bytes.getLong()];
    bytes.get(json);
    return (ObjectNode) MAPPER.readTree(json);
  }

  private void rewrite(String header) throws IOException {
    final ByteBuffer old = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    old.position(8 + (int) old.getLong(0));
    final byte[] json = header.getBytes(StandardCharsets.UTF_8);
    final ByteBuffer changed =
        ByteBuffer.allocate(8 + json.length + old.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    Files.write(file, changed.putLong(json.length).put(json).put(old).array());
  }

  private static Arguments header(
      String what, Consumer<ObjectNode> change, String tensor, String reason) {
    return Arguments.of(what, change, tensor, reason);
  }

  private static ObjectNode at(ObjectNode header, String tensor) {
    return (ObjectNode) header.get(tensor);
  }

  private static ObjectNode tensor(String dtype, List<Integer> shape, long begin, long end) {
    final Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("dtype", dtype);
    fields.put("shape", shape);
    fields.put("data_offsets", List.of(begin, end));
    return MAPPER.valueToTree(fields);
  }

  private static ArrayNode ints(long... values) {
    final ArrayNode array = MAPPER.createArrayNode();
    for (long value : values) {
      array.add(value);
    }
    return array;
  }
}
