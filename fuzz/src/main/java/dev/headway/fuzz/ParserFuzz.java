package dev.headway.fuzz;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A parser of bytes from outside: whatever they are, it reads them or refuses them by an exception
 * that its documentation names, in bounded time and memory.
 *
 * <p>The corpus is in {@code src/test/resources/fuzz/}, in a folder with the simple name of the
 * target's class: what is right, and every input that once was a finding. By default each of them
 * is read, and inputs that are made of it by a fixed seed. With {@code -Pfuzz} Jazzer looks for
 * others, guided by coverage. One thread; a target has a constructor without arguments, and is used
 * for many inputs.
 */
public abstract class ParserFuzz {

  static final Path CORPORA = Path.of("src", "test", "resources", "fuzz");

  /** The longest that an input may take, in seconds; on loaded machines too. */
  static final int LONGEST_SECONDS = 20;

  private static final long SEED = 1;
  private static final int SPOILT = 100;

  private final List<Class<? extends Throwable>> refusals;
  private @Nullable Path folder;

  /**
   * Makes a target.
   *
   * @param refusals what the parser documents to throw: these classes, and of {@link IOException}
   *     its subclasses too
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // only copied
  protected ParserFuzz(Class<? extends Throwable>... refusals) {
    this.refusals = List.of(refusals);
  }

  /**
   * Gives an input to the parser, and reads all that comes of it.
   *
   * @throws Exception a refusal, or a finding
   */
  protected abstract void parse(byte[] input) throws Exception;

  /**
   * Gives an input to the parser.
   *
   * @throws AssertionError if it does anything but read or refuse it
   */
  public final void feed(byte[] input) {
    try {
      parse(input);
    } catch (Throwable e) { // errors of the JVM are findings too
      if (refusals.stream().noneMatch(refusal -> isRefusal(refusal, e))) {
        throw new AssertionError("the parser must read or refuse the input: threw=" + e, e);
      }
      if (String.valueOf(e.getMessage()).isBlank()) {
        throw new AssertionError("a refusal must have a message: refusal=" + e, e);
      }
    }
  }

  /**
   * Writes an input to a file, for parsers that take nothing else; in a folder of its own, under
   * the same path for all inputs of a target.
   *
   * @param name of the file
   */
  protected final Path file(String name, byte[] input) throws IOException {
    if (folder == null) {
      folder = Files.createTempDirectory("headway-fuzz");
      folder.toFile().deleteOnExit();
    }
    final Path file = folder.resolve(name);
    file.toFile().deleteOnExit();
    return Files.write(file, input);
  }

  private static boolean isRefusal(Class<? extends Throwable> refusal, Throwable thrown) {
    return refusal == thrown.getClass()
        || (refusal == IOException.class && thrown instanceof IOException);
  }

  @TestFactory
  Stream<DynamicTest> shouldReadOrRefuse() throws IOException {
    final List<Path> inputs = inputs();
    return inputs.stream()
        .map(
            input ->
                DynamicTest.dynamicTest(
                    String.valueOf(input.getFileName()), () -> feedInTime(bytes(input))));
  }

  @Test
  void shouldReadOrRefuseWhatIsSpoilt() throws IOException {
    final List<byte[]> inputs = inputs().stream().map(ParserFuzz::bytes).toList();
    final Random random = new Random(SEED);

    assertTimeoutPreemptively(
        Duration.ofSeconds(3 * LONGEST_SECONDS),
        () -> {
          for (int i = 0; i < spoiltInputs(); i++) {
            final byte[] spoilt = SpoiltBytes.of(inputs, random);
            try {
              feed(spoilt);
            } catch (AssertionError e) {
              throw new AssertionError(
                  "seed=" + SEED + ", case=" + i + ", input=" + Arrays.toString(spoilt), e);
            }
          }
        });
  }

  /** How many inputs the default build makes; less where each takes milliseconds. */
  protected int spoiltInputs() {
    return SPOILT;
  }

  @Test
  @Tag("fuzz")
  void shouldReadOrRefuseWhatJazzerFinds() throws IOException, InterruptedException {
    new JazzerRun(getClass()).run();
  }

  private void feedInTime(byte[] input) {
    assertTimeoutPreemptively(Duration.ofSeconds(LONGEST_SECONDS), () -> feed(input));
  }

  private List<Path> inputs() throws IOException {
    final Path folder = CORPORA.resolve(getClass().getSimpleName());
    try (Stream<Path> files = Files.list(folder)) {
      final List<Path> inputs = files.sorted().toList();
      if (inputs.isEmpty()) {
        throw new IllegalStateException("the corpus must have an input: folder=" + folder);
      }
      return inputs;
    }
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
