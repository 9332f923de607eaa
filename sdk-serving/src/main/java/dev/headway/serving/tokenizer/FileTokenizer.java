package dev.headway.serving.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/**
 * The tokenizer of a Hugging Face folder: {@code tokenizer.json}, run by Hugging Face's own library
 * through DJL. That library is native; it is unpacked once into the user's cache directory, or that
 * of the system property {@code DJL_CACHE_DIR}, and set to stay off the network.
 */
public final class FileTokenizer implements Tokenizer, AutoCloseable {

  private static final String FILE = "tokenizer.json";

  private final HuggingFaceTokenizer library;
  private final Pieces pieces;
  private final Path file;

  private FileTokenizer(Path file, HuggingFaceTokenizer library, Pieces pieces) {
    this.file = file;
    this.library = library;
    this.pieces = pieces;
  }

  /**
   * Reads {@code tokenizer.json} of a folder.
   *
   * @throws IOException if a file is missing or no tokenizer can be made of it
   */
  public static FileTokenizer open(Path folder) throws IOException {
    final Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      refuseTekken(folder, file);
      throw new NoSuchFileException(file.toString());
    }
    final JsonNode json = TokenizerJson.read(file);
    stayLocal();
    try {
      final Pieces pieces = Pieces.of(json);
      final HuggingFaceTokenizer library =
          HuggingFaceTokenizer.builder()
              .optTokenizerPath(file)
              .optTruncation(false)
              .optPadding(false)
              .build();
      return new FileTokenizer(file, library, pieces);
    } catch (RuntimeException e) {
      throw new IOException("a tokenizer must be in the file: file=" + file + ": " + e, e);
    }
  }

  /** Mistral's own format, which some of its folders hold alone. */
  private static void refuseTekken(Path folder, Path file) throws IOException {
    final Path tekken = folder.resolve("tekken.json");
    if (Files.isRegularFile(tekken)) {
      throw new IOException(
          "a tokenizer must be in tokenizer.json, tekken.json is not read: file="
              + file
              + "; put one of the same vocabulary there, as transformers saves it");
    }
  }

  /** DJL reads these when its classes are loaded; what the user has set stays. */
  private static void stayLocal() {
    setUnlessSet("ai.djl.offline", "true");
    setUnlessSet("OPT_OUT_TRACKING", "true");
    setUnlessSet("RUST_FLAVOR", "cpu"); // no search for CUDA libraries
    setUnlessSet("DJL_CACHE_DIR", cacheDirectory().toString());
  }

  private static void setUnlessSet(String name, String value) {
    if (System.getProperty(name) == null && System.getenv(name) == null) {
      System.setProperty(name, value);
    }
  }

  private static Path cacheDirectory() {
    final String xdg = System.getenv("XDG_CACHE_HOME");
    final Path caches =
        xdg == null || xdg.isBlank()
            ? Path.of(System.getProperty("user.home", "."), ".cache")
            : Path.of(xdg);
    return caches.resolve("headway").resolve("djl");
  }

  @Override
  public String name() {
    return file + " (" + pieces.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ")";
  }

  @Override
  public int vocabularySize() {
    return pieces.size();
  }

  @Override
  public int[] encode(String text, SpecialTokens special) {
    final long[] ids;
    try {
      ids = library.encode(text, special == SpecialTokens.ADDED, false).getIds();
    } catch (RuntimeException e) { // the library has no other
      throw new IllegalStateException(
          "the tokenizer must have tokens for every text: file=" + file + ", " + e.getMessage(), e);
    }
    return Arrays.stream(ids).mapToInt(Math::toIntExact).toArray();
  }

  @Override
  public TextDecoder decoder(int[] prompt) {
    return new SlidingDecoder(ids -> library.decode(ids, true), prompt);
  }

  @Override
  public boolean isSpecial(int tokenId) {
    return pieces.isSpecial(tokenId);
  }

  @Override
  public byte[] bytes(int tokenId) {
    return pieces.bytes(tokenId);
  }

  @Override
  public void close() {
    library.close();
  }
}
