package dev.headway.serving.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizersTest {

  private static final Path STORIES =
      Path.of("..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");
  private static final String[] PIECES = {
    "Once upon a time", " there was", "é", "\uD83D\uDE00", "日本", "\n", "  ", "a", "<", ", ", "né"
  };

  @Test
  void shouldDecodeTokenByTokenWhatBytesEncode() {
    final ByteTokenizer tokenizer = new ByteTokenizer();
    for (int seed = 0; seed < 300; seed++) {
      final String text = text(seed);
      final int[] ids = tokenizer.encode(text, SpecialTokens.ADDED);

      assertThat(decoded(tokenizer, ids, new int[0])).as("seed %d", seed).isEqualTo(text);
    }
  }

  @Test
  void shouldReplaceBytesThatAreNoCharacter() {
    assertThat(decoded(new ByteTokenizer(), new int[] {'a', 0xff, 'b', 0xc3, 256}, new int[0]))
        .isEqualTo("a\uFFFDb\uFFFD");
  }

  @Test
  void shouldDecodeTokenByTokenWhatAFileTokenizerEncodes() throws IOException {
    try (FileTokenizer tokenizer = FileTokenizer.open(STORIES)) {
      for (int seed = 0; seed < 300; seed++) {
        final String text = text(seed);
        final int[] prompt = tokenizer.encode("Lily said:", SpecialTokens.ADDED);
        // after a text, so that the blank in front of a first word is none of it
        final int[] all = tokenizer.encode("Lily said:" + text, SpecialTokens.ADDED);
        if (!Arrays.equals(prompt, Arrays.copyOf(all, prompt.length))) {
          continue; // the texts grow together: there is no border to begin at
        }
        final int[] ids = Arrays.copyOfRange(all, prompt.length, all.length);

        assertThat(decoded(tokenizer, ids, prompt)).as("seed %d", seed).isEqualTo(text);
        assertThat(bytes(tokenizer, ids)).as("seed %d", seed).isEqualTo(text);
      }
      assertThat(tokenizer.vocabularySize()).isEqualTo(512);
      assertThat(tokenizer.encode("x", SpecialTokens.ADDED)).startsWith(1);
      assertThat(tokenizer.encode("x", SpecialTokens.LEFT_OUT)).doesNotContain(1);
    }
  }

  @Test
  void shouldHoldACharacterBackUntilItsLastToken() throws IOException {
    try (FileTokenizer tokenizer = FileTokenizer.open(STORIES)) {
      final TextDecoder decoder = tokenizer.decoder(new int[] {1});

      // <0xF0> <0x9F> <0x98> <0x80>
      assertThat(decoder.push(243)).isEmpty();
      assertThat(decoder.push(162)).isEmpty();
      assertThat(decoder.push(155)).isEmpty();
      assertThat(decoder.push(131)).isEqualTo("\uD83D\uDE00");
      assertThat(decoder.push(243)).isEmpty();
      assertThat(decoder.finish()).contains("\uFFFD");
    }
  }

  @Test
  void shouldSayWhatIsMissingOrBroken(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("tokenizer.json");
    Files.writeString(folder.resolve("tekken.json"), "{}");
    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "a tokenizer must be in tokenizer.json, tekken.json is not read: file="
                + folder.resolve("tokenizer.json")
                + "; put one of the same vocabulary there, as transformers saves it");
    Files.writeString(folder.resolve("tokenizer.json"), "{}");
    assertThatThrownBy(() -> FileTokenizer.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a tokenizer must be in the file");
  }

  private static String decoded(Tokenizer tokenizer, int[] ids, int[] prompt) {
    final TextDecoder decoder = tokenizer.decoder(prompt);
    final StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(decoder.push(id));
    }
    return text.append(decoder.finish()).toString();
  }

  private static String bytes(Tokenizer tokenizer, int[] ids) {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int id : ids) {
      bytes.writeBytes(tokenizer.bytes(id));
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static String text(int seed) {
    final SplittableRandom random = new SplittableRandom(seed);
    final StringBuilder text = new StringBuilder();
    for (int i = 1 + random.nextInt(12); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }
}
