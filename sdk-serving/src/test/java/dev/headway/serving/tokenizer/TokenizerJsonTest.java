package dev.headway.serving.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What would end the native library, and the JVM with it, never comes to it. */
class TokenizerJsonTest {

  @TempDir Path folder;

  private Path file(String json) throws IOException {
    return Files.writeString(folder.resolve("tokenizer.json"), json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'decoder': {'type': ByteLevel}} | a tokenizer must be JSON: file=",
        "{'decoder': 1e999} | a tokenizer must be of numbers that fit 64 bits: file=",
        "{'decoder': '\\ud800'} | a tokenizer must be of whole characters: file=",
        "{'\\ud800': 1} | a tokenizer must be JSON: file=",
        "[] | a tokenizer must be a JSON object: file=",
      },
      quoteCharacter = '"')
  void shouldRefuseWhatRustCannotRead(String json, String message) throws IOException {
    file(json.replace('\'', '"'));

    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(message + folder.resolve("tokenizer.json"));
  }

  @Test
  void shouldRefuseWhatIsNestedTooDeep() throws IOException {
    file("{\"decoder\": " + "[".repeat(110) + "]".repeat(110) + "}");

    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("a tokenizer must be nested at most 100 deep: file=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TemplateProcessing", "taken by its members"})
  void shouldRefuseATemplateWithASpecialTokenThatItDoesNotDefine(String type) throws IOException {
    file(
        """
        {"post_processor": {"type": "Sequence", "processors": [{"type": "%s",
          "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
          "pair": [{"SpecialToken": {"id": "<rs>", "type_id": 0}}],
          "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}]}}
        """
            .formatted(type));

    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "a tokenizer must be of templates whose special_tokens has each of them: file=")
        .hasMessageEndingWith("id=\"<rs>\"");
  }

  @Test
  void shouldTakeWholeSurrogatePairs() throws IOException {
    final Path file = file("{\"content\": \"\\ud83d\\ude00\"}");

    assertThat(TokenizerJson.read(file).path("content").stringValue()).isEqualTo("\uD83D\uDE00");
  }

  @Test
  void shouldRefuseIdsThatWouldFillTheHeap() throws IOException {
    file("{\"model\": {\"vocab\": {\"a\": 2000000000}}}");

    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a token's id must be in [0, 16777216): id=2000000000, token=a");
  }
}
