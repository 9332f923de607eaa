package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of models for images, of which the text part is read. */
class VisionPartTest {

  private static final String Q = ModelLayout.inLayer(1, ModelLayout.Q_PROJ);
  private static final String EMPTY = "{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,0]}";

  @TempDir Path directory;
  private final Model written = Model.random(TestModels.tiny(ModelFamily.MISTRAL3), 7);
  private Path file;

  @BeforeEach
  void writeTheTextPart() throws IOException {
    ModelWriter.write(written, directory);
    file = directory.resolve("model.safetensors");
  }

  @Test
  void shouldNameTensorsAsTheFilesOfMistralSmallDo() throws IOException {
    assertThat(header())
        .contains(
            "\"language_model.model.embed_tokens.weight\"",
            "\"language_model.model.layers.2.self_attn.q_proj.weight\"",
            "\"language_model.lm_head.weight\"")
        .doesNotContain("\"model.", "\"lm_head.weight\"");
    assertThat(weights(Model.load(directory))).isEqualTo(weights(written));
  }

  @Test
  void shouldReadFilesOfNewerClassesOfTransformers() throws IOException {
    rewrite(
        header ->
            header
                .replace("\"language_model.model.", "\"model.language_model.")
                .replace("\"language_model.lm_head", "\"lm_head"));

    assertThat(weights(Model.load(directory))).isEqualTo(weights(written));
  }

  @Test
  void shouldCountTheTensorsOfTheVisionPart() throws IOException {
    assertThat(Model.load(directory).weights().notRead()).isEmpty();

    rewrite(
        header ->
            header.replaceFirst(
                "\\{\"__metadata__",
                "{\"vision_tower.patch_conv.weight\":%1$s,\"model.vision_tower.ln_pre.weight\":%1$s,"
                        .formatted(EMPTY)
                    + "\"multi_modal_projector.norm.weight\":%s,\"__metadata__".formatted(EMPTY)));

    assertThat(Model.load(directory).weights().notRead())
        .isEqualTo("3 tensors of the vision part are not read: images are not taken");
  }

  @Test
  void shouldRefuseATensorOfNeitherPart() throws IOException {
    rewrite(
        header ->
            header.replaceFirst(
                "\\{\"__metadata__", "{\"audio_tower.weight\":" + EMPTY + ",\"__metadata__"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith(
            "tensor 'audio_tower.weight': tensor is not expected in"
                + " Mistral3ForConditionalGeneration of this config: unexpected tensors=1");
  }

  @Test
  void shouldNameWhatIsMissingAsTheFilesDo() throws IOException {
    rewrite(header -> header.replace("\"language_model.model.norm", "\"vision_tower.norm"));

    assertThatThrownBy(() -> Model.load(directory))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageEndingWith("tensor 'language_model.model.norm.weight': tensor is missing");
  }

  @Test
  void shouldFindTheOneMatrixOfATiedModelByItsOtherName() throws IOException {
    final Model tied = Model.random(TestModels.tiny(ModelFamily.MISTRAL3, OutputHead.TIED), 7);
    ModelWriter.write(tied, directory);
    rewrite(
        header -> header.replace("language_model.model.embed_tokens", "language_model.lm_head"));

    assertThat(weights(Model.load(directory))).isEqualTo(weights(tied));
  }

  private static float[] weights(Model model) {
    final float[] values = new float[24 * 97 + 24 * 32];
    model.weights().read(ModelLayout.EMBEDDING, 0, values, 0, 24 * 97);
    model.weights().read(Q, 0, values, 24 * 97, 24 * 32);
    return values;
  }

  private String header() throws IOException {
    final ByteBuffer bytes =
        ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    final byte[] json = new byte[(int) bytes.getLong()];
    bytes.get(json);
    return new String(json, StandardCharsets.UTF_8);
  }

  private void rewrite(UnaryOperator<String> change) throws IOException {
    final byte[] json = change.apply(header()).getBytes(StandardCharsets.UTF_8);
    final ByteBuffer old = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    old.position(8 + (int) old.getLong(0));
    final ByteBuffer changed =
        ByteBuffer.allocate(8 + json.length + old.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    Files.write(file, changed.putLong(json.length).put(json).put(old).array());
  }
}
