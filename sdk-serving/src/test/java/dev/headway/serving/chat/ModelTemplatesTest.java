package dev.headway.serving.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelTemplatesTest {

  private static final List<ChatMessage> HELLO = List.of(new ChatMessage("user", "Hello"));

  @TempDir private Path folder;

  @Test
  void shouldFindNoneInAFolderWithoutOne() throws IOException {
    assertThat(ModelTemplates.of(folder).own()).isEmpty();
    config("{\"bos_token\": \"<s>\"}");

    assertThat(ModelTemplates.of(folder).own()).isEmpty();
    assertThat(ModelTemplates.none().own()).isEmpty();
  }

  @Test
  void shouldTakeTheTextOfTheConfigurationWithItsSpecialTokens() throws IOException {
    config(
        """
        {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": null,
         "chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}"}
        """);

    final ChatTemplate own = ModelTemplates.of(folder).own().orElseThrow();

    assertThat(own.render(HELLO)).isEqualTo("<s>Hello</s>");
    assertThat(own.describe())
        .isEqualTo(folder.resolve("tokenizer_config.json#chat_template") + "");
  }

  @Test
  void shouldTakeTheDefaultOfSeveral() throws IOException {
    config(
        """
        {"chat_template": [{"name": "tool_use", "template": "tools"},
                           {"name": "default", "template": "usual"}]}
        """);

    assertThat(ModelTemplates.of(folder).own().orElseThrow().render(HELLO)).isEqualTo("usual");
  }

  @Test
  void shouldPreferTheFileBesideTheConfiguration() throws IOException {
    config("{\"bos_token\": \"<s>\", \"chat_template\": \"config\"}");
    Files.writeString(folder.resolve("chat_template.jinja"), "{{ bos_token }}file");

    assertThat(ModelTemplates.of(folder).own().orElseThrow().render(HELLO)).isEqualTo("<s>file");
  }

  /** Where models for images have it, with the special tokens of the tokenizer. */
  @Test
  void shouldPreferTheFileOfTheProcessorToTheConfigurationOfTheTokenizer() throws IOException {
    config("{\"bos_token\": \"<s>\", \"chat_template\": \"config\"}");
    final Path processor = folder.resolve("chat_template.json");
    Files.writeString(processor, "{\"chat_template\": \"{{ bos_token }}processor\"}");

    final ChatTemplate own = ModelTemplates.of(folder).own().orElseThrow();

    assertThat(own.render(HELLO)).isEqualTo("<s>processor");
    assertThat(own.describe()).isEqualTo(processor + "#chat_template");
    Files.writeString(processor, "{}");
    assertThat(ModelTemplates.of(folder).own().orElseThrow().render(HELLO)).isEqualTo("config");
    Files.writeString(processor, "{");
    assertThatThrownBy(() -> ModelTemplates.of(folder).own())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the file must hold JSON: file=" + processor);
  }

  @Test
  void shouldNameFileAndLineOfWhatCannotBeRun() throws IOException {
    config("{\"chat_template\": \"\\n{% nothing %}\"}");
    final ModelTemplates templates = ModelTemplates.of(folder);

    assertThatThrownBy(templates::own)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tokenizer_config.json#chat_template, line=2: ");
    config("{\"chat_template\": ");
    assertThatThrownBy(() -> ModelTemplates.of(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the file must hold JSON: file=");
  }

  @Test
  void shouldNameAFileThatIsNoTextOrEmpty() throws IOException {
    final Path latin = Files.write(folder.resolve("latin.jinja"), new byte[] {'a', (byte) 0xe4});
    final Path empty = Files.writeString(folder.resolve("empty.jinja"), " \n");

    assertThatThrownBy(() -> ModelTemplates.none().file(latin))
        .isInstanceOf(IOException.class)
        .hasMessage("the chat template must be text in UTF-8: file=" + latin);
    assertThatThrownBy(() -> ModelTemplates.none().file(empty))
        .isInstanceOf(IOException.class)
        .hasMessage("the chat template must not be empty: file=" + empty);
  }

  private void config(String json) throws IOException {
    Files.writeString(folder.resolve("tokenizer_config.json"), json);
  }
}
