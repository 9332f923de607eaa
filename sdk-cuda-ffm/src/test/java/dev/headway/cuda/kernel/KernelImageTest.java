package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The committed PTX and machine code name the sources that they were made of. */
class KernelImageTest {
  private static final Path SOURCES = Path.of("src/main/cuda");

  /** What the second image is of, and no other. */
  private static final Set<String> ROUNDED = Set.of("round_e4m3.cu", "linear_codes.cu");

  private static String ptx(KernelImage image) {
    return new String(image.ptx(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @EnumSource
  void shouldNameTheSourcesItWasMadeOf(KernelImage image) throws Exception {
    final List<String> expected = new ArrayList<>();
    for (Path file : sources()) {
      final byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      expected.add("//   " + HexFormat.of().formatHex(hash) + "  " + file.getFileName());
    }

    assertThat(ptx(image).lines().skip(2).takeWhile(line -> line.startsWith("//   ")))
        .as("run scripts/kernels.sh after a change of src/main/cuda")
        .isEqualTo(expected);
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNameTheMachineCodeThatIsMadeOfIt(KernelImage image) throws Exception {
    final byte[] code = image.machineCode(9, 0).orElseThrow();
    final byte[] hash = MessageDigest.getInstance("SHA-256").digest(code);

    assertThat(ptx(image).lines().filter(line -> line.endsWith("  " + image.files()[1])))
        .as("run scripts/kernels.sh after a change of src/main/cuda")
        .containsExactly("//   " + HexFormat.of().formatHex(hash) + "  " + image.files()[1]);
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveMachineCodeForOneComputeCapability(KernelImage image) {
    assertThat(image.machineCode(9, 0)).isPresent();
    assertThat(image.machineCode(8, 0)).isEmpty();
    assertThat(image.machineCode(8, 9)).isEmpty();
    assertThat(image.machineCode(10, 0)).isEmpty();
  }

  @Test
  void shouldBeReadByDriversSince470() {
    assertThat(ptx(KernelImage.ALL)).contains("\n.version 7.0\n").contains("\n.target sm_80\n");
  }

  @Test
  void shouldBeReadByDriversSince550WhereInputsAreRounded() {
    assertThat(ptx(KernelImage.ROUNDED)).contains("\n.version 8.4\n").contains("\n.target sm_89\n");
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveEveryKernelOfTheSources(KernelImage image) throws IOException {
    final Pattern emulated =
        Pattern.compile("^(?:EMULATED|CODES_BY_CODES)\\((\\w+)[,)]", Pattern.MULTILINE);
    final List<String> names = new ArrayList<>();
    for (Path file : sources()) {
      if (ROUNDED.contains(file.getFileName().toString()) == (image == KernelImage.ROUNDED)) {
        emulated.matcher(Files.readString(file)).results().forEach(r -> names.add(r.group(1)));
      }
    }

    assertThat(names).hasSizeGreaterThan(image == KernelImage.ROUNDED ? 6 : 8);
    assertThat(names).allSatisfy(name -> assertThat(ptx(image)).contains(".entry " + name + "("));
    final String sections =
        new String(image.machineCode(9, 0).orElseThrow(), StandardCharsets.ISO_8859_1);
    assertThat(names).allSatisfy(name -> assertThat(sections).contains("\0.text." + name + "\0"));
  }
}
